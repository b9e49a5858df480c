/**
 * What is found in the official clients that start their server, and nothing else.
 *
 * Read against "Unexpected Termination" of stdio of 2026-07-28: neither starts a process again by itself, which a program does with them; who does, and
 * listens again, is right.
 *
 * Read against "Task Support and Handling" of the tasks of 2025-11-25: who declares no tasks for a request must answer it as ever, whatever
 * `params.task` says; that of SDK 1 refuses it, with -32603.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { checkClient } from '../../../packages/cli/src/check/client/run/check-client.ts';
import type { CheckReport } from '../../../packages/cli/src/check/report.ts';
import { ownCommand } from '../../../packages/cli/src/commands/own-command.ts';

type Loaded = Readonly<Record<string, unknown>>;

/** What is used of the client classes of the official SDKs, whose own types differ from one to the next. */
interface Official {
  setRequestHandler(request: unknown, handle: () => unknown): void;
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { name: string }[] }>;
  callTool(params: object, ...more: readonly unknown[]): Promise<unknown>;
  listen(filter: object): Promise<{ close(): Promise<void> }>;
  close(): Promise<void>;
}

type Loader = () => Promise<readonly Loaded[]>;

const first: Loader = () =>
  Promise.all(
    ['client/index.js', 'client/stdio.js', 'types.js'].map((file) => import(`sdk-1.32.2/${file}`) as Promise<Loaded>),
  );
const second: Loader = async () => [
  await import('@modelcontextprotocol/client'),
  await import('@modelcontextprotocol/client/stdio'),
];

/** Has a program that is made with one of them speak to a server that it starts. */
async function judged(
  t: TestContext,
  load: Loader,
  run: (open: (mode?: string) => Promise<Official>) => Promise<void>,
): Promise<CheckReport> {
  const parts: Loaded = Object.assign({}, ...(await load()));
  const Client = parts['Client'] as new (info: object, options: object) => Official;
  const Transport = parts['StdioClientTransport'] as new (start: object) => object;
  return await checkClient({
    door: { isRelayed: true },
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 60_000,
    isStarted: true,
    signal: t.signal,
    async onOpen(path) {
      const [file, ...args] = ownCommand('check', '--client', '--stdio', '--judge', path);
      await run(async (mode) => {
        const client = new Client(
          { name: 'c', version: '1' },
          { capabilities: { elicitation: {} }, ...(mode !== undefined && { versionNegotiation: { mode } }) },
        );
        client.setRequestHandler(parts['ElicitRequestSchema'] ?? 'elicitation/create', async () => {
          await new Promise((resolve) => setTimeout(resolve, 200));
          return { action: 'accept', content: { name: 'Ada' } };
        });
        await client.connect(new Transport({ command: file, args }));
        return client;
      });
    },
  });
}

const held = ({ rows }: CheckReport): readonly string[] =>
  rows.filter(({ id, verdict }) => /^(stdio-01|subs-)/.test(id) && verdict === 'holds').map(({ id }) => id);

for (const [name, load, mode, found] of [
  ['SDK 1.32.2', first, undefined, ['tasks-009']],
  ['client 2.4', second, 'legacy', []],
] as const)
  test(`nothing false is found in ${name} that starts its server`, async (t) => {
    const report = await judged(t, load, async (open) => {
      const client = await open(mode);
      await client.listTools();
      await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
      await client.callTool({ name: 'ask', arguments: {} });
      await client.callTool({ name: 'slow', arguments: {} });
      await client.close();
    });
    assert.deepEqual([report.findings.map(({ id }) => id), held(report)], [found, ['stdio-012']]);
  });

test('nothing is found in a program with client 2.4 that starts its server again, and listens again', async (t) => {
  const report = await judged(t, second, async (open) => {
    const client = await open('auto');
    assert.ok((await client.listTools()).tools.some(({ name }) => name === 'dies'));
    await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    await client.callTool({ name: 'ask', arguments: {} });
    await client.callTool({ name: 'slow', arguments: {} });
    await client.listen({ toolsListChanged: true });
    await client.callTool({ name: 'change', arguments: {} });
    await assert.rejects(client.callTool({ name: 'dies', arguments: {} }));
    const next = await open('auto');
    await next.listen({ toolsListChanged: true });
    await next.callTool({ name: 'echo', arguments: { text: 'again' } });
    await next.close();
  });
  assert.deepEqual(
    report.findings.map(({ id }) => id),
    [],
    JSON.stringify(report.findings),
  );
  assert.deepEqual(held(report).toSorted(), ['stdio-013', 'stdio-015', 'stdio-016', 'subs-011']);
});
