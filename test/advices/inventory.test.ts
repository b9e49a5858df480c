/** No message tells a reader to do something that no test does. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../support/sources.ts';
import { followed } from './inventory.ts';
import { advisedLines } from './lines.ts';
import { noAdvices } from './no-advices.ts';
import { advisingTexts } from './texts.ts';

const listed = [
  ...advisedLines.map(({ text }) => text),
  ...followed.flatMap(([, , texts]) => texts),
  ...Object.values(noAdvices).flat(),
];

test('each text that advises an option or a command is in the inventory, and each text there is in a source', () => {
  const found = advisingTexts();
  const known = new Set(listed);
  // Follow the advice in a test, and add the text to `inventory.ts` or `lines.ts`.
  assert.deepEqual(
    found.filter(([, text]) => !known.has(text)),
    [],
  );
  const there = new Set(found.map(([, text]) => text));
  assert.deepEqual(
    listed.filter((text) => !there.has(text)),
    [],
  );
  assert.equal(new Set(listed).size, listed.length);
});

test('each test that the inventory names is there', async () => {
  const missing = await Promise.all(
    followed.map(async ([file, title]) =>
      (await readFile(join(root, file), 'utf8')).includes(title) ? [] : [`${file}: ${title}`],
    ),
  );
  assert.deepEqual(missing.flat(), []);
});
