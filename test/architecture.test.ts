import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findCycle, importsOf, root, sources, type Source } from './support/sources.ts';

const files = sources();

/** What each layer may import beside itself; arrows point down. */
const layers: Readonly<Record<string, readonly string[]>> = {
  json: [],
  jsonrpc: ['json'],
  protocol: ['json'],
  schema: [],
  auth: [],
  store: ['protocol'],
  peer: ['json', 'jsonrpc', 'protocol', 'schema'],
  server: ['peer', 'jsonrpc', 'protocol', 'schema', 'store'],
  client: ['peer', 'json', 'jsonrpc', 'protocol', 'schema', 'store'],
  bridge: ['server', 'client', 'peer', 'json', 'jsonrpc', 'protocol', 'schema', 'store'],
  http: ['json', 'jsonrpc', 'protocol', 'peer', 'store'],
  stdio: ['jsonrpc', 'protocol', 'peer'],
  node: ['http', 'jsonrpc', 'protocol', 'peer'],
  redis: ['store'],
  testing: ['server', 'client', 'bridge', 'peer', 'jsonrpc', 'protocol', 'schema', 'http', 'stdio', 'store'],
  cli: [
    'server',
    'client',
    'bridge',
    'peer',
    'jsonrpc',
    'protocol',
    'schema',
    'http',
    'stdio',
    'node',
    'auth',
    'store',
  ],
};

/** The layers that run anywhere: no module of Node, no global of Node. */
const neutral: ReadonlySet<string> = new Set([
  'json',
  'jsonrpc',
  'protocol',
  'schema',
  'auth',
  'store',
  'peer',
  'server',
  'client',
  'bridge',
  'http',
]);

/** What an edge may see of a server: its endpoint, and the pure functions on messages that both sides need. */
const edgeView: ReadonlySet<string> = new Set([
  'peer/endpoint.ts',
  'peer/header.ts',
  'peer/answer.ts',
  'peer/preamble.ts',
]);

function offences(pick: (file: Source) => readonly string[]): readonly string[] {
  return files.flatMap((file) => pick(file).map((what) => `${file.path}: ${what}`));
}

test('every folder of src is a known layer', () => {
  const unknown = files.filter(({ layer }) => layer !== '' && !(layer in layers)).map(({ path }) => path);
  assert.deepEqual(unknown, []);
});

test('imports point down the layers', () => {
  const found = offences(({ layer, imports }) => {
    const allowed = layers[layer];
    return imports.filter((to) => {
      if (allowed === undefined) return false;
      const target = to.slice(0, to.indexOf('/'));
      return !to.includes('/') || (target !== layer && !allowed.includes(target));
    });
  });
  assert.deepEqual(found, []);
});

test('http and stdio see a server only as its endpoint', () => {
  const found = offences(({ layer, imports }) =>
    layer === 'http' || layer === 'stdio' ? imports.filter((to) => to.startsWith('peer/') && !edgeView.has(to)) : [],
  );
  assert.deepEqual(found, []);
});

test('no module loads itself by a detour', () => {
  assert.equal(findCycle(new Map(files.map(({ path, loads }) => [path, loads])))?.join(' -> '), undefined);
});

test('the core imports no module of Node', () => {
  assert.deepEqual(
    offences(({ layer, packages }) => (neutral.has(layer) ? packages.filter((name) => name.startsWith('node:')) : [])),
    [],
  );
});

test('what is installed at run time is all that is imported', () => {
  const { dependencies } = manifest();
  const names = Object.keys(dependencies);
  const found = offences(({ packages }) =>
    packages.filter(
      (name) => !name.startsWith('node:') && !names.some((known) => name === known || name.startsWith(`${known}/`)),
    ),
  );
  assert.deepEqual(found, []);
});

test('revision dates are quoted in protocol alone', () => {
  const date = /['"`](2024-11-05|2025-03-26|2025-06-18|2025-11-25|2026-07-28)['"`]/;
  const found = offences(({ layer, text }) =>
    layer === 'protocol' ? [] : text.split('\n').flatMap((line, at) => (date.test(line) ? [`line ${at + 1}`] : [])),
  );
  assert.deepEqual(found, []);
});

test('nothing is exported by star or by default', () => {
  const pattern = /^export (\*|default\b)/m;
  assert.deepEqual(
    offences(({ text }) => (pattern.test(text) ? ['export *, or default'] : [])),
    [],
  );
});

test('an entry point lists names, and ties layers together in one expression at most', () => {
  const statement = /(export|import) (type )?\{[^}]*\} from '[^']+';|export const \w+: [^;]*;/g;
  const found = offences(({ layer, text }) => {
    if (layer !== '') return [];
    const rest = text
      .replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
      .replaceAll(statement, '')
      .trim();
    return rest === '' ? [] : [rest.slice(0, 80)];
  });
  assert.deepEqual(found, []);
});

test('no source file is longer than 400 lines', () => {
  assert.deepEqual(
    offences(({ text }) => (text.split('\n').length > 401 ? ['too long'] : [])),
    [],
  );
});

test('no folder of src has an index', () => {
  assert.deepEqual(
    files.filter(({ path }) => path.endsWith('/index.ts')).map(({ path }) => path),
    [],
  );
});

test('the entry points are what the package exports', () => {
  const entries = files.filter(({ layer }) => layer === '').map(({ path }) => path.replace(/\.ts$/, ''));
  const exported = Object.keys(manifest().exports).filter((name) => name !== './package.json');
  const expected = entries.map((name) => (name === 'index' ? '.' : `./${name}`));
  assert.deepEqual(exported.toSorted(), expected.toSorted());
});

test('each export is its entry point, built', () => {
  for (const [name, target] of Object.entries(manifest().exports)) {
    if (typeof target === 'string') continue;
    const file = name === '.' ? 'index' : name.slice(2);
    assert.deepEqual(target, { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` });
  }
});

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

function manifest(): Manifest {
  // The file is our own package.json, which has both fields.
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
}

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
