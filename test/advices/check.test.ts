/** `parley check` says what it needs to judge more; with that, it judges more. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { textReport } from '../../packages/cli/src/check/report/text.ts';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { testIssuer } from '../../packages/parley/src/testing.ts';
import { faulty } from '../check/faulty.ts';
import { inThisProcess, run } from '../support/cli-process.ts';
import { served } from '../support/inspected.ts';

type Variables = Readonly<Record<string, string>>;

async function judged(words: readonly string[], env: Variables = {}): Promise<CheckReport> {
  const argv = ['check', '--revision', '2025-11-25', '--json', ...words];
  const { stdout, stderr } = await inThisProcess(argv, env);
  assert.ok(stdout !== '', stderr);
  return JSON.parse(stdout) as CheckReport;
}

/** The rows that were not judged for a reason, and the words that the reason advises. */
function lacking({ rows }: CheckReport, advice: RegExp): readonly [ids: readonly string[], advised: string] {
  const found = rows.filter(({ verdict, why = '' }) => verdict === 'not-allowed' && advice.test(why));
  const words = advice.exec(found[0]?.why ?? '')?.[1] ?? assert.fail(`no row needs ${advice.source}`);
  return [found.map(({ id }) => id), words];
}

function assertNotLacking({ rows }: CheckReport, ids: readonly string[], advised: string): void {
  assert.ok(ids.every((id) => rows.some((row) => row.id === id)));
  assert.deepEqual(
    rows.filter(({ id, why = '' }) => ids.includes(id) && why.includes(advised)),
    [],
  );
}

test('rows that need a tool are judged with --calls', async (t) => {
  const url = await served(t, createExampleServer());
  const [ids, words] = lacking(await judged(['--only', 'tools', url]), /: (--calls) <name>$/);
  const more = await judged([words, 'echo', ...ids.flatMap((id) => ['--only', id]), url]);
  assertNotLacking(more, ids, `${words} <name>`);
});

test('a row that needs the name of a tool in another case is judged with --calls', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('sum', {}, () => '3');
  const url = await served(t, server);
  const [ids, words] = lacking(await judged(['--only', 'tools', '--calls', 'sum', url]), /: (--calls sum,SUM)$/);
  assertNotLacking(await judged([...words.split(' '), ...ids.flatMap((id) => ['--only', id]), url]), ids, words);
});

test('a tool that destroys is called with the mark that is advised', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('drop', { annotations: { destructiveHint: true } }, () => 'dropped');
  const url = await served(t, server);
  const { uncalled } = await judged(['--only', 'tools', '--calls', 'drop', url]);
  const name = /allow it by (\S+)$/.exec(uncalled[0]?.why ?? '')?.[1] ?? assert.fail(JSON.stringify(uncalled));
  assert.deepEqual((await judged(['--only', 'tools', '--calls', name, url])).uncalled, []);
});

async function guarded(t: TestContext): Promise<{ readonly url: string; readonly env: Variables }> {
  const issuer = testIssuer();
  const url = await faulty(t, {}, (server, resource) => protect(server, { ...issuer.options, resource }));
  const issue = (subject: string, audience = url): Promise<string> => issuer.issue({ subject, audience });
  const env = { OWN: await issue('ann'), OTHER: await issue('bob'), FOREIGN: await issue('ann', 'https://b.example/') };
  return { url, env };
}

test('rows that need more tokens are judged with them', async (t) => {
  const { url, env } = await guarded(t);
  const own = ['--token-env', 'OWN', url];
  const report = await judged(['--only', 'auth', '--only', 'security', ...own], env);
  for (const [advice, variable] of [
    [/: (--other-token-env) <name>$/, 'OTHER'],
    [/: (--foreign-token-env) <name>$/, 'FOREIGN'],
  ] as const) {
    const [ids, option] = lacking(report, advice);
    assertNotLacking(
      await judged([option, variable, ...ids.flatMap((id) => ['--only', id]), ...own], env),
      ids,
      option,
    );
  }
});

test('a server that wants authorization is judged with --token-env', async (t) => {
  const { url, env } = await guarded(t);
  const words = ['check', '--revision', '2025-11-25', '--only', 'ping', url];
  const { stdout } = await inThisProcess(words, env);
  const option = /^ {2}(--token-env) <name> takes a token from a variable;/m.exec(stdout)?.[1] ?? assert.fail(stdout);
  const admitted = await inThisProcess([...words.slice(0, 1), option, 'OWN', ...words.slice(1)], env);
  assert.match(admitted.stdout, /^speaks 2025-11-25$/m);
});

test('reasons that are left out are printed with --verbose', async (t) => {
  const report = await judged(['--only', 'ping', await served(t, createExampleServer())]);
  const rows = Array.from({ length: 12 }, (_, index) => ({
    id: `row-${index}`,
    revision: '2025-11-25' as const,
    verdict: 'not-judged' as const,
    why: `reason ${index} of many`,
  }));
  const told = (text: string): number => text.match(/reason \d+ of many/g)?.length ?? 0;
  const text = textReport({ ...report, rows });
  const option = /^ {2}and for 4 more reasons: --(verbose) tells each$/m.exec(text)?.[1] ?? assert.fail(text);
  assert.deepEqual([told(text), told(textReport({ ...report, rows }, { [option]: true }))], [8, 20]);
});

test('a variable that a command lacks is passed on by the option that is advised', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-lacks-'));
  t.after(() => rm(folder, { recursive: true }));
  const script = join(folder, 'server.mjs');
  const at = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const source = (said: string): string => `
    if (process.env.A_KEY === undefined) { console.error(${JSON.stringify(said)}); process.exit(2); }
    const { createExampleServer } = await import(${at('../../packages/cli/src/commands/example/server.ts')});
    const { serveStdio } = await import(${at('../../packages/parley/src/transports/stdio/server/serve.ts')});
    await serveStdio(createExampleServer()).closed;`;
  const command = ['--', process.execPath, script];
  const words = ['check', '--revision', '2025-11-25', '--only', 'ping'];
  for (const [said, advice] of [
    ['A_KEY is missing', /; A_KEY of yours was not passed on: (--env A_KEY) does$/m],
    ['no key', /; variables of yours are passed on by (--env) NAME alone$/m],
  ] as const) {
    await writeFile(script, source(said));
    const { stdout } = await run([...words, ...command], { A_KEY: 'x' });
    const option = advice.exec(stdout)?.[1] ?? assert.fail(stdout);
    const more = option.includes(' ') ? option.split(' ') : [option, 'A_KEY'];
    const { code, stderr } = await run([...words, ...more, ...command], { A_KEY: 'x' });
    assert.equal(code, 0, stderr);
  }
});
