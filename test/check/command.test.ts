/** The command: its exit codes, its files, and what it does without sending anything. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { inThisProcess } from '../support/cli-process.ts';
import { compileSchema } from '../../packages/parley/src/schema/json-schema.ts';
import { root } from '../support/sources.ts';
import { faults } from './faults.ts';
import { faulty, type Fault } from './faulty.ts';

/** Serves a server without a fault, with one that is a warning, or with one that is an error. */
async function served(
  t: TestContext,
  what: 'fine' | 'odd' | 'wrong',
): Promise<{ readonly url: string; readonly sent: string[] }> {
  const sent: string[] = [];
  const planted = what === 'fine' ? {} : faults[what === 'odd' ? 'name-with-spaces' : 'schema-of-a-string']?.[1];
  const fault: Fault = {
    ...planted,
    request(passing) {
      sent.push(passing.body);
      return planted?.request?.(passing);
    },
  };
  return { url: await faulty(t, fault), sent };
}

/** A result of SARIF, as far as it is read. */
interface Result {
  readonly kind: string;
  readonly locations: readonly {
    readonly physicalLocation?: { readonly artifactLocation: { readonly uri: string } };
  }[];
}

const only = ['--only', 'tools', '--revision', '2025-11-25'];

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('the exit code is 0 where nothing is broken, 1 for a MUST, and for a SHOULD with --strict', async (t) => {
  const [fine, odd, wrong] = await Promise.all([served(t, 'fine'), served(t, 'odd'), served(t, 'wrong')]);
  const code = async (url: string, ...more: string[]): Promise<number | null> =>
    (await inThisProcess(['check', ...only, ...more, url])).code;
  assert.equal(await code(fine.url, '--strict'), 0);
  assert.equal(await code(odd.url), 0);
  assert.equal(await code(odd.url, '--strict'), 1);
  assert.equal(await code(wrong.url), 1);
});

test('a MUST that no client uses fails with --strict alone', async (t) => {
  const url = await faulty(t, faults['batch-unanswered']?.[1] ?? {});
  const check = ['check', '--only', 'basic-019', '--revision', '2025-03-26', url];
  const { code, stdout } = await inThisProcess(check);
  assert.deepEqual([code, /^· basic-019 is not kept \(2025-03-26\)/m.test(stdout)], [0, true]);
  const strict = await inThisProcess([...check, '--strict']);
  assert.deepEqual([strict.code, /^✗ basic-019 MUST/m.test(strict.stdout)], [1, true]);
});

test('the exit code is 2 for what makes no sense, and 3 where nothing could be judged', async (t) => {
  const { url } = await served(t, 'fine');
  for (const words of [
    ['--json', '--junit'],
    ['--write-baseline'],
    ['--args', 'a.json'],
    ['--sarif-file', 'a.ts'],
    ['--calls', ''],
    ['--only', 'no-such-row'],
    ['--only', 'tools', '--only', 'tool'],
  ])
    assert.equal((await inThisProcess(['check', ...words, url])).code, 2, words.join(' '));
  assert.equal((await inThisProcess(['check', ...only, 'http://127.0.0.1:1/mcp'])).code, 3);
  assert.equal((await inThisProcess(['check', '--only', 'stdio', url])).code, 3);
});

test('the exit code is 3 where more could not be judged than was, though nothing that was is broken', async (t) => {
  let count = 0;
  const url = await faulty(t, {
    request: () => (++count > 40 ? { status: 429, headers: {}, text: '' } : undefined),
  });
  const { code, stdout } = await inThisProcess(['check', url]);
  assert.match(stdout, /: 0 broken/);
  assert.equal(code, 3, stdout);
});

test('what could not be judged is no baseline, and what fails beside the judging is no fault of the server', async (t) => {
  const folder = await folderOf(t);
  const file = join(folder, 'known.json');
  await writeFile(file, '[]');
  const nowhere = ['check', ...only, 'http://127.0.0.1:1/mcp'];
  const { code, stderr } = await inThisProcess([...nowhere, '--baseline', file, '--write-baseline']);
  assert.deepEqual([code, /is not written/.test(stderr)], [3, true]);
  assert.equal(await readFile(file, 'utf8'), '[]');
  const { url } = await served(t, 'fine');
  const unwritten = await inThisProcess(['check', ...only, url, '--sarif', join(folder, 'none', 'a.sarif')]);
  assert.deepEqual([unwritten.code, /ENOENT/.test(unwritten.stderr)], [3, true]);
});

test('what is written to the baseline fails nothing, until it holds again and --strict is given', async (t) => {
  const file = join(await folderOf(t), 'known.json');
  const [wrong, fine] = await Promise.all([served(t, 'wrong'), served(t, 'fine')]);
  const check = (url: string, ...more: string[]): ReturnType<typeof inThisProcess> =>
    inThisProcess(['check', ...only, '--baseline', file, ...more, url]);
  assert.equal((await check(wrong.url, '--write-baseline')).code, 0);
  assert.match(await readFile(file, 'utf8'), /"id": "tools-008"/);
  const known = await check(wrong.url);
  assert.deepEqual([known.code, /tools-008 MUST \(known\)/.test(known.stdout)], [0, true]);
  const stale = await check(fine.url);
  assert.deepEqual([stale.code, /tools-008 holds at 2025-11-25 now/.test(stale.stderr)], [0, true]);
  assert.equal((await check(fine.url, '--strict')).code, 1);
});

test('the report as JSON is valid by the schema of the package', async (t) => {
  const { url } = await served(t, 'wrong');
  const { stdout } = await inThisProcess(['check', ...only, '--calls', 'gone', '--json', url]);
  const text = await readFile(new URL('../../docs/check-report.schema.json', import.meta.url), 'utf8');
  const schema = await compileSchema(JSON.parse(text), { origin: 'own' });
  const report = JSON.parse(stdout) as CheckReport;
  assert.deepEqual(schema.check(report), []);
  assert.equal(report.findings[0]?.id, 'tools-008');
  assert.equal(report.uncalled[0]?.name, 'gone');
  const { exchanges = [], left } = report.wire ?? {};
  assert.deepEqual([exchanges.length, left], [report.counts.messages, 0]);
  assert.ok(exchanges.some(({ sent, came }) => sent.includes('"tools/list"') && came.startsWith('HTTP 200 ')));
  assert.ok(exchanges.every(({ sent }) => !/mcp-session-id: [^…]/i.test(sent)));
});

test('JSON and JUnit go to files beside what is printed, of one run', async (t) => {
  const folder = await folderOf(t);
  const [json, junit] = [join(folder, 'a.json'), join(folder, 'a.xml')];
  const { url } = await served(t, 'wrong');
  const { stdout } = await inThisProcess(['check', ...only, '--json-to', json, '--junit-to', junit, url]);
  assert.match(stdout, /^✗ tools-008 MUST/m);
  assert.equal((JSON.parse(await readFile(json, 'utf8')) as CheckReport).findings[0]?.id, 'tools-008');
  assert.match(await readFile(junit, 'utf8'), /<testcase [^>]*name="tools-008 MUST"><failure /);
});

test('a report that cannot be written is printed all the same, and two reports are not written to one file', async (t) => {
  const folder = await folderOf(t);
  const { url, sent } = await served(t, 'wrong');
  const { stdout, stderr, code } = await inThisProcess(['check', ...only, '--json-to', folder, url]);
  assert.match(stdout, /^✗ tools-008 MUST/m);
  assert.match(stderr, /EISDIR|EACCES|EPERM/);
  assert.equal(code, 3);
  sent.length = 0;
  const [file, same] = [join(folder, 'a'), join(folder, '.', 'b', '..', 'a')];
  const refused = await inThisProcess(['check', ...only, '--json-to', file, '--junit-to', same, url]);
  assert.match(refused.stderr, /--json-to and --junit-to name the same file/);
  assert.equal(refused.code, 2);
  assert.deepEqual(sent, []);
});

test('SARIF points at the file that is named', async (t) => {
  const file = join(await folderOf(t), 'found.sarif');
  const { url } = await served(t, 'wrong');
  await inThisProcess(['check', ...only, '--sarif', file, '--sarif-file', 'src/my server.ts', url]);
  assert.match(await readFile(file, 'utf8'), /"uri": "src\/my%20server.ts"/);
});

test('SARIF points at the script of the command where no file is named, and at none outside of the folder', async (t) => {
  const folder = await folderOf(t);
  const file = join(folder, 'found.sarif');
  await writeFile(
    join(folder, 'elsewhere.mjs'),
    `await import(${JSON.stringify(new URL('ill-main.ts', import.meta.url).href)});`,
  );
  for (const [script, uri] of [
    ['test/check/ill-main.ts', 'test/check/ill-main.ts'],
    [join(root, 'test/check/ill-main.ts'), 'test/check/ill-main.ts'],
    [join(folder, 'elsewhere.mjs'), undefined],
  ] as const) {
    const { code } = await inThisProcess([
      'check',
      '--only',
      'tools-024',
      '--sarif',
      file,
      '--',
      process.execPath,
      script,
    ]);
    assert.equal(code, 0);
    const { runs } = JSON.parse(await readFile(file, 'utf8')) as {
      readonly runs: readonly { readonly results: readonly Result[] }[];
    };
    const found = runs.flatMap(({ results }) => results).filter(({ kind }) => kind === 'fail');
    assert.ok(found.length > 0);
    for (const { locations } of found) assert.equal(locations[0]?.physicalLocation?.artifactLocation.uri, uri);
  }
});

test('a baseline is written beside the reports that are wished, and one that cannot be read is told before anything is sent', async (t) => {
  const folder = await folderOf(t);
  const [file, json, sarif] = [join(folder, 'known.json'), join(folder, 'a.json'), join(folder, 'a.sarif')];
  const { url, sent } = await served(t, 'wrong');
  const missing = await inThisProcess(['check', ...only, '--baseline', file, url]);
  assert.deepEqual([missing.code, sent.length], [2, 0]);
  const wished = ['--baseline', file, '--write-baseline', '--json-to', json, '--sarif', sarif];
  assert.equal((await inThisProcess(['check', ...only, ...wished, url])).code, 0);
  assert.match(await readFile(file, 'utf8'), /"id": "tools-008"/);
  const { findings } = JSON.parse(await readFile(json, 'utf8')) as CheckReport;
  assert.deepEqual(
    findings.map(({ id, known }) => [id, known]),
    [['tools-008', true]],
  );
  assert.match(await readFile(sarif, 'utf8'), /"suppressions"/);
});

test('a dry run prints what would be sent, and sends nothing to the server', async (t) => {
  const { url, sent } = await served(t, 'fine');
  const { stdout, code } = await inThisProcess(['check', ...only, '--dry-run', '--calls', 'sum', url]);
  assert.equal(code, 0);
  assert.match(stdout, /^POST \/mcp$/m);
  assert.match(stdout, /"method":"tools\/list"/);
  assert.match(stdout, /tools\/call sum, where it is listed, with examples/);
  assert.deepEqual(sent, []);
});

test('arguments of a file are sent to the tools that are named', async (t) => {
  const file = join(await folderOf(t), 'args.json');
  await writeFile(file, '{"sum": {"of": [4, 5]}}');
  const { url, sent } = await served(t, 'fine');
  assert.equal((await inThisProcess(['check', ...only, '--calls', 'sum', '--args', file, url])).code, 0);
  assert.ok(sent.some((body) => body.includes('"name":"sum","arguments":{"of":[4,5]}')));
});

test('whoever waits for a server that falls silent is told that the run goes on', async (t) => {
  let requests = 0;
  const server = createHttpServer((_, response) => {
    if (++requests === 1) response.writeHead(400).end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  await once(server, 'listening');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const running = inThisProcess(['check', ...only, `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`]);
  let hasEnded = false;
  void running.finally(() => (hasEnded = true));
  await once(server, 'request');
  while (!hasEnded) {
    t.mock.timers.tick(1_000);
    await setImmediate();
  }
  const { code, stderr } = await running;
  assert.equal(code, 3);
  assert.match(stderr, /^parley: still judging, 10 s and 1 message so far$/m);
});
