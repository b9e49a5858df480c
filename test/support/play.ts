/** Plays a transcript against a server, over one transport, at one revision. */

import assert from 'node:assert/strict';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import { differences, linesOf, valueToSend, type Transcript } from '../../packages/parley/src/testing/transcript.ts';
import type { Deliver, Wire } from './wires.ts';
import { stuckAfterMs } from './stuck.ts';

/** Opens a connection to a server of its own. */
export type Connect = (deliver: Deliver) => Wire | Promise<Wire>;

/** Plays a transcript and fails when anything but what is written comes back. */
export async function play(transcript: Transcript, revision: Revision, connect: Connect): Promise<void> {
  const mailbox = new Inbox();
  const wire = await connect((stream, message) => mailbox.put(stream, message));
  const player = new Player(transcript, revision, wire, mailbox);
  try {
    if (transcript.settings.get('opening') !== 'none') await player.open();
    await player.run();
    await player.end();
  } finally {
    await wire.close();
  }
}

class Player {
  readonly #transcript: Transcript;
  readonly #revision: Revision;
  readonly #wire: Wire;
  readonly #mailbox: Inbox;
  readonly #bindings: Map<string, unknown> = new Map();
  #status: Promise<number | undefined> = Promise.resolve(undefined);

  constructor(transcript: Transcript, revision: Revision, wire: Wire, mailbox: Inbox) {
    this.#transcript = transcript;
    this.#revision = revision;
    this.#wire = wire;
    this.#mailbox = mailbox;
  }

  /** The handshake, for the revisions that have one; it is not part of the transcript. */
  async open(): Promise<void> {
    if (this.#revision.era === 'stateless') return;
    const params = { protocolVersion: this.#revision.date, capabilities: this.#capabilities(), clientInfo };
    await this.#wire.send({ jsonrpc: '2.0', id: 'open', method: 'initialize', params });
    await this.#mailbox.take((message) =>
      differences('{"id":"open","result":"<object>",…}', message, this.#revision, new Map()),
    );
    await this.#wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await this.#wire.listen();
  }

  async run(): Promise<void> {
    for (const { kind, text, line } of linesOf(this.#transcript, this.#revision)) {
      try {
        if (kind === 'client') await this.#send(this.#dressed(valueToSend(text, this.#revision, this.#bindings)));
        else if (kind === 'server')
          await this.#mailbox.take((message) => differences(text, message, this.#revision, this.#bindings));
        else await this.#expectStatus(Number(text));
      } catch (cause) {
        throw new Error(`line ${line}: ${text.slice(0, 200)}`, { cause });
      }
    }
  }

  /** Asks one more question, so that whatever came unasked has come. */
  async end(): Promise<void> {
    const method = this.#revision.era === 'stateless' ? 'server/discover' : 'ping';
    void this.#wire.send(this.#withMeta({ jsonrpc: '2.0', id: 'end', method })).catch(() => undefined);
    await this.#mailbox.take((message) => differences('{"id":"end",…}', message, this.#revision, new Map()));
    assert.deepEqual(this.#mailbox.rest(), [], 'the server sent more than is written');
  }

  async #send(value: unknown): Promise<void> {
    this.#status = this.#wire.send(value);
    this.#status.catch(() => undefined);
    const isRequest = isObject(value) && 'method' in value && 'id' in value;
    // A request may take long; whatever else is sent has been taken when its turn is over.
    if (!isRequest || value['method'] === 'initialize') await this.#status;
  }

  async #expectStatus(wanted: number): Promise<void> {
    const status = await this.#status;
    if (status !== undefined) assert.equal(status, wanted, 'the HTTP status');
  }

  #dressed(value: unknown): unknown {
    if (this.#transcript.settings.get('opening') === 'none') return value;
    return isObject(value) && 'method' in value && 'id' in value ? this.#withMeta(value) : value;
  }

  #withMeta(request: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const unfit = request['params'] !== undefined && !isObject(request['params']);
    if (this.#revision.era === 'handshake' || unfit) return request;
    const params = isObject(request['params']) ? request['params'] : {};
    const given = isObject(params['_meta']) ? params['_meta'] : {};
    const meta = {
      [metaKey.protocolVersion]: this.#revision.date,
      [metaKey.clientInfo]: clientInfo,
      [metaKey.clientCapabilities]: this.#capabilities(),
    };
    return { ...request, params: { ...params, _meta: { ...meta, ...given } } };
  }

  #capabilities(): unknown {
    return JSON.parse(this.#transcript.settings.get('client') ?? '{}');
  }
}

const clientInfo = { name: 'transcript', version: '1.0.0' };

/** What came and was not yet asked for: a queue for each stream, since streams know no order among them. */
class Inbox {
  readonly #streams = new Map<number, unknown[]>();
  #wake: () => void = () => undefined;

  put(stream: number, message: unknown): void {
    const queue = this.#streams.get(stream) ?? [];
    this.#streams.set(stream, queue);
    queue.push(message);
    this.#wake();
  }

  /** Takes the first message of a stream that differs in nothing; rejects when none comes. */
  async take(differ: (message: unknown) => readonly string[]): Promise<void> {
    const deadline = AbortSignal.timeout(stuckAfterMs);
    for (;;) {
      const found: string[] = [];
      for (const queue of this.#streams.values()) {
        if (queue.length === 0) continue;
        const problems = differ(queue[0]);
        if (problems.length === 0) {
          queue.shift();
          return;
        }
        found.push(`${problems.join('\n')}\nin ${JSON.stringify(queue[0])}`);
      }
      if (deadline.aborted)
        throw new Error(found.length === 0 ? 'nothing came' : `what came differs:\n${found.join('\n')}`);
      await this.#more(deadline);
    }
  }

  rest(): readonly unknown[] {
    return [...this.#streams.values()].flat();
  }

  #more(deadline: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      deadline.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
