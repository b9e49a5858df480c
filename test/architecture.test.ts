import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findCycle, importsOf, root, sources, type Source } from './support/sources.ts';

const files = sources();

/** The files at the top of src, as a room of their own. */
const entryPoints = 'entry points';

/** What each room may import beside itself; arrows point down. A room within a room is named by its path. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  json: [],
  mistakes: [],
  jsonrpc: ['json'],
  protocol: ['json'],
  schema: [],
  seal: ['jsonrpc'],
  auth: ['jsonrpc', 'seal'],
  store: ['jsonrpc', 'protocol', 'seal', 'mistakes'],
  // How a client is authorized.
  oauth: ['auth', 'store', 'seal', 'jsonrpc', 'mistakes'],
  // Pages at which persons agree to that.
  consent: ['auth', 'store', 'seal', 'jsonrpc'],
  // What both ends stand on.
  peer: ['json', 'jsonrpc', 'protocol', 'store'],
  // What outlives its request, whichever end has it.
  tasks: ['peer', 'json', 'jsonrpc', 'protocol', 'seal', 'store'],
  // What serves.
  host: ['peer', 'json', 'jsonrpc', 'protocol', 'seal', 'store', 'mistakes'],
  server: ['tasks', 'host', 'peer', 'auth', 'jsonrpc', 'protocol', 'schema', 'seal', 'store', 'mistakes'],
  // What tells OpenTelemetry of messages that pass.
  otel: ['host', 'peer', 'jsonrpc', 'protocol', 'store', 'mistakes'],
  // What asks.
  client: ['tasks', 'peer', 'json', 'jsonrpc', 'protocol', 'schema', 'store', 'mistakes'],
  // What guards what serves.
  protect: ['auth', 'host', 'jsonrpc', 'mistakes'],
  // What needs accounts of those who call.
  account: ['consent', 'oauth', 'auth', 'server', 'protocol', 'store', 'seal', 'jsonrpc', 'mistakes'],
  // What translates, and what only explains.
  bridge: [
    'tasks',
    'server',
    'client',
    'host',
    'peer',
    'auth',
    'oauth',
    'consent',
    'json',
    'jsonrpc',
    'protocol',
    'seal',
    'store',
    'mistakes',
  ],
  fidelity: ['protocol'],
  // What records, at the transports of a client.
  wire: ['json', 'jsonrpc', 'protocol', 'auth', 'http/client'],
  // What judges servers and clients that are not ours.
  check: [
    'wire',
    'auth',
    'client',
    'host',
    'peer',
    'schema',
    'json',
    'jsonrpc',
    'protocol',
    'mistakes',
    'store',
    'stdio/client',
    'node',
    'node/server',
  ],
  // What shows them to a person: a process of this machine, and a page that knows nothing but its language.
  inspect: [
    'wire',
    'fidelity',
    'check',
    'client',
    'tasks',
    'auth',
    'schema',
    'json',
    'jsonrpc',
    'protocol',
    'http/client',
    'stdio/client',
    'mistakes',
  ],
  'inspect/page': ['inspect', 'inspect/page/form', 'json'],
  'inspect/page/form': [],
  // The two halves of a transport know nothing of each other.
  'http/server': ['host', 'peer', 'json', 'jsonrpc', 'protocol', 'store', 'mistakes'],
  'http/client': ['auth', 'json', 'jsonrpc', 'protocol', 'mistakes'],
  stdio: ['json', 'jsonrpc', 'mistakes'],
  'stdio/server': ['stdio', 'host', 'json', 'jsonrpc', 'mistakes'],
  'stdio/client': ['stdio', 'jsonrpc', 'mistakes'],
  node: ['peer', 'jsonrpc'],
  'node/credentials': ['store', 'jsonrpc'],
  'node/login': ['node', 'auth', 'mistakes'],
  'node/server': ['http/server', 'host', 'jsonrpc', 'mistakes'],
  'node/client': ['http/client', 'jsonrpc', 'mistakes'],
  sqlite: ['store'],
  postgres: ['store', 'jsonrpc', 'mistakes'],
  redis: ['store', 'seal', 'jsonrpc', 'mistakes'],
  testing: ['server', 'client', 'host', 'peer', 'jsonrpc', 'protocol', 'schema', 'auth', 'store', 'mistakes'],
  // A program like that of any user, which also looks inside.
  cli: [
    entryPoints,
    'bridge',
    'server',
    'client',
    'fidelity',
    'check',
    'inspect',
    'wire',
    'host',
    'peer',
    'json',
    'jsonrpc',
    'protocol',
    'http/server',
    'http/client',
    'stdio/server',
    'stdio/client',
    'node/server',
    'node/client',
    'node/credentials',
    'node/login',
    'node',
    'auth',
    'oauth',
    'redis',
    'otel',
    'seal',
    'store',
    'mistakes',
  ],
};

/** The rooms that run anywhere: no module of Node, no global of Node. */
const neutral: ReadonlySet<string> = new Set([
  'json',
  'mistakes',
  'jsonrpc',
  'protocol',
  'schema',
  'auth',
  'seal',
  'protect',
  'oauth',
  'consent',
  'account',
  'store',
  'peer',
  'otel',
  'tasks',
  'host',
  'server',
  'client',
  'bridge',
  'fidelity',
  'http/server',
  'http/client',
  'postgres',
]);

/** What an edge may see of a server: its endpoint, and the pure functions on messages that both sides need. */
const edgeView: ReadonlySet<string> = new Set([
  'host/caller.ts',
  'host/endpoint.ts',
  'host/batch.ts',
  'host/judged.ts',
  'host/protection.ts',
  'host/request-meta.ts',
  'host/events/service-event.ts',
  'host/session-record.ts',
]);

/** The room of a file, the innermost that has a name. */
function roomOf(path: string): string | undefined {
  if (!path.includes('/')) return entryPoints;
  const parts = path.split('/').slice(0, -1);
  for (let depth = parts.length; depth > 0; depth--) {
    const name = parts.slice(0, depth).join('/');
    if (name in rooms) return name;
  }
  return undefined;
}

function offences(pick: (file: Source) => readonly string[]): readonly string[] {
  return files.flatMap((file) => pick(file).map((what) => `${file.path}: ${what}`));
}

test('every file of src is an entry point or lies in a known room', () => {
  const unknown = files.filter(({ path }) => roomOf(path) === undefined).map(({ path }) => path);
  assert.deepEqual(unknown, []);
});

test('no folder has more than 20 files beside its tests', () => {
  const inside = new Map<string, number>();
  for (const { path } of files) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    inside.set(folder, (inside.get(folder) ?? 0) + 1);
  }
  assert.deepEqual(
    [...inside].filter(([, count]) => count > 20),
    [],
  );
});

test('imports point down the rooms', () => {
  const found = offences(({ path, imports }) => {
    const room = roomOf(path);
    if (room === undefined || room === entryPoints) return [];
    return imports.filter((to) => {
      const target = roomOf(to);
      return target === undefined || (target !== room && rooms[room]?.includes(target) !== true);
    });
  });
  assert.deepEqual(found, []);
});

test('http and stdio see a server only as its endpoint', () => {
  const found = offences(({ path, imports }) =>
    path.startsWith('http/') || path.startsWith('stdio/')
      ? imports.filter((to) => to.startsWith('host/') && !edgeView.has(to))
      : [],
  );
  assert.deepEqual(found, []);
});

test('no module loads itself by a detour', () => {
  assert.equal(findCycle(new Map(files.map(({ path, loads }) => [path, loads])))?.join(' -> '), undefined);
});

test('the core imports no module of Node', () => {
  assert.deepEqual(
    offences(({ path, packages }) =>
      neutral.has(roomOf(path) ?? '') ? packages.filter((name) => name.startsWith('node:')) : [],
    ),
    [],
  );
});

test('what is installed at run time is all that is imported', () => {
  const { dependencies, peerDependencies } = manifest();
  const names = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  // The page is built: what it is made of is in it.
  const found = offences(({ path, packages }) =>
    packages.filter(
      (name) =>
        !path.startsWith('inspect/page/') &&
        !name.startsWith('node:') &&
        !names.some((known) => name === known || name.startsWith(`${known}/`)),
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

/** The files that find out how a conversation is opened, on either side, or try it for who asks. */
const negotiation: ReadonlySet<string> = new Set([
  'protocol/revision.ts',
  'client/connection/initialize.ts',
  'client/connection/negotiate.ts',
  'client/connection/negotiated.ts',
  'cli/explain/server.ts',
  'cli/explain/try.ts',
]);

test('only negotiation reads the era of a revision; everything else asks for a fact', () => {
  const read = /\.era\b|[{,]\s*era\s*[,}:]/;
  const found = offences(({ path, text }) =>
    negotiation.has(path) ? [] : text.split('\n').flatMap((line, at) => (read.test(line) ? [`line ${at + 1}`] : [])),
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

test('no exported name is declared in two files', () => {
  const places = new Map<string, string[]>();
  const declared = /^export (?:abstract )?(?:async )?(?:interface|type|class|function\*?|const) (\w+)/gm;
  // The page is a program of its own: nothing else imports it.
  for (const { path, text } of files) {
    const program = path.startsWith('inspect/page/') ? 'of the page: ' : '';
    for (const [, name = ''] of text.matchAll(declared))
      places.set(program + name, [...(places.get(program + name) ?? []), path]);
  }
  const several = [...places].filter(([, paths]) => new Set(paths).size > 1);
  // One meaning: neither `jsonrpc` nor `protocol` may know the other.
  assert.deepEqual(several, [['RequestId', places.get('RequestId')]]);
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
  readonly peerDependencies: Readonly<Record<string, string>>;
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
