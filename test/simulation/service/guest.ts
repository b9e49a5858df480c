/**
 * A client that says what it likes, by bytes of its own: what must be refused, what waits for it while it has no stream, and a session that it ends. It
 * looks at nothing again by itself, as clients of ours do after a gap, so that only what it is told counts.
 */

import type { FetchResponse } from '../../../src/http/client/fetch.ts';
import type { Process, World } from '../world.ts';
import type { Judge } from './judge.ts';
import type { Network } from './network.ts';
import type { Plan } from './plan.ts';

/** Where a guest is. */
export interface GuestParts {
  readonly world: World;
  readonly plan: Plan;
  readonly judge: Judge;
  readonly network: Network;
  /** Adds a tool to every process. */
  change(): void;
}

type Headers = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly session: string | null;
}

/** The longest that news take from one process to another, in milliseconds. */
const newsMs = 5_000;

/** Runs a guest to its end. */
export async function beGuest(process: Process, parts: GuestParts): Promise<void> {
  await new Guest(process, parts).run();
}

class Guest {
  readonly #process: Process;
  readonly #parts: GuestParts;
  readonly #revision: string;
  #session: Headers = {};
  #ids = 0;

  constructor(process: Process, parts: GuestParts) {
    this.#process = process;
    this.#parts = parts;
    this.#revision = parts.plan.revision;
  }

  async run(): Promise<void> {
    const capabilities = {};
    const clientInfo = { name: 'guest', version: '1' };
    const opened = await this.#request('initialize', { protocolVersion: this.#revision, capabilities, clientInfo });
    this.#session = { 'Mcp-Session-Id': opened.session ?? '', 'MCP-Protocol-Version': this.#revision };
    this.#expect('a notification', 202, await this.#post({ method: 'notifications/initialized' }));
    await this.#refusals();
    await this.#waits();
    this.#expect('the end', 204, await this.#send('DELETE', undefined));
    await this.#sleep(newsMs);
    for (let tries = 0; tries < 6; tries++)
      this.#expect('a request in a session that ended', 404, await this.#request('ping', {}));
    this.#expect('a stream of a session that ended', 404, await this.#send('GET', undefined));
  }

  /** What every process must refuse, and live. */
  async #refusals(): Promise<void> {
    const ping = { jsonrpc: '2.0', id: 'x', method: 'ping' };
    this.#expect('no JSON', 400, await this.#send('POST', '{"jsonrpc"'));
    this.#expect('no message', 400, await this.#send('POST', '{"id":[]}'));
    this.#expect('a type', 415, await this.#send('POST', 'x', { 'Content-Type': 'text/plain' }));
    this.#expect('a method of HTTP', 405, await this.#send('PUT', '{}'));
    this.#expect('no event stream', 406, await this.#send('GET', undefined, { Accept: 'application/json' }));
    this.#expect('an event', 400, await this.#send('GET', undefined, { 'Last-Event-ID': 'nobodys-1:1' }));
    this.#expect('an event', 400, await this.#send('GET', undefined, { 'Last-Event-ID': '???' }));
    const strange = { 'Mcp-Session-Id': 'a'.repeat(48) };
    this.#expect('an unknown session', 404, await this.#send('POST', JSON.stringify(ping), strange));
    this.#expect('an unknown session', 404, await this.#send('GET', undefined, strange));
    this.#expect('an unknown session', 404, await this.#send('DELETE', undefined, strange));
    this.#expect('no session', 400, await this.#send('POST', JSON.stringify(ping), { 'Mcp-Session-Id': '' }));
    const both = await this.#send('POST', JSON.stringify([ping, { ...ping, id: 'y' }]));
    this.#expect('a batch', this.#revision === '2025-03-26' ? 200 : 400, both);
    this.#expect('an answer that nobody waits for', 202, await this.#post({ id: 'nobody', result: {} }));
    this.#expect('an unknown method', 200, await this.#request('nothing/at-all', {}));
    this.#expect('an unknown tool', 200, await this.#request('tools/call', { name: 'none', arguments: {} }));
    const again = await this.#request('initialize', { protocolVersion: this.#revision });
    if (!again.text.includes('"error"')) this.#violated(`begins twice: ${again.text}`);
  }

  /** What changes while it has no stream waits for it; and it has one stream. */
  async #waits(): Promise<void> {
    this.#parts.change();
    await this.#sleep(newsMs);
    const given = new AbortController();
    const stream = await this.#open('GET', undefined, {}, given.signal);
    if (stream.status !== 200) return this.#violated(`gets ${stream.status} for its stream`);
    const told = this.#read(stream, 'notifications/tools/list_changed');
    if (!(await Promise.race([told, this.#sleep(newsMs).then(() => false)])))
      this.#violated('does not hear what changed before it had a stream');
    this.#expect('a second stream', 409, await this.#send('GET', undefined));
    given.abort(new Error('enough'));
    await this.#sleep(newsMs);
  }

  async #read({ body }: FetchResponse, wanted: string): Promise<boolean> {
    const reader = body?.getReader();
    let text = '';
    try {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) return false;
        text += new TextDecoder().decode(value);
        if (text.includes(wanted)) return true;
      }
    } catch {
      return false;
    }
  }

  async #request(method: string, params: object): Promise<Answer> {
    return await this.#post({ id: ++this.#ids, method, params });
  }

  async #post(message: object): Promise<Answer> {
    return await this.#send('POST', JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  async #send(method: string, body: string | undefined, headers: Headers = {}): Promise<Answer> {
    const given = new AbortController();
    const response = await this.#open(method, body, headers, given.signal);
    const reader = response.body?.getReader();
    let text = '';
    // A stream that was not meant to be one would never end.
    for (let pieces = 0; reader !== undefined && pieces < 20; pieces++) {
      const { done, value } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    return { status: response.status, text, session: response.headers.get('mcp-session-id') };
  }

  async #open(method: string, body: string | undefined, headers: Headers, signal: AbortSignal): Promise<FetchResponse> {
    const all = Object.entries({ ...this.#session, ...headers }).filter(([, value]) => value !== '');
    const accept = method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream';
    const fetch = this.#parts.network.fetchOf(this.#process, { isCalm: true });
    return await fetch('http://localhost/mcp', {
      method,
      redirect: 'manual',
      headers: { Accept: accept, 'Content-Type': 'application/json', ...Object.fromEntries(all) },
      ...(body === undefined ? {} : { body }),
      signal,
    });
  }

  #expect(what: string, status: number, answer: Answer): void {
    if (answer.status !== status)
      this.#violated(`is answered ${answer.status} and not ${status} for ${what}: ${answer.text.slice(0, 200)}`);
  }

  #violated(words: string): void {
    this.#parts.judge.violated(`${this.#process.name} ${words}`);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#parts.world.later(ms, this.#process, resolve));
  }
}
