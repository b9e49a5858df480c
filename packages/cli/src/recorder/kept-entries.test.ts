import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordingEntry } from './entry.ts';
import { KeptEntries } from './kept-entries.ts';

const entry = (sequence: number, server: string): RecordingEntry => ({
  sequence,
  time: 1,
  server,
  connection: 1,
  bytes: 0,
  lane: 'stderr',
  from: 'server',
});

test('where all entries are too much the oldest make way, whichever server they are of', () => {
  const kept = new KeptEntries({ characters: 100 });
  let lost = 0;
  for (let n = 1; n <= 10; n++) lost += kept.add(entry(n, 'A'), 10);
  for (let n = 11; n <= 14; n++) lost += kept.add(entry(n, 'B'), 10);
  assert.equal(lost, 4);
  assert.deepEqual(
    kept.all.map(({ sequence, server }) => `${server}${sequence}`),
    ['A5', 'A6', 'A7', 'A8', 'A9', 'A10', 'B11', 'B12', 'B13', 'B14'],
  );
  // What is told of one that made way comes too late, and what grows has others make way.
  assert.equal(kept.add(entry(3, 'A'), 10), 0);
  assert.equal(kept.add(entry(14, 'B'), 100), 9);
  assert.deepEqual(
    kept.all.map(({ sequence }) => sequence),
    [14],
  );
  assert.equal(kept.add(entry(15, 'A'), 101), 2);
  assert.deepEqual(kept.all, []);
});

test('of many entries of one server the newest stay, however often some are told of again', () => {
  const kept = new KeptEntries({ entries: 5 });
  let lost = 0;
  for (let n = 1; n <= 1000; n++) {
    lost += kept.add(entry(n, 'A'), 10);
    lost += kept.add(entry(Math.max(1, n - 2), 'A'), 10);
  }
  assert.equal(lost, 995);
  assert.deepEqual(
    kept.all.map(({ sequence }) => sequence),
    [996, 997, 998, 999, 1000],
  );
});
