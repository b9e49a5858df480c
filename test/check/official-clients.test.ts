/**
 * What is found in the official clients, and nothing else.
 *
 * Read against "Session Management" of the transports of 2025-11-25: a client that gets HTTP 404 for its session must begin another,
 * which neither does, and should end by DELETE the one that it leaves, which `close` of neither does.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { checkClient } from '../../src/check/client/check-client.ts';

type Loaded = Readonly<Record<string, unknown>>;

/** What is used of the client classes of the official SDKs, whose own types differ from one to the next. */
interface Official {
  setRequestHandler(request: unknown, handle: () => unknown): void;
  connect(transport: unknown): Promise<void>;
  listTools(params?: object): Promise<{ readonly tools: readonly { name: string }[]; readonly nextCursor?: string }>;
  callTool(params: object): Promise<unknown>;
  close(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly load: () => Promise<readonly Loaded[]>;
  /** What names the requests that it answers. */
  readonly asked: readonly [form: string, roots: string];
  /** The revision that it speaks, and how it is told so. */
  readonly date: string;
  readonly mode?: string;
}

const second = {
  load: async () => [await import('@modelcontextprotocol/client')] as readonly Loaded[],
  asked: ['elicitation/create', 'roots/list'],
} as const;

const kinds: readonly Kind[] = [
  {
    name: 'SDK 1.32.2',
    load: () => Promise.all(['client/index.js', 'client/streamableHttp.js', 'types.js'].map(ofFirst)),
    asked: ['ElicitRequestSchema', 'ListRootsRequestSchema'],
    date: '2025-11-25',
  },
  { name: 'client 2.4', ...second, date: '2025-11-25', mode: 'legacy' },
  { name: 'client 2.4', ...second, date: '2026-07-28', mode: 'auto' },
];

const ofFirst = (file: string): Promise<Loaded> => import(`sdk-1.32.2/${file}`) as Promise<Loaded>;

/** What it finds in one of them. @param losesSession True where it calls the tool that ends the session. */
async function foundIn(t: TestContext, { load, asked, mode }: Kind, losesSession: boolean) {
  const parts: Loaded = Object.assign({}, ...(await load()));
  const Client = parts['Client'] as new (info: object, options: object) => Official;
  const Transport = parts['StreamableHTTPClientTransport'] as new (url: URL) => object;
  const report = await checkClient({
    door: { port: 0 },
    info: { name: 'parley-check', version: '1.0.0' },
    patienceMs: 120_000,
    signal: t.signal,
    async onOpen(origin) {
      const client = new Client(
        { name: 'c', version: '1' },
        { capabilities: { elicitation: {}, roots: {} }, ...(mode !== undefined && { versionNegotiation: { mode } }) },
      );
      const [form, roots] = asked.map((word) => parts[word] ?? word);
      client.setRequestHandler(form, () => ({ action: 'accept', content: { name: 'Ada' } }));
      client.setRequestHandler(roots, () => ({ roots: [{ uri: 'file:///tmp' }] }));
      await client.connect(new Transport(new URL(`${origin}/mcp`)));
      await client.listTools();
      await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
      await client.callTool({ name: 'ask', arguments: {} });
      if (losesSession)
        for (const name of ['lost', 'echo']) await assert.rejects(client.callTool({ name, arguments: { text: 'x' } }));
      await client.close();
    },
  });
  const spoken = report.revisions.filter((one) => one.spoken).map(({ revision }) => revision);
  assert.ok(report.counts.judged > 15, `${report.counts.judged} rows were judged`);
  return { spoken, found: report.findings.map(({ id, level }) => `${id} ${level}`) };
}

for (const kind of kinds) {
  const isStateless = kind.mode === 'auto';
  test(`nothing false is found in ${kind.name} at ${kind.date}`, async (t) => {
    const found = isStateless ? [] : ['http-049 SHOULD'];
    assert.deepEqual(await foundIn(t, kind, false), { spoken: [kind.date], found });
  });

  if (!isStateless)
    test(`${kind.name} is found to go on in a session that is gone`, async (t) => {
      assert.deepEqual(await foundIn(t, kind, true), { spoken: [kind.date], found: ['http-048 MUST'] });
    });
}
