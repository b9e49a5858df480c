/** A client by bytes of its own: it says what it likes, and looks at nothing again by itself. */

import type { FetchResponse } from '../../../packages/parley/src/jsonrpc/fetch.ts';
import type { Process, World } from '../world.ts';
import type { Judge } from './judge.ts';
import type { Network } from './network.ts';
import { clientHeader } from './node.ts';
import type { Plan } from './plan.ts';
import type { Tokens } from './tokens.ts';

/** Where a guest is. */
export interface GuestParts {
  readonly world: World;
  readonly plan: Plan;
  readonly judge: Judge;
  readonly network: Network;
  readonly tokens?: Tokens | undefined;
  /** Lets a process of the service stand still for a while. */
  stop(node: number, ms: number): void;
  /** Adds a tool to every process. */
  change(): void;
}

export type Headers = Readonly<Record<string, string>>;

/** What a request was answered with. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly session: string | null;
}

/** The longest that news take from one process to another, in milliseconds. */
export const newsMs = 5_000;

/** How a guest is known, and the keys that are its own. */
export const guestName = 'c90';
export const guestKey = 900_000;

/** One that says what it likes. */
export class Raw {
  /** Those of every request. */
  headers: Headers = {};
  path = '/mcp';
  readonly parts: GuestParts;
  readonly #process: Process;
  #ids = 0;

  constructor(process: Process, parts: GuestParts) {
    this.#process = process;
    this.parts = parts;
  }

  async request(method: string, params: object, headers: Headers = {}, signal?: AbortSignal): Promise<Answer> {
    const text = JSON.stringify({ jsonrpc: '2.0', id: ++this.#ids, method, params });
    return await this.send('POST', text, headers, signal);
  }

  async post(message: object, headers: Headers = {}): Promise<Answer> {
    return await this.send('POST', JSON.stringify({ jsonrpc: '2.0', ...message }), headers);
  }

  async send(
    method: string,
    body: string | undefined,
    headers: Headers = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Answer> {
    const response = await this.open(method, body, headers, signal);
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

  async open(method: string, body: string | undefined, headers: Headers, signal: AbortSignal): Promise<FetchResponse> {
    const { tokens } = this.parts;
    const known = tokens === undefined ? {} : { authorization: `Bearer ${tokens.give(guestName)}` };
    const own = { [clientHeader]: guestName, ...known, ...this.headers, ...headers };
    const all = Object.entries(own).filter(([, value]) => value !== '');
    const accept = method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream';
    const fetch = this.parts.network.fetchOf(this.#process, { isCalm: true });
    return await fetch(`http://localhost${this.path}`, {
      method,
      redirect: 'manual',
      headers: { Accept: accept, 'Content-Type': 'application/json', ...Object.fromEntries(all) },
      ...(body === undefined ? {} : { body }),
      signal,
    });
  }

  expect(what: string, status: number, answer: Answer): void {
    if (answer.status !== status)
      this.violated(`is answered ${answer.status} and not ${status} for ${what}: ${answer.text.slice(0, 200)}`);
  }

  violated(words: string): void {
    this.parts.judge.violated(`${this.#process.name} ${words}`);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.parts.world.later(ms, this.#process, resolve));
  }
}

/** What comes on a stream. */
export class Heard {
  #text = '';
  #over = false;
  /** Resolves when it says no more. */
  readonly ended: Promise<void>;
  #wake = (): void => undefined;

  constructor({ body }: FetchResponse) {
    this.ended = this.#read(body);
  }

  /** What it said that was not taken yet. */
  get text(): string {
    return this.#text;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Everything that follows what was taken before, up to some words and with them; `undefined` when the stream ends without. */
  async take(words: RegExp): Promise<string | undefined> {
    for (;;) {
      const found = words.exec(this.#text);
      if (found !== null) {
        this.#text = this.#text.slice(found.index + found[0].length);
        return found[0];
      }
      if (this.#over) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async #read(body: FetchResponse['body']): Promise<void> {
    const reader = body?.getReader();
    try {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) break;
        this.#text += new TextDecoder().decode(value);
        this.#wake();
      }
    } catch {
      // It broke off, or was left.
    }
    this.#over = true;
    this.#wake();
  }
}
