/** Questions between us and the official software, in both directions. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createRequire } from 'node:module';
import { connect, type Client } from '../packages/parley/src/client.ts';
import { listen, type Listening } from '../packages/parley/src/node.ts';
import { newestRevision } from '../packages/parley/src/protocol/revision.ts';
import { createServer } from '../packages/parley/src/server.ts';
import { spawnNode } from './support/programs.ts';

/** The part of the official clients that is needed here; their modules are loaded by name. */
interface Official {
  setRequestHandler(what: unknown, answer: () => Promise<object>): void;
  connect(transport: object): Promise<void>;
  callTool(params: object): Promise<{ readonly content?: readonly { readonly text?: string }[] }>;
  close(): Promise<void>;
}
type OfficialClass = new (info: object, options: object) => Official;
type TransportClass = new (url: URL) => object;

const me = { name: 'asked', version: '1.0.0' };
const answers = {
  'elicitation/create': { action: 'accept', content: { name: 'Ann' } },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } },
  'roots/list': { roots: [{ uri: 'file:///home' }] },
};
const expected = [{ action: 'accept', content: { name: 'Ann' } }, ['file:///home'], { type: 'text', text: 'hello' }];

async function answerOf(client: Official, url: string, Transport: TransportClass): Promise<unknown> {
  await client.connect(new Transport(new URL(url)));
  try {
    const { content = [] } = await client.callTool({ name: 'ask', arguments: {} });
    return JSON.parse(content[0]?.text ?? '');
  } finally {
    await client.close();
  }
}

describe('official clients answer what our server asks', () => {
  let served: Listening;

  before(async () => {
    const server = createServer({ name: 'asking', version: '1.0.0' });
    server.tool('ask', { description: 'Asks everything.' }, async (_, ctx) => {
      const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
      const [form, roots] = await Promise.all([ctx.elicit({ message: 'Name?', schema }), ctx.roots()]);
      const { content } = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
        maxTokens: 9,
      });
      return JSON.stringify([form, roots.map(({ uri }) => uri), content]);
    });
    served = await listen(server, { port: 0 });
  });

  after(() => served.close());

  for (const version of ['1.20.0', '1.32.2']) {
    test(`SDK ${version} does`, async () => {
      const load = (file: string): Promise<Record<string, unknown>> => import(`sdk-${version}/${file}`);
      const [index, http, types] = await Promise.all([
        load('client/index.js'),
        load('client/streamableHttp.js'),
        load('types.js'),
      ]);
      // The SDK exports these names from these files.
      const client = new (index['Client'] as OfficialClass)(me, {
        capabilities: { elicitation: {}, sampling: {}, roots: {} },
      });
      client.setRequestHandler(types['ElicitRequestSchema'], async () => answers['elicitation/create']);
      client.setRequestHandler(types['CreateMessageRequestSchema'], async () => answers['sampling/createMessage']);
      client.setRequestHandler(types['ListRootsRequestSchema'], async () => answers['roots/list']);
      const transport = http['StreamableHTTPClientTransport'] as TransportClass;
      assert.deepEqual(await answerOf(client, served.url, transport), expected);
    });
  }

  for (const mode of ['legacy', { pin: newestRevision.date }] as const) {
    test(`client 2.4 does, ${mode === 'legacy' ? 'in a session' : 'in input rounds'}`, async () => {
      const { Client: Second, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
      const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
      // Their types say more than is needed here; the methods are the same.
      const client = new (Second as unknown as OfficialClass)(me, { capabilities, versionNegotiation: { mode } });
      for (const [method, answer] of Object.entries(answers)) client.setRequestHandler(method, async () => answer);
      const transport = StreamableHTTPClientTransport as unknown as TransportClass;
      assert.deepEqual(await answerOf(client, served.url, transport), expected);
    });
  }
});

test('our client answers what the official server asks', async () => {
  const require = createRequire(import.meta.url);
  const main = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
  const asked: string[] = [];
  const client: Client = await connect(spawnNode([main, 'stdio'], { stderr: 'ignore' }), {
    onElicit: ({ message }) => {
      asked.push(`elicit ${message.length > 0}`);
      return 'decline';
    },
    onSample: () => {
      asked.push('sample');
      return 'a sampled answer';
    },
    roots: [{ uri: 'file:///home' }],
  });
  try {
    const names = (await client.listTools()).map(({ name }) => name);
    const sampling = names.find((name) => /sampling/i.test(name) && !/async|task|bidirectional/i.test(name));
    const elicitation = names.find((name) => /elicitation/i.test(name) && !/async|task|url|bidirectional/i.test(name));
    assert.ok(sampling !== undefined && elicitation !== undefined, names.join());
    const sampled = await client.callTool(sampling, { prompt: 'hi', maxTokens: 5 });
    assert.match(JSON.stringify(sampled.content), /a sampled answer/);
    const declined = await client.callTool(elicitation);
    assert.match(JSON.stringify(declined.content), /declined/i);
    assert.deepEqual(asked, ['sample', 'elicit true']);
  } finally {
    await client.close();
  }
});
