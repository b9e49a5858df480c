import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { z } from 'zod';
import { createServer } from '../../server/server.ts';
import { listen } from './server/http.ts';

/** What the tests use of the official clients, whose types differ between their versions. */
interface OfficialClient {
  connect(transport: unknown): Promise<void>;
  callTool(params: { name: string; arguments?: unknown }): Promise<{ content: { text: string }[] }>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: { text: string }[] }>;
  getPrompt(params: { name: string }): Promise<{ messages: { content: { text: string } }[] }>;
  close(): Promise<void>;
}

interface Modules {
  readonly Client: new (info: { name: string; version: string }, options?: unknown) => OfficialClient;
  readonly StreamableHTTPClientTransport: new (url: URL) => object;
}

async function uses(t: TestContext, { Client, StreamableHTTPClientTransport }: Modules, options?: object) {
  const server = createServer({ name: 'host', version: '1.0.0' });
  const weather = createServer({ name: 'weather', version: '1.0.0' });
  const input = z.object({ city: z.string().meta({ 'x-mcp-header': 'City' }) });
  const output = z.object({ says: z.string() });
  weather.tool('forecast', { input, output }, ({ city }) => ({ says: `sunny in ${city}` }));
  weather.resource('weather://today', { name: 'today' }, () => 'sunny');
  weather.prompt('ask', {}, () => 'How is it?');
  server.mount('weather', weather);
  const listening = await listen(server, { port: 0, drainTimeoutMs: 100 });
  t.after(() => listening.close());
  const client = new Client({ name: 'official', version: '1' }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(listening.url)));
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['weather__forecast'],
  );
  const { content } = await client.callTool({ name: 'weather__forecast', arguments: { city: 'Oslo' } });
  assert.equal(content[0]?.text, '{"says":"sunny in Oslo"}');
  assert.equal((await client.readResource({ uri: 'weather://today' })).contents[0]?.text, 'sunny');
  assert.equal((await client.getPrompt({ name: 'weather__ask' })).messages[0]?.content.text, 'How is it?');
  await client.close();
}

test('the official client of version 1.32.2 uses what is mounted', async (t) => {
  // The packages are test dependencies; these two paths export these two classes.
  const client = (await import('sdk-1.32.2/client/index.js')) as unknown as Modules;
  const transport = (await import('sdk-1.32.2/client/streamableHttp.js')) as unknown as Modules;
  await uses(t, { ...client, StreamableHTTPClientTransport: transport.StreamableHTTPClientTransport });
});

for (const mode of ['auto', 'legacy'])
  test(`the official client of version 2.4.0 uses what is mounted, when its negotiation is ${mode}`, async (t) => {
    // The package exports both classes, with these parts of their interface.
    const modules = (await import('@modelcontextprotocol/client')) as unknown as Modules;
    await uses(t, modules, { versionNegotiation: { mode } });
  });
