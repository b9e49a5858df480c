import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReportRoom } from './report-room.ts';

const report = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}';
const minutes = (count: number): number => count * 60_000;

test('reports take so many events in five minutes, and answers always have room', () => {
  let now = 0;
  const room = new ReportRoom(() => now, { events: 2, length: 1e6 });
  assert.deepEqual([room.take(report), room.take(report), room.take(report)], [true, true, false]);
  assert.equal(room.take('{"jsonrpc":"2.0","id":1,"result":{}}'), true);
  now = minutes(5) - 1;
  assert.equal(room.take(report), false);
  now = minutes(5);
  assert.deepEqual([room.take(report), room.take(report), room.take(report)], [true, true, false]);
});

test('reports take so many characters in five minutes', () => {
  let now = 0;
  const room = new ReportRoom(() => now, { events: 9, length: 2 * report.length });
  assert.deepEqual([room.take(report), room.take(report), room.take(report)], [true, true, false]);
  now = minutes(5);
  assert.equal(room.take(report), true);
  assert.equal(room.take(report.replace('1', '11')), false);
  assert.equal(room.take(report), true);
});
