/** Each rule of the sources finds what breaks it, and where. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docCommentsRule } from '../../scripts/check/doc-comments.ts';
import { entryPointsRule, oneDeclarationRule, starsRule } from '../../scripts/check/exported-names.ts';
import { foldersRule, lengthsRule } from '../../scripts/check/lengths.ts';
import { dependenciesRule, exportsRule, manifestsRule } from '../../scripts/check/manifest.ts';
import { datesRule, eraRule } from '../../scripts/check/protocol-versions.ts';
import { cyclesRule, foldersPointDownRule, roomsRule } from '../../scripts/check/rooms.ts';
import { findCycle, importsOf } from '../../scripts/check/source-files.ts';
import { wallClockRule } from '../../scripts/check/wall-clock.ts';
import { found } from './found.ts';

const manifest = JSON.stringify({
  version: '1.0.0',
  dependencies: { jose: '1' },
  peerDependencies: {},
  exports: {
    './server': { types: './dist/server.d.ts', default: './dist/server.js' },
    './client': { types: './dist/client.d.ts', default: './lib/client.js' },
    './package.json': './package.json',
  },
});

test('an import up the rooms, of Node in the core, or out of a transport is found', async () => {
  const lines = await found(roomsRule, {
    'packages/parley/src/json/a.ts': "import { a } from './b.ts';\nimport { x } from '../client/x.ts';\n",
    'packages/parley/src/json/b.ts': "import { readFileSync } from 'node:fs';\n",
    'packages/parley/src/transports/http/server/a.ts': "import { a } from '../../../server/runtime/inner.ts';\n",
    'packages/parley/src/attic/a.ts': '',
  });
  assert.deepEqual(lines, [
    'packages/parley/src/attic/a.ts lies in no known room; add its folder to scripts/check/rooms-table.ts',
    'packages/parley/src/json/a.ts:2 imports client/x.ts, which "json" may not; move the code down, or change scripts/check/rooms-table.ts',
    'packages/parley/src/json/b.ts:1 imports node:fs; "json" runs without Node',
    'packages/parley/src/transports/http/server/a.ts:1 imports server/runtime/inner.ts; a transport sees a server only as its endpoint',
  ]);
});

test('folders of a room that import each other are found, types included', async () => {
  const lines = await found(foldersPointDownRule, {
    'packages/parley/src/client/a.ts': "import { b } from './inner/b.ts';\n",
    'packages/parley/src/client/inner/b.ts': "import type { A } from '../a.ts';\n",
    'packages/parley/src/server/a.ts': "import { b } from './inner/b.ts';\n",
    'packages/parley/src/server/inner/b.ts': "import type { D } from '../deeper/d.ts';\n",
    'packages/parley/src/server/deeper/d.ts': '',
  });
  assert.equal(
    lines.find((line) => line.startsWith('packages/parley/src/client/')),
    'packages/parley/src/client/ has folders that import each other: client -> client/inner -> client; move the code down',
  );
  assert.equal(
    lines.some((line) => line.startsWith('packages/parley/src/server/')),
    false,
  );
});

test('a module that loads itself through another is found', async () => {
  const lines = await found(cyclesRule, {
    'packages/parley/src/json/a.ts': "import { b } from './b.ts';\n",
    'packages/parley/src/json/b.ts': "import { a } from './a.ts';\n",
    'packages/parley/src/json/c.ts': "import type { d } from './d.ts';\n",
    'packages/parley/src/json/d.ts': "import { c } from './c.ts';\n",
  });
  assert.deepEqual(lines, [
    'packages/parley/src/json/a.ts loads itself: json/a.ts -> json/b.ts -> json/a.ts; break one of these imports',
  ]);
});

test('an import of a package that users do not have is found', async () => {
  const lines = await found(dependenciesRule, {
    'packages/parley/package.json': manifest,
    'packages/cli/package.json': manifest,
    'packages/parley/src/auth/common/a.ts': "import { x } from 'jose/jwt';\nimport { y } from 'zod';\n",
    'packages/cli/src/inspect/page/a.ts': "import { z } from 'preact';\n",
  });
  assert.deepEqual(lines, [
    'packages/parley/src/auth/common/a.ts:2 imports zod, which is no dependency; a user does not have it',
  ]);
});

test('a command line of another version, or with another version of a dependency, is found', async () => {
  const own = JSON.stringify({ version: '1.0.1', dependencies: { jose: '2' }, peerDependencies: { pg: '8' } });
  const texts = { 'packages/parley/package.json': manifest, 'packages/cli/package.json': own };
  assert.deepEqual(await found(manifestsRule, texts), [
    'packages/cli/package.json has version 1.0.1, and the library 1.0.0; make them equal',
    'packages/cli/package.json needs jose 2, and the library 1; make them equal',
    'packages/cli/package.json needs pg 8, and the library does not; make them equal',
  ]);
});

test('an entry point that is not exported, or not from dist, is found', async () => {
  const lines = await found(exportsRule, {
    'packages/parley/package.json': manifest,
    'packages/parley/src/client.ts': '',
    'packages/parley/src/http.ts': '',
  });
  assert.deepEqual(lines, [
    'packages/parley/src/http.ts is not in the exports of packages/parley/package.json; add "./http"',
    'packages/parley/package.json exports "./server", but there is no packages/parley/src/server.ts',
    'packages/parley/package.json exports "./client" from another place than ./dist/client.js and .d.ts',
  ]);
});

test('the date of a protocol version, and its era, are found outside of the protocol', async () => {
  const texts = {
    'packages/parley/src/protocol/a.ts': "const a = '2025-11-25';\n",
    'packages/parley/src/client/a.ts': "\nconst a = '2025-11-25';\nconst b = revision.era;\n",
  };
  assert.deepEqual(await found(datesRule, texts), [
    "packages/parley/src/client/a.ts:2 names '2025-11-25'; ask a fact of `Revision`",
  ]);
  assert.deepEqual(await found(eraRule, texts), [
    'packages/parley/src/client/a.ts:3 reads the era; ask a fact of `Revision`, and add one if none says it',
  ]);
});

test('an export by star or default, and an index, are found', async () => {
  const lines = await found(starsRule, {
    'packages/parley/src/a.ts': "\nexport * from './b.ts';\nexport default 1;\n",
    'packages/parley/src/json/index.ts': '',
  });
  assert.deepEqual(lines, [
    'packages/parley/src/a.ts:2 has `export *`; list the names',
    'packages/parley/src/a.ts:3 has `export default`; list the names',
    'packages/parley/src/json/index.ts is an index; import the concrete files',
  ]);
});

test('code in an entry point is found', async () => {
  const lines = await found(entryPointsRule, {
    'packages/parley/src/a.ts':
      "/** Words. */\nexport { a } from './json/a.ts';\nexport const b: B = join(a);\nfunction c() {}\n",
    'packages/parley/src/json/a.ts': 'export function a() {}\n',
  });
  assert.deepEqual(lines, ['packages/parley/src/a.ts:4 has `function c() {}`; move it into a folder']);
});

test('an exported name is found that another file declares too', async () => {
  const lines = await found(oneDeclarationRule, {
    'packages/parley/src/json/a.ts': 'export function a(): void;\nexport function a(b?: 1): void {}\n',
    'packages/parley/src/json/b.ts': '\nexport const a = 1;\n',
    'packages/parley/src/json/c.ts': 'interface Own {}\nconst a = 1;\n',
    'packages/cli/src/inspect/page/a.tsx': 'export function Own(): void {}\n',
    'packages/cli/src/inspect/page/b.ts': 'interface Private {}\n',
    'packages/cli/src/inspect/page/c.ts': 'interface Private {}\n',
  });
  assert.deepEqual(lines, [
    'packages/parley/src/json/c.ts:1 declares Own, as packages/cli/src/inspect/page/a.tsx does; rename one of them',
    'packages/parley/src/json/b.ts:2 declares a, as packages/parley/src/json/a.ts does; rename one of them',
  ]);
});

test('a file that is too long, and a folder of too many, are found', async () => {
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`packages/parley/src/json/${at}.ts`, '']));
  assert.deepEqual(
    await found(lengthsRule, {
      'packages/parley/src/a.ts': 'x\n'.repeat(501),
      'packages/parley/src/b.ts': 'x\n'.repeat(500),
    }),
    ['packages/parley/src/a.ts:501 has 501 lines; split it by idea'],
  );
  assert.deepEqual(await found(foldersRule, { ...many, 'packages/parley/src/json/a.test.ts': '' }), [
    'packages/parley/src/json/ has 21 files; group some of them in a folder',
  ]);
});

test('a doc comment that begins with a question is found', async () => {
  const lines = await found(docCommentsRule, {
    'packages/parley/src/a.ts': '/** A name. */\n/**\n * What it is.\n */\n',
  });
  assert.deepEqual(lines, ['packages/parley/src/a.ts:2 begins with "What it is."; name the thing first']);
});

test('a read of the wall clock is found, and a reader that is none', async () => {
  const lines = await found(wallClockRule, { 'packages/parley/src/a.ts': '// `Date.now`\nconst a = Date.now();\n' });
  assert.match(lines[0] ?? '', /^packages\/parley\/src\/a\.ts:2 reads Date\.now; use performance\.now/);
  assert.ok(lines.some((line) => line.startsWith('packages/parley/src/sealing/seal.ts has no Date.now')));
});

test('imports are read from every form of import, and not from comments', () => {
  const text = `
    import a from './a.ts';
    import type {
      B,
    } from './b.ts';
    import './c.ts';
    export { d } from './d.ts';
    const e = await import('./e.ts');
    // import f from './f.ts';
    /* import g from './g.ts'; */
  `;
  assert.deepEqual(importsOf(text), ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
});

test('a cycle is found, and a diamond is none', () => {
  const diamond = new Map([
    ['a', ['b', 'c']],
    ['b', ['d']],
    ['c', ['d']],
    ['d', []],
  ]);
  assert.equal(findCycle(diamond), undefined);
  assert.deepEqual(findCycle(new Map([...diamond, ['d', ['b']]])), ['b', 'd', 'b']);
});
