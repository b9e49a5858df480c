/** Each rule of the built and packed package finds what breaks it. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { apiFaults } from '../../scripts/check/package/api.ts';
import { bundleFaults, earlyLoads, twiceExported } from '../../scripts/check/package/built.ts';
import { contentFaults, newerTypes, typeFaults } from '../../scripts/check/package/packed.ts';
import { strayModules } from '../../scripts/check/package/products.ts';
import { unlessFine } from '../../scripts/check/package/published.ts';
import { pageFaults } from '../../scripts/check/package/sizes.ts';
import { repositoryOf } from '../../scripts/check/repository.ts';
import { lineOf, type Finding } from '../../scripts/check/rule.ts';

const lines = (found: readonly Finding[]): readonly string[] => found.map(lineOf);

/** A folder with a few files, until the test is over. */
function folderOf(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-rules-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

test('the words of a tool that judges packages are passed on when it fails', () => {
  assert.deepEqual(unlessFine({ code: 0, printed: 'fine' }), []);
  assert.match(lines(unlessFine({ code: 1, printed: 'no types\n' })).join(), /no types$/);
});

test('stale reports, undocumented names and members, and types not exported are found', () => {
  const text = 'export interface A {\n    // (undocumented)\n    readonly b?: string;\n}\n';
  const report = { file: 'a.api.md', text, exported: ['A'], forgotten: ['B_2', 'A_3'], undocumented: ['C'] };
  const repository = repositoryOf({ 'api/a.api.md': 'old', 'api/gone.api.md': '' });
  assert.deepEqual(lines(apiFaults(repository, [report])), [
    'api/gone.api.md is of no entry point; run `npm run api`',
    'api/a.api.md:1 is not up to date; run `npm run api`',
    'api/a.api.md exports C without a doc comment',
    'api/a.api.md has the member A.b without a doc comment',
    'api/a.api.md names the type B, which no entry point exports',
  ]);
});

test('a class that two entry points have twice is found', () => {
  const [first, second] = [
    { A: class {}, b: 1 },
    { A: class {}, b: 1 },
  ];
  assert.deepEqual(lines(twiceExported({ 'a.js': first, 'b.js': second })), [
    'dist/b.js has a A of its own beside that of a.js; look at scripts/build.ts',
  ]);
});

test('what an entry point loads at its start, though only some need it, is found', (t) => {
  const folder = folderOf(t, {
    'server.js': 'import { a } from "./chunks/start-a.js";\n',
    'chunks/start-a.js': 'import{b}from"./json-schema-1.js";import{c}from"undici";',
    'chunks/json-schema-1.js': '',
  });
  assert.deepEqual(lines(earlyLoads(folder)), [
    'dist/chunks/json-schema-1.js is loaded at a start; load it with import()',
    'dist/chunks/start-a.js loads undici at its start; load it with import()',
  ]);
});

test('a chunk with a module of another product is found, also if it is loaded later', (t) => {
  const map = (...sources: readonly string[]): string =>
    JSON.stringify({ sources: sources.map((path) => `../../src/${path}`) });
  const folder = folderOf(t, {
    'server.js': 'import { a } from "./chunks/a.js";\nconst later = () => import("./chunks/b.js");\n',
    'chunks/a.js': '',
    'chunks/a.js.map': map('server/tool.ts', 'json/copy.ts', 'server/runtime/request-handler.ts'),
    'chunks/b.js': 'import{c,\nd}from"./c.js";export{c}',
    'chunks/c.js': '',
    'chunks/c.js.map': map('client/connect.ts', 'client/api/client.ts', 'connection/client-request.ts'),
    'client.js': 'export { c } from "./chunks/c.js";\n',
  });
  assert.deepEqual(lines(strayModules(folder)), [
    'dist/chunks/c.js is loaded by server.js and holds client/connect.ts and 1 more; look at scripts/products.ts',
  ]);
});

test('a module that a page cannot bundle is found', async () => {
  assert.match(lines(await bundleFaults('node:fs')).join(), /cannot be bundled for a page/);
});

test('types that need the DOM, or a new compiler, are found', async (t) => {
  const folder = folderOf(t, {
    'node_modules/parley-mcp/package.json': JSON.stringify({
      name: 'parley-mcp',
      exports: { '.': { types: './dist/index.d.ts' } },
    }),
    'node_modules/parley-mcp/dist/index.d.ts':
      'export declare const a: HTMLElement;\nexport declare const b: Uint8Array<ArrayBuffer>;\n',
  });
  const installed = join(folder, 'node_modules/parley-mcp');
  assert.match(lines(await typeFaults(installed)).join('\n'), /Cannot find name 'HTMLElement'/);
  assert.deepEqual(lines(newerTypes(installed)), ['dist/index.d.ts has a Uint8Array<…>; write its type in the source']);
});

test('a packed source, a link to nothing and a package that is too large are found', (t) => {
  const folder = folderOf(t, {
    'README.md': '[a](docs/a.md) [b](docs/b.md#c) [d](https://example.com)',
    'docs/a.md': '',
    'dist/a.d.ts': '',
    'dist/a.js.map': '',
    'src/a.test.ts': '',
  });
  assert.deepEqual(lines(contentFaults(folder, { packed: 4, packedBytes: 3, bytes: 56, files: 4 })), [
    'dist/a.js.map is in the package; look at `files` in package.json',
    'src/a.test.ts is in the package; look at `files` in package.json',
    'README.md links docs/b.md, which is not in the package',
    'package.json makes a package of 4 packed bytes, over 3; leave something out',
    'package.json makes a package of 5 files, over 4; leave something out',
  ]);
});

test('a page that is too large, or none, is found', (t) => {
  assert.match(lines(pageFaults(folderOf(t, { 'main.js': randomBytes(107_000) }))).join(), /over its budget/);
  assert.match(lines(pageFaults(folderOf(t, { 'main.js': 'x' }))).join(), /which is none/);
  assert.deepEqual(pageFaults(folderOf(t, { 'main.js': randomBytes(60_000) })), []);
});
