/** The answer to a batch: an array, or events from when it is a stream. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnsweredBatch } from './answered-batch.ts';

/** A batch of some requests, and what was sent. */
function batchOf(requests: number) {
  const log: string[] = [];
  const answer = {
    streaming: false,
    gone: false,
    message: (json: string) => log.push(`event ${json}`),
    finish: (status: number, body?: string) => log.push(`${status} ${body}`),
  };
  const context = { endpoint: {} } as never;
  return { batch: new AnsweredBatch(context, answer as never, requests), answer, log };
}

const response = (id: number) => ({ jsonrpc: '2.0', id, result: {} }) as const;
const json = (id: number): string => JSON.stringify(response(id));

test('responses come in one array, in the order in which they were made', () => {
  const { batch, log } = batchOf(2);
  batch.add(response(2));
  batch.add(response(1));
  assert.deepEqual(log, []);
  assert.equal(batch.complete(), true);
  assert.deepEqual(log, [`200 [${json(2)},${json(1)}]`]);
});

test('responses of a stream are sent at once, those from before with the first of them', () => {
  const { batch, answer, log } = batchOf(3);
  batch.add(response(1));
  answer.streaming = true;
  batch.add(response(2));
  assert.deepEqual(log.splice(0), [`event ${json(1)}`, `event ${json(2)}`]);
  batch.add(response(3));
  assert.deepEqual(log.splice(0), [`event ${json(3)}`]);
  assert.equal(batch.complete(), true);
  assert.deepEqual(log, ['200 undefined']);
});

test('responses from before a stream are sent before it is complete', () => {
  const { batch, answer, log } = batchOf(1);
  batch.add(response(1));
  answer.streaming = true;
  batch.complete();
  assert.deepEqual(log, [`event ${json(1)}`, '200 undefined']);
});

test('a batch without requests has no answer, unless its client is gone', () => {
  const { batch, answer, log } = batchOf(0);
  assert.equal(batch.complete(), false);
  answer.gone = true;
  assert.equal(batch.complete(), true);
  assert.deepEqual(log, []);
});

test('a batch whose requests were all cancelled has an empty answer', () => {
  const { batch, log } = batchOf(1);
  assert.equal(batch.complete(), true);
  assert.deepEqual(log, ['200 undefined']);
});
