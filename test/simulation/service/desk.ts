/** The end of a line at which a server by hand is, with a client of ours at the other. */

import { connect, type Client } from '../../../packages/parley/src/client.ts';
import {
  ConnectionError,
  type Receiver,
  type SendOptions,
  type Transport,
} from '../../../packages/parley/src/jsonrpc/transport.ts';
import type { Process } from '../world.ts';
import type { GuestParts } from './raw.ts';

/** A message as it goes over the line. */
export type Words = Readonly<Record<string, unknown>>;

/** The end of a line at which a server by hand is. */
export interface Line {
  /** How many there were before. */
  readonly number: number;
  say(value: unknown): void;
  answer(to: Words, result: unknown): void;
  /** The line ends from the server's side. */
  hangUp(): void;
}

/** What a server does with a message, and when a line is opened; false where it does what all do. */
export type Script = (message: Words, line: Line, options: SendOptions | undefined) => boolean;

export const sessions = '2025-11-25';
export const stateless = '2026-07-28';

export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
};
export const info = { name: 'by hand', version: '1' };

/** What is said at one of them, by name. */
export type Talks = Readonly<Record<string, (desk: Desk) => Promise<void>>>;

/** The longest that one of the talks may take, in milliseconds. */
const maxMs = 300_000;

/** Has all of it said, one after the other. */
export async function talkAll(talks: Talks, process: Process, parts: GuestParts): Promise<void> {
  const { world, judge } = parts;
  for (const [name, clientSession] of Object.entries(talks)) {
    const ending = clientSession(new Desk(process, parts, name)).catch((error: unknown) =>
      judge.violated(`${process.name} fails at ${name}: ${error instanceof Error ? error.stack : String(error)}`),
    );
    const late = new Promise<string>((resolve) => void world.later(maxMs, process, () => resolve('late')));
    if ((await Promise.race([ending, late])) === 'late') judge.violated(`${process.name} never ends ${name}`);
  }
}

let desks = 0;

/** Where a server by hand is. */
export class Desk {
  readonly #process: Process;
  readonly #parts: GuestParts;
  readonly #clientSession: string;
  /** What is particular about its transport. */
  facts: Partial<Transport> = {};
  #lines = 0;
  /** What is remembered of servers is of this one alone, however often a schedule runs. */
  readonly #number = ++desks;

  constructor(process: Process, parts: GuestParts, clientSession: string) {
    this.#process = process;
    this.#parts = parts;
    this.#clientSession = clientSession;
  }

  async connect(
    revision: typeof sessions | typeof stateless,
    script: Script,
    more: Parameters<typeof connect>[1] = {},
  ): Promise<Client> {
    return await connect(this.#transport(script), {
      revisions: [revision],
      timeoutMs: 20_000,
      maxReconnects: 100,
      onWarning: () => undefined,
      ...more,
    });
  }

  /** Something fails, for a reason of its connection, by an error of a name, or by that of who gave it up. */
  async fails(what: string, reason: string, run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
      this.violated(`is content with ${what}`);
    } catch (error) {
      const of = error instanceof Error && error.name === 'Error' ? error.message : String(error);
      const is = error instanceof ConnectionError ? error.reason : (/^(McpError|TypeError):/.exec(of)?.[1] ?? of);
      if (is !== reason) this.violated(`is told ${is} and not ${reason} of ${what}: ${String(error)}`);
    }
  }

  later(ms: number, run: () => void): void {
    this.#parts.world.later(ms, this.#process, run);
  }

  async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.later(ms, resolve));
  }

  violated(words: string): void {
    this.#parts.judge.violated(`${this.#process.name} ${words}, at ${this.#clientSession}`);
  }

  #transport(script: Script): Transport {
    return {
      description: 'a server by hand',
      address: `by hand ${this.#number} ${this.#clientSession}`,
      ...this.facts,
      open: async (receiver) => {
        await this.sleep(5);
        const line = this.#line(receiver, this.#lines++);
        script({ method: 'open' }, line, undefined);
        return {
          send: async (message, options) => {
            await this.sleep(3);
            const words = message as unknown as Words;
            if (!script(words, line, options)) usual(words, line);
          },
          close: async () => await Promise.resolve(),
        };
      },
    };
  }

  #line(receiver: Receiver, number: number): Line {
    let isOver = false;
    const say = (value: unknown): void =>
      this.later(4, () => {
        if (!isOver) receiver.message(value, { text: JSON.stringify(value) });
      });
    return {
      number,
      say,
      answer: ({ id }, result) => say({ jsonrpc: '2.0', id, result }),
      hangUp: () =>
        this.later(5, () => {
          if (isOver) return;
          isOver = true;
          receiver.closed(new ConnectionError('closed', 'the server hung up'));
        }),
    };
  }
}

/** What every server answers. */
function usual(message: Words, line: Line): void {
  const results: Readonly<Record<string, object>> = {
    initialize: { protocolVersion: sessions, capabilities, serverInfo: info },
    'server/discover': {
      resultType: 'complete',
      supportedVersions: [stateless],
      capabilities,
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': info },
    },
    'tools/call': { content: [] },
  };
  if (message['id'] !== undefined) line.answer(message, results[String(message['method'])] ?? {});
}
