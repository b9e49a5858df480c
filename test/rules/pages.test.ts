/** Each rule of tests, pages and registers finds what breaks it, and where. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { architecturePageRule, roomsPageRule } from '../../scripts/check/architecture-page.ts';
import { docProgramsRule } from '../../scripts/check/doc-programs.ts';
import { generatedRule, stale } from '../../scripts/check/generated.ts';
import { linksRule } from '../../scripts/check/links.ts';
import { npmScriptsRule } from '../../scripts/check/npm-scripts.ts';
import { plainWordsRule } from '../../scripts/check/plain-words.ts';
import { behavioursRule, citedIdsRule, requirementsRule } from '../../scripts/check/registers.ts';
import { repositoryOf, repositoryOnDisk, type Repository } from '../../scripts/check/repository.ts';
import { lineOf, type Rule } from '../../scripts/check/rule.ts';
import { outsideRule, skippedTestsRule } from '../../scripts/check/skipped-tests.ts';
import { specFactsRule } from '../../scripts/check/spec-facts.ts';
import { testsHaveTestsRule } from '../../scripts/check/tests-have-tests.ts';
import { root } from '../support/sources.ts';
import { found } from './found.ts';

const disk = repositoryOnDisk();

/** The lines of what a rule finds once a file of the repository has another text. */
async function foundWith(rule: Rule, path: string, change: (text: string) => string): Promise<readonly string[]> {
  const changed: Repository = {
    paths: disk.paths,
    read: (asked) => (asked === path ? change(disk.read(asked)) : disk.read(asked)),
  };
  return (await rule.find(changed)).map(lineOf);
}

test('a test file without a test is found', async () => {
  const lines = await found(testsHaveTestsRule, {
    'packages/parley/src/a.test.ts': "export const test = 'test(';\n",
    'packages/parley/src/b.test.ts': "test('b', () => undefined);\n",
    'packages/parley/src/c.test.ts': "await import('./b.test.ts');\n",
    'test/d.test.ts': "for (const a of [1])\n  describe.only('d', () => undefined);\n",
  });
  assert.deepEqual(lines, [
    'packages/parley/src/a.test.ts has no test; move it to test/support/, under a name without ".test"',
  ]);
});

test('a skipped test without a reason in the list is found, and a reason without one', async () => {
  const skipped = { ['packages/parley/src/a.test.ts']: `\ntest.${'skip'}('a');\n` };
  const lines = await found(skippedTestsRule, skipped);
  assert.equal(
    lines[0],
    'packages/parley/src/a.test.ts:2 skips a test; say what it needs in scripts/check/skipped-tests.ts',
  );
  assert.match(
    lines.join('\n'),
    /^packages\/cli\/src\/commands\/shared-store\.test\.ts skips no test; take it out of/m,
  );
});

test('a file that reads beside the repository is found', async () => {
  const text = `const a = new URL('../${'shared'}/a', b);\n`;
  assert.deepEqual(
    await found(outsideRule, { 'packages/parley/src/a.ts': `\n${text}`, 'test/support/beside.ts': text }),
    ['packages/parley/src/a.ts:2 reads beside the repository; use test/support/beside.ts, and go on without it'],
  );
});

test('a file that ARCHITECTURE.md names and that does not exist is found', async () => {
  const lines = await found(architecturePageRule, {
    'ARCHITECTURE.md': 'See `b.ts`, `a/`, `c.ts`.\n```\n`d.ts`\n```\nAnd `json/x/`.\n',
    'packages/parley/src/a/b.ts': '',
  });
  assert.deepEqual(lines, [
    'ARCHITECTURE.md:1 names `c.ts`, which does not exist; write its new name',
    'ARCHITECTURE.md:5 names `json/x/`, which does not exist; write its new name',
  ]);
});

test('a file that the page of a room names and that does not exist is found, and a long page', async () => {
  const lines = await found(architecturePageRule, {
    'ARCHITECTURE.md': '',
    'packages/parley/src/a/README.md': `\`b.ts\`, \`c/d.ts\` and \`e.ts\`.\n${'\n'.repeat(60)}`,
    'packages/parley/src/a/b.ts': '',
    'packages/parley/src/a/c/d.ts': '',
  });
  assert.deepEqual(lines, [
    'packages/parley/src/a/README.md:1 names `e.ts`, which does not exist; write its new name',
    'packages/parley/src/a/README.md:61 has more than 60 lines; leave some out',
  ]);
});

test('a table of rooms that differs from the rules is found', async () => {
  const page = 'ARCHITECTURE.md';
  assert.deepEqual(await foundWith(roomsPageRule, page, (text) => text), []);
  const without = await foundWith(roomsPageRule, page, (text) => text.replace(/^\| `connection` .*\n/m, ''));
  assert.deepEqual(without, ['ARCHITECTURE.md has no row for the room `connection`']);
  const [more] = await foundWith(roomsPageRule, page, (text) =>
    text.replace('| `tasks`, `connection` |', '| `connection` |'),
  );
  assert.match(more ?? '', /^ARCHITECTURE\.md:\d+ has the row .*; the imports are: tasks, connection$/);
});

test('a program of a page that is not the example is found', async () => {
  const line = "const url = 'http://127.0.0.1:3000/mcp';";
  const readme = await foundWith(docProgramsRule, 'README.md', (text) => `${text}\n\`\`\`ts\n${line}\n\`\`\`\n`);
  assert.match(readme.join('\n'), /^README\.md:\d+ has a program that scripts\/check\/doc-programs\.ts does not list$/);
  assert.deepEqual(await foundWith(docProgramsRule, 'examples/host.ts', (text) => `${text}// More.\n`), [
    'docs/client.md does not have examples/host.ts as it is; copy the program',
  ]);
});

test('a link to a file or a heading that does not exist is found', async () => {
  const lines = await found(linksRule, {
    'README.md': [
      '# A',
      '[a](docs/b.md#the-code-part-of-c) [b](#a) [c](docs/) [d](https://example.com/x) `[e](no.md)`',
      '[f](docs/c.md) [g](docs/b.md#none)',
      '```\n[h](no.md)\n```',
      '<img src="docs/no.svg">',
    ].join('\n'),
    'docs/b.md': '## The `code`, part of [C](../README.md#a)\n[i](#twice-1)\n## Twice\n## Twice\n',
  });
  assert.deepEqual(lines, [
    'README.md:3 links docs/c.md, but there is no file docs/c.md',
    'README.md:3 links docs/b.md#none, but docs/b.md has no such heading',
    'README.md:7 links docs/no.svg, but there is no file docs/no.svg',
  ]);
});

test('a page with long sentences or words that readers stumble over is found', async () => {
  const sentence = (count: number): string => `Parley ${'adds '.repeat(count - 2)}words.`;
  const lines = await found(plainWordsRule, {
    'README.md': `# A\n\n${`${sentence(10)}\n`.repeat(91)}`,
    'docs/a.md': `${sentence(17)} ${sentence(17)}\n\n${'`code` '.repeat(2)}\n| ${sentence(40)} |\n`,
    'docs/b.md': `${`${sentence(10)} `.repeat(8)}\n\n- ${sentence(31)}\n- ${sentence(31)}\n`,
    'docs/c.md': 'The value is good.\n\nThe value is held against [a schema](nobody.md).\n\n    nobody\n',
    'docs/check.md': sentence(50),
  });
  assert.deepEqual(lines, [
    'README.md has 912 words, more than 900; move a section to a page',
    'docs/a.md has 17.0 words in a sentence; split sentences until it has at most 16',
    'docs/b.md has 2 sentences of more than 30 words; split them',
    'docs/c.md:5 says "nobody"; name the client, the user or the caller',
    'docs/c.md:3 says "held against"; say "validated against"',
  ]);
});

test('a generated file that somebody changed is found, with its command', async () => {
  const files = [
    'packages/cli/src/check/rows.ts',
    'packages/cli/src/check/client/row/rows.ts',
    'docs/check.md',
    'docs/fidelity.md',
  ];
  for (const file of files)
    assert.match(
      (await foundWith(generatedRule, file, (text) => `${text}x`)).join('\n'),
      new RegExp(`^${file}:\\d+ is not up to date; run \`npm run lab -- [\\w-]+\`$`),
    );
  assert.match(
    (await foundWith(generatedRule, 'interop/by-hand.md', (text) => `${text}x`)).join('\n'),
    /^docs\/evidence\/interop\.md lacks interop\/by-hand\.md/,
  );
  const [finding] = stale(repositoryOf({ a: '1\n2\n3' }), 'a', '1\nx\n3', 'c');
  assert.equal(finding?.line, 2);
});

test('a table of commands that somebody changed is found', async () => {
  const change = (text: string): string => text.replace('| `demo` |', '| `demo2` |');
  assert.match(
    (await foundWith(generatedRule, 'docs/maintaining.md', change)).join('\n'),
    /^docs\/maintaining\.md:\d+ is not up to date; run `npm run lab -- maintaining`$/,
  );
});

test('a row of a register with a wrong id, level or words is found', async () => {
  const row =
    (cells: string): ((text: string) => string) =>
    (text) =>
      `${text}${cells}\n`;
  const file = 'test/spec/requirements.tsv';
  const lines = await foundWith(requirementsRule, file, row('Tools-1\t2025-11-25\tboth\ttools\tMAY\tyes\t\ta place'));
  for (const words of ['has the id "Tools-1"', 'has the level "MAY"', 'has the words "a place"'])
    assert.ok(
      lines.some((line) => line.includes(words)),
      words,
    );
  const again = await foundWith(behavioursRule, 'test/spec/behaviours.tsv', row('A01\tx'));
  assert.match(again.join('\n'), /has the id A01 again[^]*describes A01 in 1 characters/);
});

test('an id that no register has is found in a title', async () => {
  const lines = await found(citedIdsRule, {
    'test/spec/requirements.tsv': 'id\trevisions\nhttp-001\t2025-11-25\n',
    'test/spec/behaviours.tsv': 'id\twords\nA01\tdoes something\n',
    'packages/parley/src/a.test.ts': `test('a [http-001, A01, http-${'002'}]', f);\n`,
  });
  assert.deepEqual(lines, [
    'packages/parley/src/a.test.ts cites http-002, which no register has, in "a [http-001, A01, http-002]"',
  ]);
});

for (const [what, change, words] of [
  [
    'a fact that somebody changed',
    (text: string) => text.replace('"title?": "string"', '"title?": "number"'),
    'digest',
  ],
  ['prose', (text: string) => text.replace('"title?": "string"', '"title?": "a title of it"'), '"a title of it"'],
  ['a word that is no fact', (text: string) => text.replaceAll('"string"', '"strin"'), '"strin" is no fact'],
] as const)
  test(`${what} in the facts of the specification is found`, async () => {
    const file = 'test/spec/2025-06-18.json';
    const lines = await foundWith(specFactsRule, file, change);
    assert.ok(
      lines.some((line) => line.startsWith(file) && line.includes(words)),
      lines.join('\n'),
    );
  });

test('facts of a protocol version that is missing or unknown are found', async () => {
  const text = readFileSync(join(root, 'test/spec/2025-06-18.json'), 'utf8');
  const lines = await found(specFactsRule, { 'test/spec/2025-06-18.json': text, 'test/spec/2023-01-01.json': text });
  assert.equal(lines[0], 'test/spec/2023-01-01.json is of no protocol version');
  assert.equal(lines.filter((line) => line.includes('is missing')).length, 4);
});

test('a command that package.json or the lab does not have is found', async () => {
  const lines = await found(npmScriptsRule, {
    'package.json': JSON.stringify({ scripts: { build: '', lab: '' } }),
    'docs/a.md': 'Run `npm run build`, `npm run lab`,\n`npm run lab -- size` or `npm run lab -- sise`.\n',
    'packages/parley/src/a.ts': "throw new Error('npm run demo');\n",
    'CHANGELOG.md': '`npm run gone`',
  });
  assert.deepEqual(lines, [
    'docs/a.md:2 names `npm run lab -- sise`, which does not exist; `npm run lab` lists what does',
    'packages/parley/src/a.ts:1 names `npm run demo`, which does not exist; `npm run lab` lists what does',
  ]);
});
