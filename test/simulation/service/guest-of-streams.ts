/**
 * A guest that takes up streams which it left, at whatever process, several times at once, and after their end: each of them says what it says once, and a call
 * whose stream is taken up is answered.
 */

import type { FetchResponse } from '../../../packages/parley/src/jsonrpc/fetch.ts';
import { guestKey, Heard, newsMs, type Raw } from './raw.ts';

/** The longest that a call may take whose process stands still for a while, in milliseconds. */
const maxMs = 90_000;

/** A stream that is being read, and what ends it. */
interface Open {
  readonly response: FetchResponse;
  readonly heard: Heard;
  leave(): void;
}

/** Runs it to its end. */
export async function beGuestOfStreams(raw: Raw): Promise<void> {
  const { revision } = raw.parts.plan;
  const begin = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'guest', version: '1' } };
  const opened = await raw.request('initialize', begin);
  raw.headers = { 'Mcp-Session-Id': opened.session ?? '', 'MCP-Protocol-Version': revision };
  raw.expect('a notification', 202, await raw.post({ method: 'notifications/initialized' }));
  const guest = new GuestOfStreams(raw);
  await guest.answers();
  await guest.standsStill();
  await guest.news();
  await guest.end();
}

class GuestOfStreams {
  readonly #raw: Raw;
  #key = guestKey;

  constructor(raw: Raw) {
    this.#raw = raw;
  }

  /** The answer to a call, by a stream that is left and taken up twice at once, and again when all is over. */
  async answers(): Promise<void> {
    const raw = this.#raw;
    for (const tool of ['steps', 'poll', 'burst']) {
      const { id, first } = await this.#left(tool);
      if (id === undefined) continue;
      const both = await Promise.all([this.#take(id), this.#take(id)]);
      const all = `${first}${(await Promise.all(both.map(async (one) => await this.#rest(one)))).join('')}`;
      const later: Open[] = [];
      let late = '';
      // A tool may end the connection of its stream, and has its client come back.
      for (let tries = 0; tries < 10 && !late.includes(`${tool} ${this.#key}`); tries++) {
        const again = await this.#take(id);
        later.push(again);
        late += await this.#rest(again);
        await raw.sleep(500);
      }
      if (!late.includes(`${tool} ${this.#key}`))
        raw.violated(`is not answered by ${tool} ${this.#key} when it takes its stream up: ${all}${late.slice(-300)}`);
      for (const { response } of [...both, ...later])
        if (![200, 400].includes(response.status)) raw.violated(`gets ${response.status} for a stream that it left`);
      const beyond = await this.#take(id.replace(/:(\d+)$/, ':9$1'));
      if (beyond.response.status !== 400) raw.violated(`gets ${beyond.response.status} after what never was`);
      beyond.leave();
    }
  }

  /** A process that stands still for a while ends no call without a word. */
  async standsStill(): Promise<void> {
    const raw = this.#raw;
    const { world, plan } = raw.parts;
    const { id } = await this.#left('steps');
    if (id === undefined) return;
    for (let node = 0; node < plan.nodes; node++) raw.parts.stop(node, 1_000 + node * 9_000);
    const begun = world.now;
    for (let tries = 0; tries < 12; tries++) {
      const taken = await this.#take(id);
      const text = taken.response.status === 200 ? await this.#rest(taken) : '';
      if (text.includes(`steps ${this.#key}`) || text.includes('"error"')) break;
      if (taken.response.status === 400) break;
      if (world.now - begun > maxMs) return raw.violated('is not answered where a process stands still');
      await raw.sleep(1_000);
    }
    await raw.sleep(Math.max(0, begun + 30_000 - world.now));
  }

  /** The stream for what belongs to no request: who takes it up several times at once has one of it, and what changes is told on that. */
  async news(): Promise<void> {
    const raw = this.#raw;
    const first = await this.#open();
    if (first.response.status !== 200) return raw.violated(`gets ${first.response.status} for its stream`);
    raw.parts.change();
    const id = /^id: (.+)$/m.exec((await this.#within(first.heard.take(/^id: .+$/m))) ?? '')?.[1];
    first.leave();
    if (id === undefined) return raw.violated('is told no place of its stream');
    const all = await Promise.all([this.#take(id), this.#take(id), this.#take(id)]);
    await raw.sleep(newsMs);
    const open = all.filter(({ response, heard }) => response.status === 200 && !heard.isOver);
    if (open.length > 1) raw.violated(`has ${open.length} streams for what belongs to no request`);
    const plain = await raw.send('GET', undefined, open.length > 0 ? {} : { Accept: 'application/json' });
    raw.expect('one more stream', open.length > 0 ? 409 : 406, plain);
    for (const one of all) one.leave();
    const late = await this.#take(id);
    if (![200, 400].includes(late.response.status)) raw.violated(`gets ${late.response.status} for the stream it left`);
    late.leave();
    await raw.sleep(newsMs);
    const last = await this.#open();
    raw.parts.change();
    if ((await this.#within(last.heard.take(/list_changed/))) === undefined)
      raw.violated('does not hear what changed on a stream that it opened again');
    last.leave();
  }

  /** What it left is over with the session. */
  async end(): Promise<void> {
    const raw = this.#raw;
    const { id } = await this.#left('steps');
    raw.expect('the end', 204, await raw.send('DELETE', undefined));
    await raw.sleep(newsMs);
    const gone = await this.#take(id ?? 'nobodys-1:1');
    if (gone.response.status !== 404) raw.violated(`gets ${gone.response.status} for a session that ended`);
  }

  /** Calls a tool, and leaves when the first event has come that has an id. */
  async #left(name: string): Promise<{ readonly id: string | undefined; readonly first: string }> {
    const params = { name, arguments: { key: ++this.#key }, _meta: { progressToken: `p${this.#key}` } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: `call-${this.#key}`, method: 'tools/call', params });
    const given = new AbortController();
    const response = await this.#raw.open('POST', body, {}, given.signal);
    const heard = new Heard(response);
    const first = (await this.#within(heard.take(/^id: .+$/m))) ?? '';
    given.abort(new Error('enough'));
    return { id: /^id: (.+)$/m.exec(first)?.[1], first };
  }

  async #open(headers: Readonly<Record<string, string>> = {}): Promise<Open> {
    const given = new AbortController();
    const response = await this.#raw.open('GET', undefined, headers, given.signal);
    return { response, heard: new Heard(response), leave: () => given.abort(new Error('enough')) };
  }

  async #take(id: string): Promise<Open> {
    return await this.#open({ 'Last-Event-ID': id });
  }

  /** All that a stream says until it ends, or has had its time. */
  async #rest({ heard, leave }: Open): Promise<string> {
    await this.#within(heard.ended, 30_000);
    leave();
    return heard.text;
  }

  async #within<T>(work: Promise<T>, ms: number = newsMs): Promise<T | undefined> {
    return await Promise.race([work, this.#raw.sleep(ms).then(() => undefined)]);
  }
}
