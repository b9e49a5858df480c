import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rolldown, type OutputChunk } from 'rolldown';
import { startChunks, type Entries } from '../scripts/build/start-chunks.ts';

const modules: Readonly<Record<string, string>> = {
  one: "import { named } from 'a'; export const later = () => import('late'); export { named };",
  two: "export { lone } from 'c'; export { other } from 'b';",
  left: "export { all } from 'd'; export { few } from 'e'; export { both } from 'f'; export const own = () => 1;",
  right: "export { all } from 'd'; export { both } from 'f';",
  lean: "export { all } from 'd'; export { few } from 'e';",
  page: "export { other } from 'b';",
  a: "import { other } from 'b'; const word = () => 'A'; export const named = () => word() + other();",
  b: "const word = () => 'B'; export const other = () => word();",
  c: 'export const lone = () => 1;',
  d: 'export const all = () => 1;',
  e: 'export const few = () => 2;',
  f: 'export const both = () => 3;',
  late: "export { other } from 'b';",
  home: "export { word } from 'g'; export { more } from 'h';",
  guest: "export const later = () => import('visit'); export const start = () => 1;",
  visit: "export { word } from 'g'; export const seen = () => 2;",
  g: 'export const word = () => 1;',
  h: 'export const more = () => 2;',
};

async function built(
  starts: readonly string[],
  options: Omit<Entries, 'starts'> = {},
): Promise<readonly OutputChunk[]> {
  const { plugin, group } = startChunks({ starts: Object.fromEntries(starts.map((name) => [name, name])), ...options });
  const files = {
    name: 'files',
    resolveId: (id: string) => (id in modules ? id : null),
    load: (id: string) => modules[id] ?? null,
  };
  const bundle = await rolldown({
    input: Object.fromEntries(
      ['one', 'two', 'left', 'right', 'lean', 'page', 'home', 'guest'].map((name) => [name, name]),
    ),
    preserveEntrySignatures: 'allow-extension',
    plugins: [files, plugin],
  });
  const { output } = await bundle.generate({
    chunkFileNames: '[name].js',
    codeSplitting: { includeDependenciesRecursively: false, groups: [group] },
  });
  await bundle.close();
  return output.filter((file) => file.type === 'chunk');
}

const holds = (chunks: readonly OutputChunk[], name: string): readonly string[] =>
  chunks.find(({ fileName }) => fileName === `${name}.js`)?.moduleIds ?? [];

test('modules that the same entry points load become one chunk, others stay', async () => {
  const chunks = await built(['one', 'two']);
  assert.deepEqual(holds(chunks, 'start-one'), ['a']);
  assert.deepEqual(holds(chunks, 'start-two'), ['c']);
  assert.deepEqual(holds(chunks, 'start-one-two'), ['b']);
  assert.deepEqual(holds(chunks, 'one'), ['one']);
  assert.ok(chunks.some(({ moduleIds, isDynamicEntry }) => isDynamicEntry && moduleIds.includes('late')));
});

test('what a lean entry point shares with any others is one chunk, and what they share without it another', async () => {
  const starts = ['left', 'right', 'lean'];
  assert.deepEqual(holds(await built(starts), 'start-shared'), []);
  const chunks = await built(starts, { lean: ['lean'] });
  assert.deepEqual(holds(chunks, 'start-shared').toSorted(), ['d', 'e']);
  assert.deepEqual(holds(chunks, 'start-left-right'), ['f']);
});

test('what a page shares with a program on Node does not bring the rest of that along', async () => {
  const chunks = await built(['one'], { apart: { page: ['one'] } });
  assert.deepEqual(holds(chunks, 'start-one'), ['a']);
  const page = chunks.find(({ fileName }) => fileName === 'page.js');
  assert.ok(page !== undefined && !page.imports.includes('start-one.js'), page?.imports.join());
});

test('a module that another entry point loads later is a chunk of its own', async () => {
  const chunks = await built(['home', 'guest']);
  assert.deepEqual(holds(chunks, 'start-home'), ['h']);
  assert.deepEqual(holds(chunks, 'start-home-also-guest'), ['g']);
  const others = await built(['home'], { others: { guest: 'guest' } });
  assert.deepEqual(holds(others, 'start-home-also-guest'), ['g']);
});

test('a small group joins a larger one only if each entry point may load both', async () => {
  const starts = ['left', 'right', 'lean'];
  assert.deepEqual(holds(await built(starts, { mayLoad: () => true }), 'start-left-lean'), []);
  const mayLoad = (entry: string, id: string): boolean => id !== 'e' || entry !== 'right';
  assert.deepEqual(holds(await built(starts, { mayLoad }), 'start-left-lean'), ['e']);
});

test('names that modules have in common stay apart, and what is loaded on demand is outside', async () => {
  const chunks = await built(['one']);
  const together = chunks.find(({ fileName }) => fileName === 'start-one.js');
  assert.deepEqual(together?.moduleIds.toSorted(), ['a', 'b']);
  assert.ok(!chunks.some(({ imports }) => imports.includes('late.js')));
  const exported = together?.code.match(/export \{(.*)\}/s)?.[1] ?? '';
  const module: Record<string, () => string> = await import(
    `data:text/javascript,${encodeURIComponent(together?.code ?? '')}`
  );
  assert.deepEqual(
    Object.values(module)
      .map((give) => give())
      .toSorted(),
    ['AB', 'B'],
    exported,
  );
});

test('modules that are needed together and later become one chunk, and none of a start may be among them', async () => {
  const chunks = await built(['guest', 'home'], { together: { visit: ['visit', 'late'] } });
  const held = holds(chunks, 'later-visit');
  assert.deepEqual(
    ['visit', 'late', 'g'].map((id) => held.includes(id)),
    [true, true, false],
  );
  await assert.rejects(
    built(['guest'], { together: { visit: ['visit', 'b', 'd'] } }),
    /not all of "visit" is loaded by the same entry points/,
  );
  await assert.rejects(built(['guest'], { together: { visit: ['nothing'] } }), /at no start: nothing/);
});
