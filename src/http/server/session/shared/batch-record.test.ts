import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../../../store/memory/store.ts';
import { StoreError } from '../../../../store/store.ts';
import type { Records } from '../../../../store/records.ts';
import { answeredBefore, BatchRecord, type BatchRecordPlace } from './batch-record.ts';

const minute = 60_000;

function placeIn(records: Records): BatchRecordPlace {
  return { records, session: 's', stream: 'a-1', requests: [1, 'two', 3, 'two'] };
}

const response = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });
const progress = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: {} });

/** The record of who writes, with a clock that the test moves. */
function written(records: Records, ttlMs = 30 * minute) {
  const clock = { now: 0 };
  const failures: unknown[] = [];
  const ways = { ttlMs, now: () => clock.now, failed: (cause: unknown) => void failures.push(cause) };
  return { record: new BatchRecord(placeIn(records), ways), clock, failures };
}

test('who goes on with the stream of a batch knows which requests were answered there, until it is complete', async () => {
  const { records } = memoryStore();
  const { record } = written(records);
  assert.deepEqual(await answeredBefore(placeIn(records)), []);
  for (const data of ['', progress, response('two'), response(9), response(3)]) await record.note(data);
  assert.deepEqual(await answeredBefore(placeIn(records)), ['two', 3, 'two']);
  assert.deepEqual(await answeredBefore({ ...placeIn(records), stream: 'a-2' }), []);
  await record.forget();
  assert.deepEqual(await answeredBefore(placeIn(records)), []);
});

test('what a batch was answered is known as long as its stream goes on, however long that takes', async () => {
  const clock = { now: 0 };
  const { records } = memoryStore({ now: () => clock.now });
  const { record, clock: own } = written(records, minute);
  await record.note(response(1));
  for (let at = 0; at < 20; at++) {
    own.now = clock.now += 5 * minute;
    await record.note(progress);
  }
  assert.deepEqual(await answeredBefore(placeIn(records)), [1]);
});

test('that a store does not keep what a batch was answered is told once, and stops nothing', async () => {
  const full = (): never => {
    throw new StoreError('full', 'no room');
  };
  const { record, failures } = written({ ...memoryStore().records, put: full, delete: full });
  for (const id of [1, 3]) await record.note(response(id));
  await record.forget();
  assert.equal(failures.length, 1);
});

test('nothing is stored of a batch before one of its requests is answered, however long that takes', async () => {
  const { records } = memoryStore();
  let puts = 0;
  const put: Records['put'] = (...given) => (puts++, records.put(...given));
  const { record, clock } = written({ ...records, put });
  for (let at = 0; at < 4; at++) {
    clock.now += 10 * minute;
    await record.note(progress);
  }
  await record.forget();
  assert.equal(puts, 0);
  await record.note(response(1));
  await record.note(response(1));
  assert.equal(puts, 1);
});
