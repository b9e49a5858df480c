import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { define, World } from './definition.ts';
import { startService, url, type Service } from './service.ts';

const revisions = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;

for (const revision of revisions)
  test(`our client of ${revision} notices nothing of three processes that take its requests in turn`, async (t) => {
    const world = new World();
    const service = startService(t, define(world), { nodes: 3 });
    for (const step of ['step 1', 'step 2', 'step 3', 'end']) world.pass(step);
    let asked = 0;
    const client = await connect(url, {
      fetch: service.fetch,
      revisions: [revision],
      roots: () => {
        asked++;
        return [{ uri: 'file:///a', name: 'Ada' }];
      },
      onElicit: () => {
        asked++;
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    assert.equal((await client.listTools()).length, 4);
    for (let calls = 0; calls < 3; calls++)
      assert.deepEqual((await client.callTool('ask')).content, [{ type: 'text', text: 'hello, Ada' }]);
    assert.equal(asked, 3);
    const heard: number[] = [];
    await client.callTool('steps', {}, { onProgress: ({ progress }) => heard.push(progress) });
    assert.deepEqual(heard, [1, 2, 3]);
    let hear = (): void => undefined;
    const updated = new Promise<void>((resolve) => (hear = resolve));
    await client.subscribe({ updates: ['note://1'] }, ({ type }) => type === 'update' && hear());
    const stop = setInterval(() => service.nodes.forEach(({ server }) => server.resourceUpdated('note://1')), 20);
    await updated;
    clearInterval(stop);
    await client.close();
    const statuses = service.log.filter(({ status }) => status >= 400 && status !== 405);
    assert.deepEqual(statuses, []);
    assert.ok(new Set(service.log.map(({ node }) => node)).size === 3);
    assert.deepEqual(service.errors, []);
  });

/** What is used of the client classes of the official SDKs, whose own types differ from one to the next. */
interface Official {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly unknown[] }>;
  callTool(params: object): Promise<unknown>;
  setRequestHandler(schema: unknown, handler: () => unknown): void;
  close(): Promise<void>;
}
type OfficialClass = new (info: object, options: object) => Official;
type TransportClass = new (url: URL, options: object) => { terminateSession?(): Promise<void> };

const me = { name: 'c', version: '1' };

/** Lists, calls, is asked, and ends its session. */
async function exercise(client: Official, Transport: TransportClass, service: Service): Promise<unknown> {
  const transport = new Transport(new URL(url), { fetch: service.fetch });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const answers: unknown[] = [];
  for (let calls = 0; calls < 3; calls++) answers.push(await client.callTool({ name: 'ask', arguments: {} }));
  await transport.terminateSession?.();
  await client.close();
  return { tools: tools.length, answers };
}

describe('clients of others notice nothing of three processes that take their requests in turn', () => {
  const answer = { content: [{ type: 'text', text: 'hello, Ada' }] };
  const expected = { tools: 4, answers: [answer, answer, answer] };
  const elicited = { action: 'accept', content: { name: 'Ada' } };
  const roots = { roots: [{ uri: 'file:///a', name: 'Ada' }] };

  // Older ones cannot be given a fetch.
  for (const version of ['1.20.0', '1.32.2'])
    it(`SDK ${version}`, async (t) => {
      const service = startService(t, define(new World()), { nodes: 3 });
      const load = (file: string): Promise<Record<string, unknown>> => import(`sdk-${version}/${file}`);
      const [index, http, types] = await Promise.all([
        load('client/index.js'),
        load('client/streamableHttp.js'),
        load('types.js'),
      ]);
      // The SDK exports these names from these files.
      const client = new (index['Client'] as OfficialClass)(me, { capabilities: { elicitation: {}, roots: {} } });
      if (types['ElicitRequestSchema'] !== undefined)
        client.setRequestHandler(types['ElicitRequestSchema'], () => elicited);
      client.setRequestHandler(types['ListRootsRequestSchema'], () => roots);
      assert.deepEqual(
        await exercise(client, http['StreamableHTTPClientTransport'] as TransportClass, service),
        expected,
      );
      assert.deepEqual(service.errors, []);
    });

  it('client 2.4', async (t) => {
    const service = startService(t, define(new World()), { nodes: 3 });
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const capabilities = { elicitation: { form: {} }, roots: {} };
    // Their types say more than is needed here; the methods are the same.
    const client = new (Client as unknown as OfficialClass)(me, {
      capabilities,
      versionNegotiation: { mode: 'legacy' },
    });
    client.setRequestHandler('elicitation/create', () => elicited);
    client.setRequestHandler('roots/list', () => roots);
    const Transport = StreamableHTTPClientTransport as unknown as TransportClass;
    assert.deepEqual(await exercise(client, Transport, service), expected);
    assert.deepEqual(service.errors, []);
  });
});
