/** A client and a server of one process that speak over HTTP; writes what was seen as JSON. See `later-revision.ts`. */

import { connect, createHandler, createServer, httpTransport, McpError } from '../../packages/parley/src/index.ts';
import type { FetchRequest, FetchResponse } from '../../packages/parley/src/http.ts';

/** What was seen of a call in the newest revision. */
export interface Seen {
  readonly revision: string;
  /** The headers of `tools/call` that mirror its body. */
  readonly mirrored: readonly string[];
  readonly versionHeader: string | null;
  /** What the call gave, and the keys of `_meta` that its result has on the wire. */
  readonly text: unknown;
  readonly meta: readonly string[];
  /** What the result of a tool says that asks its client. */
  readonly asking: unknown;
  /** The code under which an application's own error arrived. */
  readonly code: unknown;
  /** Whether a subscription opened a stream of its own. */
  readonly listens: boolean;
}

interface Exchanged {
  readonly headers: Headers;
  readonly method: string;
  readonly answer: { readonly result?: Readonly<Record<string, unknown>>; readonly error?: { readonly code: number } };
}

const server = createServer({ name: 'played', version: '1' });
server.tool('hello', {}, () => 'hello');
server.tool('ask', {}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(' '));
server.tool('own', {}, () => {
  throw new McpError(-32050, 'an error of its own');
});

const handler = createHandler(server);
const exchanged: Exchanged[] = [];

async function fetch(url: string, sent: FetchRequest): Promise<FetchResponse> {
  const request = new Request(url, sent as RequestInit);
  const { method } = (await request.clone().json()) as { method: string };
  const response = await handler(request);
  const whole = response.headers.get('content-type') === 'application/json';
  const answer = whole ? ((await response.clone().json()) as Exchanged['answer']) : {};
  exchanged.push({ headers: request.headers, method, answer });
  return response as unknown as FetchResponse;
}

const client = await connect(httpTransport('http://localhost/mcp', { fetch }), { roots: [{ uri: 'file:///x' }] });

async function called(name: string): Promise<Exchanged> {
  const before = exchanged.length;
  await client.callTool(name, {}).catch(() => undefined);
  const [first] = exchanged.slice(before);
  if (first === undefined) throw new Error(`nothing was sent for ${name}`);
  return first;
}

const hello = await called('hello');
const result = hello.answer.result ?? {};
const asking = await called('ask');
const own = await called('own');
const before = exchanged.length;
const subscription = await client.subscribe({ tools: true }, () => {}).catch(() => undefined);
const listens = exchanged.slice(before).some(({ method }) => method === 'subscriptions/listen');
const seen: Seen = {
  revision: client.revision,
  mirrored: ['mcp-method', 'mcp-name'].filter((name) => hello.headers.has(name)),
  versionHeader: hello.headers.get('mcp-protocol-version'),
  text: (result['content'] as readonly { readonly text: string }[] | undefined)?.[0]?.text,
  meta: Object.keys((result['_meta'] as object | undefined) ?? {}),
  asking: asking.answer.result?.['resultType'],
  code: own.answer.error?.code,
  listens,
};
await subscription?.close();
await client.close();
console.log(JSON.stringify(seen));
