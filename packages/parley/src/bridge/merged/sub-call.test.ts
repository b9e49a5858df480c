/** A request to one of several servers on behalf of the call of a client. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall } from '../../../../../test/support/made-call.ts';
import { subCall } from './sub-call.ts';

test('a part of a call is aborted with it, or with its own signal, before and after it began', () => {
  const { call } = madeCall('tools/list');
  const own = new AbortController();
  const [part, other] = [subCall(call, { method: 'x' }), subCall(call, { method: 'x', signal: own.signal })];
  assert.deepEqual([part.aborted, other.aborted, part.method, part.requestId], [false, false, 'x', 7]);
  call.abort();
  assert.deepEqual([part.aborted, other.aborted], [true, false]);
  own.abort();
  assert.equal(other.aborted, true);
  assert.equal(subCall(call, { method: 'x' }).aborted, true);
});

test('a part of a call tells what it is asked to tell, and logs only where somebody listens', () => {
  const { call, sent } = madeCall('tools/list');
  const heard: unknown[] = [];
  const part = subCall(call, { method: 'x', send: (method) => heard.push(method) });
  const silent = subCall(call, { method: 'x' });
  for (const one of [part, silent]) one.log('info', 'text');
  assert.deepEqual([heard, sent, part.logLevel, silent.logLevel], [['notifications/message'], [], 'debug', undefined]);
});
