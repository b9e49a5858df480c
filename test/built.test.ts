import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { entries } from '../scripts/bundle.ts';
import { root } from './support/sources.ts';

const dist = join(root, 'dist');
const program = join(dist, 'cli/main.js');
const skip = existsSync(program) ? false : 'the package is not built: npm run build';

test('what several built entry points export is one and the same', { skip }, async () => {
  const seen = new Map<string, unknown>();
  const several = new Set<string>();
  for (const file of readdirSync(dist).filter((name) => name.endsWith('.js'))) {
    const module: object = await import(pathToFileURL(join(dist, file)).href);
    for (const [name, value] of Object.entries(module)) {
      if (seen.has(name)) several.add(name);
      else seen.set(name, value);
      assert.equal(value, seen.get(name), `${name} of ${file}`);
    }
  }
  assert.ok(several.has('McpError') && several.has('ConnectionError'), [...several].join());
});

test('built, what only some need is still loaded on demand', { skip }, () => {
  const texts = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(dist, name), 'utf8'));
  assert.ok(texts.some((text) => text.includes('await import("./json-schema-')));
  assert.deepEqual(
    texts.filter((text) => /^(import|\}) .*"undici/m.test(text)),
    [],
  );
  const started = [...startedFiles()];
  assert.ok(started.some((name) => name.includes('start-')));
  assert.deepEqual(
    started.filter((name) => /\/(json-schema|client-sse-pair|inspect)-/.test(name)),
    [],
  );
});

/** The files that an entry point or the program loads by statements, and what those load. */
function startedFiles(): ReadonlySet<string> {
  const tops = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const files = new Set([...tops.map((name) => join(dist, name)), program]);
  for (const file of files)
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/^(?:import|export|\}) .*"(\.\S*)"/gm))
      if (name !== undefined) files.add(join(dirname(file), name));
  return files;
}

test(
  'a page can bundle every entry point but those of Node, and of an engine that no page reaches, into one file',
  { skip },
  async () => {
    const ofNode: ReadonlySet<string> = new Set(['node', 'stdio', 'redis', 'check']);
    const neutral = entries.filter((entry) => !ofNode.has(entry));
    for (const entry of neutral) {
      const contents = `export * from './dist/${entry === '' ? 'index' : entry}.js';`;
      const stdin = { contents, resolveDir: root };
      // It fails when a module of Node is asked for, be it on demand.
      const made = await build({
        stdin,
        bundle: true,
        write: false,
        platform: 'browser',
        format: 'esm',
        logLevel: 'silent',
      });
      assert.deepEqual(made.errors, [], entry);
    }
  },
);

test('the built program reaches its own example server', { skip }, () => {
  const run = (...words: readonly string[]): string =>
    execFileSync(process.execPath, [program, ...words], { encoding: 'utf8', timeout: 30_000 });
  assert.match(run('--version'), /^\d+\.\d+\.\d+/);
  assert.match(run('call', 'add', 'a=1', 'b=2', '--', process.execPath, program, 'example'), /"sum": 3/);
});
