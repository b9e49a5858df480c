import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';
import { beforeCrash, crashLine } from './crash.ts';

const texts: readonly (readonly [title: string, stderr: string, line: string | undefined])[] = [
  [
    'Node, with the place above the source line',
    "file:///srv/a.mjs:1\nconst a = ;\n          ^\n\nSyntaxError: Unexpected token ';'\n    at compile (node:internal/x:1:2)\n",
    "SyntaxError: Unexpected token ';' (/srv/a.mjs:1)",
  ],
  [
    'Node, with the place in a frame',
    'node:internal/fs:12\n  throw e;\n  ^\n\nError: no key\n    at read (node:fs:1:2)\n    at main (file:///srv/a.mjs:7:3)\n',
    'Error: no key (/srv/a.mjs:7)',
  ],
  [
    'Node, without a place',
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /srv/a.mjs\n    at f (node:internal/m:1:2)\n",
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /srv/a.mjs",
  ],
  [
    'Python, whose last error is the one that ended it',
    'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in <module>\n    f()\nKeyError: \'k\'\n\nDuring handling:\n\nTraceback (most recent call last):\n  File "/srv/a.py", line 5, in <module>\nValueError: no key\n',
    'ValueError: no key (/srv/a.py:5)',
  ],
  [
    'Java',
    'Exception in thread "main" java.lang.IllegalStateException: no key\n\tat A.main(A.java:3)\n',
    'Exception in thread "main" java.lang.IllegalStateException: no key',
  ],
  [
    'Node, with an address of a file that names none',
    'Error: no key\n    at main (file:///srv/%zz/a%2Fb.mjs:7:3)\n',
    'Error: no key (file:///srv/%zz/a%2Fb.mjs:7)',
  ],
  ['Go', 'panic: no key\n\ngoroutine 1 [running]:\n', 'panic: no key'],
  ['a log', 'Server started\nMissing API key\n', undefined],
];

for (const [title, stderr, line] of texts)
  test(`the reason of a crash is found: ${title}`, () => assert.equal(crashLine(stderr), line));

test('a crash is told once, its reason first', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-crash-'));
  t.after(() => rm(folder, { recursive: true }));
  const [broken, failing] = [join(folder, 'broken.mjs'), join(folder, 'failing.mjs')];
  await writeFile(broken, 'const a = ;\n');
  await writeFile(failing, '\nthrow new Error("no key");\n');
  const [syntax, thrown] = await Promise.all([
    inThisProcess(['call', '--', process.execPath, broken]),
    inThisProcess(['call', '--', process.execPath, failing]),
  ]);
  assert.match(
    syntax.stderr,
    /^parley: SyntaxError: Unexpected token ';' \(.*broken\.mjs:1\); the server \(.*\) exited with code 1\n$/,
  );
  assert.match(thrown.stderr, /^parley: Error: no key \(.*failing\.mjs:2\); the server \(.*\) exited with code 1\n$/);
  for (const { stderr } of [syntax, thrown]) assert.equal(stderr.match(/Error: /g)?.length, 1, stderr);
});

test('the text before a crash is kept, and its trace is not', async (t) => {
  for (const [, stderr, line] of texts) assert.equal(beforeCrash(stderr), line === undefined ? stderr : '');
  assert.equal(beforeCrash('Reading a.json\nTypeError: no key\n    at f (/srv/a.mjs:1:2)\n'), 'Reading a.json\n');
  const folder = await mkdtemp(join(tmpdir(), 'parley-crash-'));
  t.after(() => rm(folder, { recursive: true }));
  const failing = join(folder, 'failing.mjs');
  await writeFile(failing, 'console.error("Reading a.json");\nthrow new Error("no key");\n');
  const { stderr } = await inThisProcess(['call', '--', process.execPath, failing]);
  assert.match(stderr, /^Reading a\.json\nparley: Error: no key \(.*failing\.mjs:2\); [^\n]*\n$/);
});
