import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const source = join(import.meta.dirname, '..');

/** The files that a file loads when it needs them first. */
function lateOf(file: string): readonly string[] {
  const text = readFileSync(join(source, file), 'utf8');
  return [...text.matchAll(/\bimport\(\s*'(\.[^']+)'/g)].map(([, path = '']) => normalize(join(dirname(file), path)));
}

/** What a call of a pair in memory never needs, or needs only where a test asks for it and waits. */
const others = new Set([
  // Only `request` with a schema for its result.
  'schema/schema.ts',
  // Only stores that a test gives.
  'storage/bus.ts',
  'storage/memory/task-shelf.ts',
]);

test('whatever servers and clients load late is loaded before a pair in memory is there', () => {
  const late = ['client', 'server', 'host', 'schema', 'store']
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: source }))
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap(lateOf);
  assert.ok(late.length > 10);
  const loaded = new Set(lateOf('testing/all-loaded.ts'));
  assert.deepEqual(
    [...new Set(late)].filter((file) => !loaded.has(file) && !others.has(file)),
    [],
  );
});

test('nothing of it is loaded at once with another, which the loader of Jest fails', () => {
  const text = readFileSync(join(source, 'testing/all-loaded.ts'), 'utf8');
  const loads = [...text.matchAll(/\bimport\(/g)].length;
  assert.equal([...text.matchAll(/^ {2}await import\(/gm)].length, loads);
});

test('once a pair in memory is there, no call of it loads anything', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    let loads = [];
    registerHooks({ load: (url, context, next) => (loads.push(url), next(url, context)) });
    const { createServer } = await import('./src/server.ts');
    const { connectInMemory } = await import('./src/testing.ts');
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const server = createServer({ name: 's', version: '1' });
      const input = { type: 'object', properties: { a: { type: 'number' } } };
      server.tool('ask', { input, output: input }, async (given, ctx) => {
        await ctx.elicit({ message: 'who?', schema: { type: 'object', properties: { a: { type: 'string' } } } });
        return given;
      });
      server.prompt('p', {}, () => 'x');
      server.resource('x://a', { name: 'a' }, () => 'x');
      const client = await connectInMemory(server, { revision, onElicit: () => ({ action: 'accept', content: { a: 'b' } }) });
      loads = [];
      await client.listTools();
      await client.callTool('ask', { a: 1 });
      await client.getPrompt('p');
      await client.readResource('x://a');
      console.log(loads.length === 0 ? 'nothing' : loads.join());
      await client.close();
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(source, '..'),
    timeout: 60_000,
  });
  assert.equal(stdout, 'nothing\nnothing\n');
});
