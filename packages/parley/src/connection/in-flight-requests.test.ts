import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InFlightRequests, type RunningRequest } from './in-flight-requests.ts';

/** Of a request only its id matters here. */
function callOf(requestId: number | string): RunningRequest {
  return { requestId, abort() {} };
}

test('calls are found by their ids, however many run', () => {
  const running = new InFlightRequests<RunningRequest>(10);
  const calls = [callOf(1), callOf('1'), callOf(2)];
  for (const [at, call] of calls.entries()) {
    running.add(call);
    assert.deepEqual([running.size, running.all()], [at + 1, calls.slice(0, at + 1)]);
  }
  assert.ok(calls.every((call) => running.get(call.requestId) === call));
  assert.equal(running.get('2'), undefined);
  for (const [at, call] of calls.entries()) {
    running.forget(call);
    assert.deepEqual([running.size, running.all()], [2 - at, calls.slice(at + 1)]);
  }
});

test('a call that was cancelled is forgotten without the later one of its id', () => {
  for (const others of [[], [callOf(8)]]) {
    const running = new InFlightRequests<RunningRequest>(10);
    const [cancelled, later] = [callOf(7), callOf(7)];
    for (const call of [...others, cancelled]) running.add(call);
    running.free(cancelled);
    running.add(later);
    running.forget(cancelled);
    assert.equal(running.get(7), later);
    assert.equal(running.count, others.length + 1);
    running.end();
    assert.deepEqual([running.size, running.get(7)], [0, undefined]);
  }
});
