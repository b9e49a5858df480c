import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isClean, pageOf, resultsIn, type PlaceResult } from '../runtimes/result.ts';
import { root } from './support/sources.ts';

const step = { way: 'in memory', revision: '2026-07-28', step: 'connect' };
const fine: PlaceResult = { place: 'Node 20', version: '20.20.2', results: [step, step] };

test('what a program prints beside its results is passed over', () => {
  assert.deepEqual(resultsIn(`a warning\nresults ${JSON.stringify([step])}\nbye\n`), [step]);
});

test('a program that died tells what it said last', () => {
  assert.throws(() => resultsIn('Segmentation fault\n'), /it printed no results: Segmentation fault/);
});

test('the page counts steps and names what failed and what is missing', () => {
  const failed = { ...fine, place: 'Bun', results: [step, { ...step, step: 'close', error: 'late' }] };
  const absent = { place: 'Chromium', version: '', results: [], missing: 'chromium is not installed' };
  const page = pageOf([fine, failed, absent]);
  assert.match(page, /\| Node 20 \| 20\.20\.2 \| in memory \| 2 of 2 \|/);
  assert.match(page, /\| Bun \| 20\.20\.2 \| in memory \| 1 of 2 \|/);
  assert.match(page, /\| Chromium \| {2}\| not run \| chromium is not installed \|/);
  assert.match(page, /- Bun, in memory, 2026-07-28: close: late/);
  assert.deepEqual([isClean([fine, absent]), isClean([failed])], [true, false]);
});

test(
  'every step of the exercise succeeds on this Node, in memory, over HTTP and on stdio',
  { skip: existsSync(join(root, 'packages/cli/dist/main.js')) ? false : 'the package is not built: npm run build' },
  () => {
    const printed = execFileSync(process.execPath, [join(root, 'runtimes/programs/node.js')], { encoding: 'utf8' });
    const results = resultsIn(printed);
    assert.deepEqual(
      results.filter(({ error }) => error !== undefined),
      [],
    );
    assert.ok(results.length > 150, `${results.length} steps`);
  },
);
