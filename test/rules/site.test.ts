/** The pages of the site are made of doc comments and of the pages in `docs/`. */

import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commentText } from '../../scripts/site/comment-text.ts';
import { docsPages, titleOf } from '../../scripts/site/docs-pages.ts';
import { groups } from '../../scripts/site/sidebar.ts';
import { root } from '../support/sources.ts';

test('a doc comment becomes text: its tags are words, and its example is a block of code', () => {
  const comment = `/**
 * Creates a server, see {@link Server}.
 *
 * @param info - Its name.
 *
 * @throws
 *
 * TypeError without a name.
 *
 * @example
 *
 * createServer({ name: 'a' });
 */
`;
  assert.deepEqual(commentText(comment).join('\n').split(/\n+/), [
    'Creates a server, see `Server`.',
    '- `info`: Its name.',
    '**Throws** TypeError without a name.',
    'Example:',
    '```ts',
    "createServer({ name: 'a' });",
    '```',
    '',
  ]);
  assert.deepEqual(commentText(undefined), []);
});

test('each page of docs/ is in the sidebar once, or is for maintainers', () => {
  const listed = groups.flatMap(({ pages }) => pages);
  assert.equal(new Set(listed).size, listed.length);
  const pages = globSync('docs/{*,how-to/*,evidence/*,skill/**/*}.md', { cwd: root }).map((path) =>
    path.slice('docs/'.length, -'.md'.length),
  );
  assert.deepEqual(
    pages.filter((page) => !listed.includes(page)),
    ['maintaining'],
  );
});

test('links of a page lead to pages of the site, and a link to anything else becomes text', () => {
  const [index, interop, killed] = docsPages(['index.md', 'evidence/interop.md', 'evidence/killed-processes.md']);
  assert.equal(titleOf(index?.text ?? ''), 'Parley');
  // The tutorial is not among these pages.
  assert.doesNotMatch(index?.text ?? '', /\]\(docs\/|\]\(tutorial/);
  const images = [...(index?.text ?? '').matchAll(/!\[[^\]]*\]\(\/([^)]+)\)/g)].map(([, name]) => name ?? '');
  assert.ok(images.length > 0 && images.every((name) => existsSync(join(root, 'docs/images', name))));
  assert.doesNotMatch(interop?.text ?? '', /\]\(interop-tasks\.md\)/);
  assert.match(killed?.text ?? '', /\bMaintaining lists/);
});
