/** A small client that makes one mistake, or none, and speaks for itself, so that nothing of ours hides it. */

/** Mistakes that it can make. */
export type Mistake =
  | 'ids-again'
  | 'batched-initialize'
  | 'other-version-header'
  | 'one-accept'
  | 'no-name-header'
  | 'keeps-bad-header-tool'
  | 'session-404-ignored'
  | 'alters-state'
  | 'same-id-retry'
  | 'fetches-ref'
  | 'fetches-icon'
  | 'fetches-page'
  | 'opens-page'
  | 'ends-at-empty-cursor'
  | 'root-is-http'
  | 'task-of-another-session'
  | 'closes-without-word'
  | 'cancels-by-word'
  | 'comes-back-early'
  | 'never-comes-back'
  | 'names-first-event'
  | 'posts-again'
  | 'same-id-after-break';

type Json = Readonly<Record<string, unknown>>;

/** Messages of a response, be it a body or a stream. */
async function* messagesOf(response: Response): AsyncGenerator<Json> {
  const text = response.headers.get('content-type') ?? '';
  if (!text.startsWith('text/event-stream')) {
    const body = await response.text();
    if (body !== '') yield* [JSON.parse(body) as Json].flat();
    return;
  }
  let rest = '';
  for await (const piece of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = /(?:^|\n)data: ([^\n]*)/.exec(event)?.[1];
      if (data !== undefined) yield* [JSON.parse(data) as Json].flat();
    }
  }
}

/** What the person of the client says to pages, and what the client declares beside them. */
export interface RawPerson {
  readonly says?: 'accept' | 'decline';
  readonly hasRoots?: boolean;
}

/** The client in one revision. */
export class RawClient {
  readonly #url: string;
  readonly #revision: string;
  readonly #mistake: Mistake | undefined;
  readonly #person: RawPerson;
  #id = 0;
  /** Id of the request that was sent last. */
  #asked = 0;
  #session: string | undefined;

  constructor(url: string, revision: string, mistake?: Mistake, person: RawPerson = {}) {
    this.#person = person;
    this.#url = url;
    this.#revision = revision;
    this.#mistake = mistake;
  }

  get #isStateless(): boolean {
    return this.#revision === '2026-07-28';
  }

  /** Does all that a client is asked to do. */
  async run(): Promise<void> {
    if (!this.#isStateless) await this.#open();
    const tools = await this.#list();
    if (this.#mistake === 'fetches-ref') for (const ref of refsIn(tools)) await (await fetch(ref)).text();
    if (this.#mistake === 'fetches-icon') for (const icon of iconsIn(tools)) await (await fetch(icon)).text();
    await this.#request('tools/call', { name: 'echo', arguments: { text: 'hello' } });
    await this.#ask();
    await this.#dropped();
    await this.#request('tools/call', { name: 'slow', arguments: {} });
    await this.#giveUp();
    if (this.#isStateless) {
      const region = { region: 'Malmö' };
      await this.#request(
        'tools/call',
        { name: 'region', arguments: region },
        { 'mcp-param-region': '=?base64?TWFsbcO2?=' },
      );
      if (this.#mistake === 'keeps-bad-header-tool')
        await this.#request('tools/call', { name: 'bad_header', arguments: region });
      return;
    }
    const { status } = await this.#request('tools/call', { name: 'lost', arguments: {} });
    if (status === 404 && this.#mistake !== 'session-404-ignored') await this.#open();
    await this.#request('tools/call', { name: 'echo', arguments: { text: 'again' } });
    const task = this.#mistake === 'task-of-another-session' ? { task: {} } : {};
    await this.#request('tools/call', { name: 'slow', arguments: {}, ...task });
    await fetch(this.#url, { method: 'DELETE', headers: this.#headers() });
  }

  async #open(): Promise<void> {
    this.#session = undefined;
    const clientInfo = { name: 'raw', version: '1' };
    const { hasRoots = true } = this.#person;
    const capabilities = {
      ...(hasRoots && { roots: {} }),
      ...(this.#revision === '2025-11-25' && { elicitation: { url: {} } }),
    };
    const params = { protocolVersion: this.#revision, capabilities, clientInfo };
    const message = { jsonrpc: '2.0', id: ++this.#id, method: 'initialize', params };
    const headers = { accept: this.#accept, 'content-type': 'application/json' };
    const body = JSON.stringify(this.#mistake === 'batched-initialize' ? [message] : message);
    const response = await fetch(this.#url, { method: 'POST', headers, body });
    this.#session = response.headers.get('mcp-session-id') ?? undefined;
    await response.text();
    await this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async #list(): Promise<readonly Json[]> {
    const tools: Json[] = [];
    let cursor: unknown;
    for (;;) {
      const { message } = await this.#request('tools/list', cursor === undefined ? {} : { cursor });
      const { tools: page = [], nextCursor } = (message?.['result'] ?? {}) as {
        tools?: readonly Json[];
        nextCursor?: unknown;
      };
      tools.push(...page);
      const isEnd = this.#mistake === 'ends-at-empty-cursor' ? !nextCursor : nextCursor === undefined;
      if (isEnd) return tools;
      cursor = nextCursor;
    }
  }

  async #ask(): Promise<void> {
    let params: Json = { name: 'ask', arguments: {} };
    for (;;) {
      const { message } = await this.#request('tools/call', params);
      const { inputRequests, requestState } = (message?.['result'] ?? {}) as {
        inputRequests?: Json;
        requestState?: string;
      };
      if (inputRequests === undefined) return;
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, this.#roots]));
      const state = this.#mistake === 'alters-state' ? requestState?.trim() : requestState;
      params = { name: 'ask', arguments: {}, inputResponses, ...(state === undefined ? {} : { requestState: state }) };
      if (this.#mistake === 'same-id-retry') this.#id--;
    }
  }

  /** Calls what has no end, and gives it up: by a notification in a session, and else by closing the stream. */
  async #giveUp(): Promise<void> {
    const gone = new AbortController();
    const running = this.#request('tools/call', { name: 'endless', arguments: {} }, {}, gone.signal).catch(
      () => undefined,
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    const closes =
      this.#mistake === 'closes-without-word' || (this.#isStateless && this.#mistake !== 'cancels-by-word');
    if (!closes)
      await this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: this.#asked } });
    if (closes) gone.abort();
    else if (this.#isStateless) return;
    await running;
  }

  /** Calls what breaks off, and gets the answer: by its last event, or by another call. */
  async #dropped(): Promise<void> {
    const params = { name: 'dropped', arguments: {} };
    if (this.#isStateless) {
      await this.#request('tools/call', params);
      if (this.#mistake === 'same-id-after-break') this.#id--;
      await this.#request('tools/call', params);
    } else if (this.#revision > '2024-11-05') {
      const message = { jsonrpc: '2.0', id: ++this.#id, method: 'tools/call', params };
      let text = await (await this.#send(message)).text();
      const first = eventOf(text);
      if (this.#mistake === 'never-comes-back') {
        await wait(4_000);
        return;
      }
      while (!text.includes('was answered')) {
        if (this.#mistake === 'posts-again') {
          await this.#send({ ...message, id: ++this.#id }, { 'last-event-id': eventOf(text) ?? '' });
          return;
        }
        await wait(this.#mistake === 'comes-back-early' ? 300 : Number(/retry: (\d+)/.exec(text)?.[1] ?? 0));
        const id = (this.#mistake === 'names-first-event' ? first : eventOf(text)) ?? '';
        const headers = { ...this.#headers(), accept: 'text/event-stream', 'last-event-id': id };
        text = await (await fetch(this.#url, { headers })).text();
      }
    }
  }

  get #roots(): Json {
    return { roots: [{ uri: this.#mistake === 'root-is-http' ? 'https://example.com/' : 'file:///tmp' }] };
  }

  async #request(
    method: string,
    params: Json,
    headers: Json = {},
    signal?: AbortSignal,
  ): Promise<{ readonly status: number; readonly message?: Json }> {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': this.#revision,
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    };
    const id = this.#mistake === 'ids-again' ? 7 : ++this.#id;
    this.#asked = id;
    const whole = this.#isStateless ? { ...params, _meta: meta } : params;
    const response = await this.#send({ jsonrpc: '2.0', id, method, params: whole }, headers, signal);
    for await (const message of messagesOf(response)) {
      if (message['id'] === id && message['method'] === undefined) return { status: response.status, message };
      if (message['id'] !== undefined && message['method'] !== undefined) await this.#answer(message);
    }
    return { status: response.status };
  }

  async #answer({ id, method, params }: Json): Promise<void> {
    const { url, mode } = (params ?? {}) as Json;
    const { says = 'decline', hasRoots = true } = this.#person;
    const said = mode === 'url' ? { action: says } : undefined;
    const opens = says === 'accept' || this.#mistake === 'fetches-page';
    if (said !== undefined && opens) await (await fetch(String(url))).text();
    const results: Readonly<Record<string, Json | undefined>> = {
      ping: {},
      'roots/list': hasRoots ? this.#roots : undefined,
      'elicitation/create': said,
    };
    const result = results[String(method)];
    const error = { code: -32_601, message: 'there is no such method' };
    const response = await this.#send({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
    await response.text();
    if (said !== undefined && this.#mistake === 'opens-page') await (await fetch(String(url))).text();
  }

  async #send(message: Json, more: Json = {}, signal?: AbortSignal): Promise<Response> {
    const { method, params } = message as { method?: string; params?: Json };
    const name = this.#mistake === 'no-name-header' ? undefined : (params?.['name'] ?? params?.['uri']);
    const own = this.#isStateless
      ? { ...(method && { 'mcp-method': method }), ...(typeof name === 'string' && { 'mcp-name': name }), ...more }
      : more;
    const headers = { ...this.#headers(), 'content-type': 'application/json', ...(own as Record<string, string>) };
    const body = JSON.stringify(message);
    return await fetch(this.#url, { method: 'POST', headers, body, ...(signal && { signal }) });
  }

  get #accept(): string {
    return this.#mistake === 'one-accept' ? 'application/json' : 'application/json, text/event-stream';
  }

  #headers(): Record<string, string> {
    const said = this.#mistake === 'other-version-header' ? '2025-03-26' : this.#revision;
    return {
      accept: this.#accept,
      ...(this.#revision >= '2025-06-18' && { 'mcp-protocol-version': said }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
    };
  }
}

/** Id of the last event of a stream. */
function eventOf(text: string): string | undefined {
  return [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1];
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Addresses of the icons of tools. */
function iconsIn(tools: readonly Json[]): readonly string[] {
  return [...JSON.stringify(tools).matchAll(/"src":"(http[^"]*)"/g)].map(([, src = '']) => src);
}

/** Addresses in the schemas of tools. */
function refsIn(tools: readonly Json[]): readonly string[] {
  return [...JSON.stringify(tools).matchAll(/"\$ref":"(http[^"]*)"/g)].map(([, ref = '']) => ref);
}
