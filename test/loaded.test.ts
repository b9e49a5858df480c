/** What programs load of the built library: at the start of each entry point, and when a feature is first used. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { RevisionDate } from '../packages/parley/src/protocol/revision.ts';
import type { createServer } from '../packages/parley/src/server.ts';
import { importedBy } from '../scripts/check/package/imports.ts';
import { loadBudgets } from '../scripts/load-plan.ts';
import { open, statelessDate, type Raw } from './support/raw.ts';
import { root } from './support/sources.ts';
import { until } from './support/turns.ts';

const dist = join(root, 'packages/parley/dist');
const skip = existsSync(join(dist, 'index.js')) ? false : 'the package is not built: npm run build';
const distUrl = pathToFileURL(dist).href;

/** The bytes that each use loaded so far. A use has modules of its own, which are named by a query. */
const loaded = new Map<string, number>();

const hooks = registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const [, use] = context.parentURL?.split('?use=') ?? [];
    return use === undefined || !found.url.startsWith(distUrl) ? found : { ...found, url: `${found.url}?use=${use}` };
  },
  load(url, context, next) {
    const [path = '', use] = url.split('?use=');
    if (use !== undefined && path.startsWith(distUrl))
      loaded.set(use, (loaded.get(use) ?? 0) + statSync(new URL(path)).size);
    return next(url, context);
  },
});
after(() => hooks.deregister());

type Server = ReturnType<typeof createServer>;

/** Defines something of a server, and uses it for the first time. */
interface FirstUse {
  /** The newest session-based one by default. */
  readonly revision?: RevisionDate;
  define(server: Server): void;
  use(raw: Raw): Promise<unknown>;
}

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

function defineQuestion(server: Server): void {
  server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.elicit({ message: 'Name?', schema })));
}

const uses: Readonly<Record<keyof typeof loadBudgets.uses, FirstUse>> = {
  call: {
    define: (server) => server.tool('greet', { input: schema }, ({ name }) => name),
    use: (raw) => raw.result('tools/call', { name: 'greet', arguments: { name: 'Ada' } }),
  },
  elicitation: {
    define: defineQuestion,
    async use(raw) {
      void raw.send('tools/call', { name: 'ask' });
      await until(() => raw.methods.includes('elicitation/create'), 'a question');
    },
  },
  statelessElicitation: {
    revision: statelessDate,
    define: defineQuestion,
    use: (raw) => raw.result('tools/call', { name: 'ask' }),
  },
  resource: {
    define: (server) => server.resource('file:///a', { name: 'a' }, () => 'text'),
    use: (raw) => raw.result('resources/read', { uri: 'file:///a' }),
  },
  prompt: {
    define: (server) => server.prompt('p', {}, () => 'hello'),
    use: (raw) => raw.result('prompts/get', { name: 'p' }),
  },
};

/** The bytes that a stdio server loads until its first list, and then for a first use. */
async function bytesOf(use: string, first?: FirstUse, define?: (server: Server) => void): Promise<readonly number[]> {
  // The built module has the types of its source.
  const built = (await import(`${distUrl}/server.js?use=${use}`)) as { createServer: typeof createServer };
  await import(`${distUrl}/stdio.js?use=${use}`);
  const server = built.createServer({ name: 's', version: '1' });
  server.tool('add', { input: { type: 'object', properties: { a: { type: 'number' } } } }, ({ a }) => String(a));
  define?.(server);
  first?.define(server);
  const raw = await open(server, first?.revision ?? '2025-11-25', { capabilities: { elicitation: {} } });
  await raw.result('tools/list');
  const start = loaded.get(use) ?? 0;
  await first?.use(raw);
  const more = (loaded.get(use) ?? 0) - start;
  void server.close();
  return [start, more];
}

/** A file, and the files that it loads by statements. */
function closureOf(file: string): ReadonlySet<string> {
  const found = new Set([file]);
  // A loop over a set also visits what the loop adds.
  for (const one of found)
    for (const name of importedBy(readFileSync(one, 'utf8')))
      if (name.startsWith('.')) found.add(join(dirname(one), name));
  return found;
}

/** What is over its budget, in bytes. */
function over(what: string, bytes: number, kilobytes: number): readonly string[] {
  return bytes <= kilobytes * 1000 ? [] : [`${what} loads ${bytes} bytes, over its budget of ${kilobytes} KB`];
}

test('an entry point loads no more at its start than its budget', { skip }, () => {
  const wrong = Object.entries(loadBudgets.entries).flatMap(([entry, budget]) => {
    const files = [...closureOf(join(dist, `${entry}.js`))];
    return over(
      entry,
      files.reduce((sum, file) => sum + statSync(file).size, 0),
      budget,
    );
  });
  assert.deepEqual(wrong, []);
});

test('a stdio server loads no more until its first list than its budget', { skip }, async () => {
  const [plain = 0] = await bytesOf('plain');
  const [withTask = 0] = await bytesOf('task', undefined, (server) =>
    server.tool('slow', { task: 'optional' }, () => 'done'),
  );
  assert.ok(plain > 100_000, `only ${plain} bytes were seen`);
  assert.deepEqual(
    [...over('a stdio server', plain, loadBudgets.stdio), ...over('one with a task', withTask, loadBudgets.task)],
    [],
  );
});

for (const [name, first] of Object.entries(uses))
  test(`a first ${name} loads no more than its budget`, { skip }, async () => {
    const [, bytes = 0] = await bytesOf(name, first);
    assert.deepEqual(over(`a first ${name}`, bytes, loadBudgets.uses[name as keyof typeof uses]), []);
  });
