/** Who is slow to answer is told from who answers what it wants to. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedRules } from '../../packages/cli/src/check/client/rules/asked.ts';
import { PutQuestions } from '../../packages/cli/src/check/client/put-questions.ts';
import { monotonicNow } from '../../packages/parley/src/jsonrpc/timeout.ts';
import { ClientSession, type ClientProbe } from '../../packages/cli/src/check/client/client-session.ts';

const probes: Readonly<Record<string, ClientProbe>> = {
  'cancel-010': 'ping-after-notices',
  'cancel-007': 'ping-after-crossing',
  'elicit-028': 'ping-after-complete',
  'basic-019': 'in-batch',
};

for (const [row, probe] of Object.entries(probes))
  test(`a ping breaks ${row} where what came after it was answered, and not where that waits as well`, () => {
    const clientSession = new ClientSession('stdio');
    clientSession.done.add('answered ask');
    clientSession.put.set('q0', { method: 'ping', params: {} });
    clientSession.put.set('q1', { method: 'ping', params: {}, probe });
    clientSession.put.set('q2', { method: 'elicitation/create', params: {} });
    const rule = askedRules.find(({ id }) => id === row) ?? assert.fail(row);
    const atEnd = (): unknown =>
      rule.atEnd?.(clientSession, { fetches: 0, icons: 0, pages: [], listed: new Set(), isGone: true });
    clientSession.answeredQuestion('q0');
    assert.equal(atEnd(), 'not-seen');
    clientSession.answeredQuestion('q2');
    assert.notEqual(atEnd(), 'not-seen');
    // Others may ask somebody who is slow, and answer what they know meanwhile.
    clientSession.putAt.set('q1', monotonicNow() - 15_000);
    assert.equal(atEnd(), 'not-seen');
    clientSession.putAt.set('q1', monotonicNow() - 25_000);
    assert.notEqual(atEnd(), 'not-seen');
    clientSession.answeredQuestion('q1');
    assert.equal(atEnd(), 'not-seen');
    assert.equal(clientSession.overtaken.size, 0);
  });

test('an answer that is late is waited for until its time is over, and no longer than it takes', async () => {
  const clientSession = new ClientSession('stdio');
  const questions = new PutQuestions();
  const line = { send: () => true };
  const ping = { method: 'ping', params: {} };
  const late = questions.put(ping, clientSession, line);
  void questions.put(ping, clientSession, line);
  const [first = '', second = ''] = [...clientSession.put.keys()];
  questions.answered({}, second);
  clientSession.answeredQuestion(second);
  clientSession.putAt.set(first, monotonicNow() - 19_900);
  const began = monotonicNow();
  await questions.slow(clientSession);
  const took = monotonicNow() - began;
  assert.ok(took > 80 && took < 10_000, `it took ${took} ms`);
  clientSession.putAt.set(first, monotonicNow());
  const waiting = questions.slow(clientSession);
  questions.answered({ result: {} }, first);
  await waiting;
  assert.deepEqual(await late, { result: {} });
  // Nobody answers what was taken back.
  clientSession.put.set(first, { ...ping, cancelledAt: 0 });
  await questions.slow(clientSession);
});

test('each of those who wait for one late answer hears of it', async () => {
  const clientSession = new ClientSession('stdio');
  const questions = new PutQuestions();
  const ping = { method: 'ping', params: {} };
  for (let count = 0; count < 2; count++) void questions.put(ping, clientSession, { send: () => true });
  const [first = '', second = ''] = [...clientSession.put.keys()];
  questions.answered({}, second);
  clientSession.answeredQuestion(second);
  const began = monotonicNow();
  const waiting = [questions.slow(clientSession), questions.slow(clientSession)];
  questions.answered({ result: {} }, first);
  await Promise.all(waiting);
  const took = monotonicNow() - began;
  assert.ok(took < 5_000, `it took ${took} ms`);
  // The end of the run lets go who waits still.
  const last = [questions.slow(clientSession), questions.slow(clientSession)];
  questions.end();
  await Promise.all(last);
});
