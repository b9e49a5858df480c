/** A client that says at which process of a service it asks what. */

import { type Service, url } from './service.ts';
import { stuckAfterMs } from '../support/stuck.ts';

type Json = Readonly<Record<string, unknown>>;

/** An event as it arrived. */
export interface Arrived {
  readonly id?: string;
  readonly message: Json;
}

/** An answer that may be an event stream, as far as it has arrived. */
export class Visit {
  readonly events: Arrived[] = [];
  readonly #left = new AbortController();
  readonly #started: Promise<Response>;
  #status: number | undefined;
  /** The id of the last event, with those that say nothing else. */
  lastId: string | undefined;
  /** Where to POST, as a stream of HTTP+SSE says. */
  endpoint: string | undefined;
  /** How long it was asked last to stay away, in milliseconds. */
  retryMs: number | undefined;
  ended = false;
  broke = false;
  #waiting: (() => void)[] = [];

  constructor(send: (signal: AbortSignal) => Promise<Response>) {
    this.#started = send(this.#left.signal);
    void this.#read();
  }

  /** The status, once it is known. */
  async status(): Promise<number> {
    return (await this.#started).status;
  }

  async headers(): Promise<Headers> {
    return (await this.#started).headers;
  }

  /** The messages without their events. */
  get messages(): readonly Json[] {
    return this.events.map(({ message }) => message);
  }

  /** Goes away, as a client whose connection broke. */
  leave(): void {
    this.#left.abort();
  }

  /** Resolves as soon as something is so; it rejects when that does not come. */
  async until(what: (visit: this) => boolean): Promise<this> {
    const patience = AbortSignal.timeout(stuckAfterMs);
    while (!what(this)) {
      if (this.ended && !what(this))
        throw new Error(`the answer ended before: ${this.#status} ${JSON.stringify(this.messages)}`);
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve);
        patience.addEventListener('abort', () => reject(new Error(`not in time: ${JSON.stringify(this.messages)}`)));
      });
    }
    return this;
  }

  /** The whole answer. */
  async whole(): Promise<this> {
    return await this.until((so) => so.ended);
  }

  async #read(): Promise<void> {
    try {
      const response = await this.#started;
      this.#status = response.status;
      const isStream = response.headers.get('content-type') === 'text/event-stream';
      const decoder = new TextDecoder();
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        if (isStream) text = this.#take(text);
        this.#tell();
      }
      if (!isStream && text !== '') this.events.push({ message: JSON.parse(text) as Json });
    } catch {
      this.broke = true;
    }
    this.ended = true;
    this.#tell();
  }

  #take(text: string): string {
    const frames = text.split('\n\n');
    const rest = frames.pop() ?? '';
    for (const frame of frames) {
      const fields = new Map(
        frame.split('\n').map((line) => [/^[^:]*/.exec(line)?.[0], line.replace(/^[^:]*: ?/, '')]),
      );
      const [id, data] = [fields.get('id'), fields.get('data')];
      if (id !== undefined) this.lastId = id;
      const retry = fields.get('retry');
      if (retry !== undefined) this.retryMs = Number(retry);
      if (fields.get('event') === 'endpoint') this.endpoint = data;
      else if (data !== undefined && data !== '')
        this.events.push({ ...(id === undefined ? {} : { id }), message: JSON.parse(data) as Json });
    }
    return rest;
  }

  #tell(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}

/** A session as its client has it. */
export class Speaker {
  readonly service: Service<unknown>;
  readonly revision: string;
  readonly headers: Record<string, string>;
  #last = 0;

  constructor(service: Service<unknown>, revision: string, headers: Record<string, string> = {}) {
    this.service = service;
    this.revision = revision;
    this.headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers };
  }

  /** Opens the session at one process, and says at another one that it is ready. */
  async open(
    at: number,
    ready: number = at,
    capabilities: Json = { elicitation: {}, roots: {}, sampling: {} },
  ): Promise<this> {
    const opened = this.request(at, 'initialize', {
      protocolVersion: this.revision,
      capabilities,
      clientInfo: { name: 'c', version: '1' },
    });
    await opened.whole();
    this.headers['mcp-session-id'] = (await opened.headers()).get('mcp-session-id') ?? '';
    if (this.revision >= '2025-06-18') this.headers['mcp-protocol-version'] = this.revision;
    await this.say(ready, { method: 'notifications/initialized' }).whole();
    return this;
  }

  /** Sends a request to one process; its id is the next one. */
  request(at: number, method: string, params: Json = {}, id: number = ++this.#last): Visit {
    this.#last = Math.max(this.#last, id);
    return this.say(at, { id, method, params });
  }

  /** Sends any message, or several in a batch. */
  say(at: number, message: Json | readonly Json[], headers: Record<string, string> = {}): Visit {
    const body = Array.isArray(message)
      ? message.map((one: Json) => ({ jsonrpc: '2.0', ...one }))
      : { jsonrpc: '2.0', ...(message as Json) };
    return this.visit(at, { method: 'POST', body: JSON.stringify(body), headers: { ...this.headers, ...headers } });
  }

  /** Opens a stream for what belongs to no request, or takes up one that broke. */
  listen(at: number, lastEventId?: string): Visit {
    const { 'content-type': _, ...headers } = this.headers;
    const more = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return this.visit(at, { headers: { ...headers, accept: 'text/event-stream', ...more } });
  }

  /** Ends the session. */
  end(at: number): Visit {
    const { 'content-type': _, ...headers } = this.headers;
    return this.visit(at, { method: 'DELETE', headers });
  }

  visit(at: number, init: RequestInit): Visit {
    return new Visit((signal) => this.service.to(at)(url, { ...init, signal }));
  }
}
