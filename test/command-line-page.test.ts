/** The command lines of docs/command-line.md work at the example server. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { createExampleServer } from '../packages/cli/src/commands/example/server.ts';
import { run } from '../packages/cli/src/commands/run.ts';
import { listen, type Listening } from '../packages/parley/src/transports/node/server/http.ts';
import { exampleCommand } from './support/cli-process.ts';
import { root } from './support/sources.ts';

const page = readFileSync(join(root, 'docs/command-line.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
// A line with a variable of the shell is run by the tests of tasks.
const lines = blocks
  .flatMap((block) => block.split('\n'))
  .map((line) => line.replace(/ +#.*$/, ''))
  .filter((line) => line.startsWith('npx parley-cli ') && !line.includes('$'));

const server = createExampleServer();
let http: Listening;
let folder = '';
before(async () => {
  http = await listen(server, { port: 0 });
  folder = await mkdtemp(join(tmpdir(), 'parley-lines-'));
});
after(async () => {
  await http.close();
  await server.close();
  await rm(folder, { recursive: true });
});

/** The words of a line, which quotes with single quotes alone. */
function wordsOf(line: string): readonly string[] {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(2);
  const at = words.indexOf('--');
  const typed = at < 0 ? words : [...words.slice(0, at + 1), ...exampleCommand];
  const put = (word: string): string =>
    word.replace('http://127.0.0.1:3000/mcp', http.url).replace(/^sun\.png$/, join(folder, 'sun.png'));
  return typed.map(put);
}

test('the page has command lines', () => assert.ok(lines.length > 8, lines.join('\n')));

for (const line of lines)
  test(line, async () => {
    const ending = new AbortController();
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    let said = '';
    stderr.on('data', (text) => {
      said += String(text);
      if (said.includes('Ctrl-C ends this')) ending.abort();
    });
    stdout.resume();
    assert.equal(await run(wordsOf(line), { stdin, stdout, stderr, env: {}, signal: ending.signal }), 0, said);
  });
