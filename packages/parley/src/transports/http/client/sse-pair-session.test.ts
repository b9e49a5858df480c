import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { listen, sending } from '../../../../../../test/support/http-answers.ts';
import type { Authorization } from '../../../auth/common/authorizer.ts';
import { connect, type Client, type HttpTransportOptions } from '../../../client.ts';
import { ssePairTransport } from './sse-pair.ts';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
}

type Answer = readonly [status: number, body?: string];

interface Served {
  readonly client: Client;
  /** What came: the method and the number of its session. */
  readonly came: readonly string[];
  readonly warnings: readonly string[];
  /** Forgets all sessions, and leaves their streams open. */
  forget(): void;
}

interface Odd {
  /** Answer to a message in a session that is not known. */
  readonly unknown: Answer;
  /** Answer to a message in a known session, in place of the usual one. */
  known?(message: Message): Answer | undefined;
  readonly options?: HttpTransportOptions;
}

/** A client of a server of 2024-11-05 over HTTP+SSE, whose streams outlive its sessions. */
async function served(t: TestContext, { unknown, known, options }: Odd): Promise<Served> {
  const streams: ServerResponse[] = [];
  let first = 0;
  const [came, warnings]: [string[], string[]] = [[], []];
  const url = await listen(t, async (request, response) => {
    if (request.method === 'GET') {
      came.push(`GET ${streams.length}`);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /messages?id=${streams.length}\n\n`);
      return void streams.push(response);
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const message = JSON.parse(text) as Message;
    const { id, method } = message;
    const session = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('id'));
    came.push(`${method} ${session}`);
    const own = session < first ? unknown : known?.(message);
    if (own !== undefined) return void response.writeHead(own[0], { 'content-type': 'text/plain' }).end(own[1]);
    response.writeHead(202).end('Accepted');
    if (id === undefined) return;
    const info = {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    };
    const result = method === 'initialize' ? info : method === 'tools/list' ? { tools: [] } : { content: [] };
    streams[session]?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  });
  const transport = ssePairTransport(new URL('/sse', url), { ...sending, ...options });
  const client = await connect(transport, {
    revisions: ['2024-11-05'],
    onWarning: (message) => void warnings.push(message),
  });
  t.after(() => client.close());
  came.length = 0;
  return { client, came, warnings, forget: () => void (first = streams.length) };
}

const begun = (session: number): readonly string[] => [
  `GET ${session}`,
  `initialize ${session}`,
  `notifications/initialized ${session}`,
  `tools/list ${session}`,
];

for (const [title, unknown, asked, session] of [
  ['401 without a challenge', [401, 'Session not found'], ['GET 1', 'ping 1'], 2],
  ['403', [403], ['GET 1', 'ping 1'], 2],
  ['400', [400, 'Session terminated'], [], 1],
  ['404', [404], [], 1],
  ['410', [410], [], 1],
] as const)
  test(`a stream whose session is lost, as ${title} says, gives way to a new one`, async (t) => {
    const { client, came, warnings, forget } = await served(t, { unknown });
    forget();
    assert.deepEqual(await client.listTools(), []);
    assert.deepEqual(came, ['tools/list 0', 'ping 0', ...asked, ...begun(session)]);
    forget();
    await assert.rejects(client.callTool('x'), { reason: 'session-lost', message: /nothing ran/ });
    assert.deepEqual((await client.callTool('x')).content, []);
    assert.deepEqual(warnings, []);
  });

for (const [status, reason] of [
  [400, 'http'],
  [401, 'unauthorized'],
  [403, 'http'],
  [404, 'http'],
] as const)
  test(`a call over HTTP+SSE that is refused with ${status} for its own sake stays refused`, async (t) => {
    const { client, came, warnings } = await served(t, {
      unknown: [404],
      known: ({ method }) => (method === 'tools/call' ? [status, 'Session not found'] : undefined),
    });
    await assert.rejects(client.callTool('x'), { reason, status });
    assert.deepEqual(came, ['tools/call 0', 'ping 0']);
    assert.deepEqual(await client.listTools(), []);
    assert.deepEqual(warnings, []);
  });

test('credentials that HTTP+SSE refuses everywhere are not taken for a lost session', async (t) => {
  let revoked = false;
  const { client, came } = await served(t, {
    unknown: [404],
    known: () => (revoked ? [401, 'key revoked'] : undefined),
  });
  revoked = true;
  await assert.rejects(client.callTool('x'), { reason: 'unauthorized', status: 401 });
  assert.deepEqual(came, ['tools/call 0', 'ping 0', 'GET 1', 'ping 1']);
});

test('a session that is lost over HTTP+SSE starts no login', async (t) => {
  let refused = 0;
  const bind: Authorization['bind'] = () => ({
    headers: () => ({ authorization: 'Bearer x' }),
    refused: async () => ++refused === 1,
  });
  const auth: Authorization = { bind, context: () => 'me' };
  const { client, forget } = await served(t, { unknown: [401, 'Session not found'], options: { auth } });
  forget();
  assert.deepEqual(await client.listTools(), []);
  assert.equal(refused, 0);
});
