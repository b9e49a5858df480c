import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';
import { unpassedIn } from '../../../../parley/src/transports/stdio/client/unpassed.ts';

/** A command that notes that it was started, writes a text to standard error and ends: at once, or at the first input. */
async function dying(
  t: TestContext,
  text: string,
  when: 'at once' | 'when asked' = 'at once',
): Promise<{ readonly script: string; starts(): Promise<string> }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-dying-'));
  t.after(() => rm(folder, { recursive: true }));
  const [script, starts] = [join(folder, 'server.mjs'), join(folder, 'starts')];
  const note = `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(starts)}, 'x');`;
  await writeFile(
    script,
    `${note} console.error(${JSON.stringify(text)}); ${when === 'at once' ? '' : "process.stdin.once('data', () => "}process.exit(2)${when === 'at once' ? '' : ')'};`,
  );
  return { script, starts: () => readFile(starts, 'utf8') };
}

test('a command that ends at once is started once, and its standard error is told once', async (t) => {
  const { script, starts } = await dying(t, 'no such database');
  const { code, stdout } = await inThisProcess(['check', '--', process.execPath, script]);
  assert.equal(code, 3);
  assert.match(
    stdout,
    /\n {2}not 2024-11-05, .*, 2026-07-28: the process ended with code 2 before it was asked anything: no such database; variables of yours are passed on by --env NAME alone\n/,
  );
  assert.equal(stdout.match(/no such database/g)?.length, 1);
  assert.equal(await starts(), 'x');
});

test('a command that ends when it is asked initialize is started once, and the report says so', async (t) => {
  const { script, starts } = await dying(t, 'no such database', 'when asked');
  const { code, stdout } = await inThisProcess(['check', '--', process.execPath, script]);
  assert.equal(code, 3);
  assert.match(
    stdout,
    /\n {2}not 2024-11-05, .*, 2026-07-28: the process ended with code 2: no such database; it ended at initialize and was not started again\n/,
  );
  assert.match(stdout, /\nthe command was started once\n/);
  assert.equal(await starts(), 'x');
});

test('call and explain name a variable that a command lacks, with what passes it on', async (t) => {
  process.env['PARLEY_TEST_LACKING'] = 's3cret';
  t.after(() => delete process.env['PARLEY_TEST_LACKING']);
  const { script } = await dying(t, 'PARLEY_TEST_LACKING is not set');
  const command = ['--', process.execPath, script];
  const typed = 'exited with code 2 (PARLEY_TEST_LACKING of yours was not passed on: --env PARLEY_TEST_LACKING does)';
  const { stderr } = await inThisProcess(['call', '--revision', '2025-06-18', ...command]);
  assert.ok(stderr.includes(typed), stderr);
  const { stdout } = await inThisProcess(['explain', ...command]);
  assert.ok(stdout.includes(`${typed}: PARLEY_TEST_LACKING is not set before it was asked anything`), stdout);
  const file = `${script}.json`;
  await writeFile(file, JSON.stringify({ mcpServers: { a: { command: process.execPath, args: [script] } } }));
  const inFile = await inThisProcess(['call', '--revision', '2025-06-18', '--config', file, 'a']);
  const words = 'passed on: "env": {"PARLEY_TEST_LACKING": "${PARLEY_TEST_LACKING}"} in the file does)';
  assert.ok(inFile.stderr.includes(words), inFile.stderr);
  assert.ok(![stderr, stdout, inFile.stderr].join().includes('s3cret'));
});

test('a variable that standard error names and that was not passed on is told', () => {
  const source = { API_TOKEN: 's3cret', PATH: '/bin', Other: 'x', home: 'y', OTHER: 'z' };
  const options = { source, platform: 'linux' };
  assert.deepEqual(unpassedIn('API_TOKEN is missing; see home and PATH', {}, options), ['API_TOKEN']);
  assert.deepEqual(unpassedIn('API_TOKEN is missing', { API_TOKEN: 'given' }, options), []);
});

test('check says why a command crashed in one line, with its place', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-crashing-'));
  t.after(() => rm(folder, { recursive: true }));
  const script = join(folder, 'server.mjs');
  await writeFile(script, "const read = () => {\n  throw new Error('no database');\n};\nread();\n");
  const { code, stdout } = await inThisProcess(['check', '--', process.execPath, script]);
  assert.equal(code, 3);
  assert.match(stdout, /ended with code 1 before it was asked anything: Error: no database \(.*server\.mjs:2\);/);
  assert.doesNotMatch(stdout, /node:internal/);
});
