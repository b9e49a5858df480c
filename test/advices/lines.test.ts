/** A command line that is rejected says what to type instead; that line works. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { run } from '../../packages/cli/src/commands/run.ts';
import { listen, type Listening } from '../../packages/parley/src/transports/node/server/http.ts';
import { exampleCommand, inThisProcess, type Ran } from '../support/cli-process.ts';
import { advisedLines } from './lines.ts';

const server = createExampleServer();
const words = new Map<string, string>();
let env: Readonly<Record<string, string>> = {};
let http: Listening;
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-lines-'));
  http = await listen(server, { port: 0 });
  const { url } = http;
  env = { XDG_STATE_HOME: join(folder, 'state'), SET: 'x', SPACED: 'x y' };
  const oauth = { clientId: 'a', issuer: 'https://as.example' };
  const wrong = { url: 7 };
  const files: Readonly<Record<string, object>> = {
    config: { mcpServers: { here: { url } } },
    'config-with-headers': { mcpServers: { here: { url, headers: { 'X-A': 'b', Authorization: 'Bearer x' } } } },
    'config-with-oauth': { mcpServers: { here: { url, oauth } } },
    'half-wrong': { mcpServers: { here: { url }, wrong } },
    many: { mcpServers: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`s${index}`, { url }])) },
    args: { add: { a: 1, b: 2 } },
  };
  for (const [name, value] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify(value));
    words.set(`{${name}}`, join(folder, `${name}.json`));
  }
  await writeFile(join(folder, 'token'), 'x\n');
  words.set('{token}', join(folder, 'token')).set('{url}', url).set('{folder}', folder);
  const recording = join(folder, 'recording');
  assert.equal((await ran(['inspect', '--no-open', '--record', recording, url], /Parley shows it at/)).code, 0);
  words.set('{recording}', recording);
});

after(async () => {
  await http.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** The words of a line, without a shell. */
function wordsOf(line: string): readonly string[] {
  const put = (word: string): string => [...words].reduce((text, [name, value]) => text.replaceAll(name, value), word);
  return line.split(' ').flatMap((word) => (word === '{command}' ? exampleCommand : [put(word)]));
}

/** Runs a line until it ends, or has printed what shows that it works. */
async function ran(argv: readonly string[], until?: RegExp): Promise<Ran> {
  if (until === undefined) return await inThisProcess(argv, env);
  const ending = new AbortController();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const printed = { stdout: '', stderr: '' };
  const note = (name: 'stdout' | 'stderr') => (text: unknown) => {
    printed[name] += String(text);
    if (until.test(printed[name])) ending.abort();
  };
  stdout.on('data', note('stdout'));
  stderr.on('data', note('stderr'));
  // A line that serves standard input and output prints nothing before its client does.
  if (argv.includes('--stdio')) stdin.end();
  const code = await run(argv, { stdin, stdout, stderr, env, signal: ending.signal });
  if (!argv.includes('--stdio')) assert.match(printed.stdout + printed.stderr, until);
  return { code, ...printed };
}

for (const { text, wrong, right, until, code = 0 } of advisedLines)
  test(`the line works that follows: ${text.slice(0, 58)}`, async () => {
    const refused = await ran(wordsOf(wrong));
    assert.equal(refused.code, 2, refused.stderr);
    const [first = '', ...parts] = text
      .split('${}')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    const found = new RegExp([first, ...parts].join('(.*)')).exec(refused.stderr) ?? assert.fail(refused.stderr);
    for (const line of right) {
      const named = found[1]?.replaceAll('"', '') ?? '';
      const worked = await ran(wordsOf(line.replaceAll('$1', named)), until);
      assert.equal(worked.code, code, `${line}: ${worked.stdout}${worked.stderr}`);
    }
  });
