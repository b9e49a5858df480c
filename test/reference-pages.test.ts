/** The pages of errors and of environment variables are complete. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { anchorsIn } from '../scripts/check/links.ts';
import { root } from './support/sources.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const reports = globSync('api/*.api.md', { cwd: root }).map(read).join('\n');

/** The strings of a union, as a report writes it. */
function namesOf(type: string): readonly string[] {
  return [...type.matchAll(/'([\w-]+)'|"([\w-]+)"/g)].map(([, one, other]) => one ?? other ?? '');
}

/** The reasons or kinds of each public class of errors. */
function reasonsOfClasses(): ReadonlyMap<string, readonly string[]> {
  const classes = [...reports.matchAll(/export class (\w+Error) extends \w+ \{\n([^]*?)\n\}/g)];
  return new Map(
    classes.map(([, name = '', body = '']) => {
      const [, type = ''] = /^ +readonly (?:reason|kind): ([^;]+);/m.exec(body) ?? [];
      // A name of a type stands for its union.
      const [, named = ''] = new RegExp(`export type ${/^\w+/.exec(type)?.[0] ?? '-'} = ([^;]+);`).exec(reports) ?? [];
      return [name, [...new Set([...namesOf(type), ...namesOf(named)])]];
    }),
  );
}

test('the page of errors has an anchor for each class, and for each of its reasons and kinds', () => {
  const found = reasonsOfClasses();
  assert.ok((found.get('ConnectionError')?.length ?? 0) > 10, 'no reasons were found');
  assert.ok((found.get('AuthorizationError')?.length ?? 0) > 10, 'no reasons were found');
  assert.ok((found.get('McpError')?.length ?? 0) > 10, 'no kinds were found');
  const wanted = [...found].flatMap(([name, reasons]) => [
    name.toLowerCase(),
    ...reasons.map((reason) => `${name.toLowerCase()}-${reason}`),
  ]);
  const anchors = anchorsIn(read('docs/errors.md'));
  assert.deepEqual(
    wanted.filter((anchor) => !anchors.has(anchor)),
    [],
  );
  const known = new Set(wanted);
  const prefixes = [...found.keys()].map((name) => `${name.toLowerCase()}-`);
  assert.deepEqual(
    [...anchors].filter((anchor) => prefixes.some((prefix) => anchor.startsWith(prefix)) && !known.has(anchor)),
    [],
    'the page has a reason that no class has',
  );
});

test('the page of environment variables has each variable that the sources read', () => {
  const page = read('docs/environment.md');
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', '**/inspect/page/**'] });
  const names = sources.flatMap((path) => {
    const text = read(path);
    // Tests and systems set these.
    return [...text.matchAll(/\b(PARLEY_[A-Z_]+)|\b(?:env|environment)\['([A-Z][A-Z_]+)'\]/g)].map(
      ([, own, read_]) => own ?? read_ ?? '',
    );
  });
  assert.ok(names.length > 10);
  const system = ['PATH', 'HOME'];
  assert.deepEqual(
    [...new Set(names)].filter((name) => !system.includes(name) && !page.includes(`\`${name}\``)),
    [],
  );
});

test('pages start commands from the package that has them', () => {
  const pages = [
    'README.md',
    ...globSync('docs/**/*.md', { cwd: root }),
    ...globSync('packages/*/README.md', { cwd: root }),
  ];
  const lines = pages.flatMap((path) =>
    read(path)
      .split('\n')
      .filter((line) => /npx (?:-y )?parley-mcp\b|"npx".*"parley-mcp"/.test(line))
      .map((line) => `${path}: ${line}`),
  );
  assert.ok(pages.length > 90);
  assert.deepEqual(lines, []);
});
