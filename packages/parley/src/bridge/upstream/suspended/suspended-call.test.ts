/** A parked call, and the requests that take it up one after the other. */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { madeCall } from '../../../../../../test/support/made-call.ts';
import { turns } from '../../../../../../test/support/turns.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { ForwardedCall } from '../forwarded-call.ts';
import { SuspendedCall, type CallResumer } from './suspended-call.ts';

const capabilities = { elicitation: { form: {} } };
const form = { message: '?', requestedSchema: { type: 'object', properties: {} } };
const accepted = { action: 'accept', content: {} };

/** A parked call that runs until the test ends it, and a journal of what its owner hears. */
function suspended() {
  const journal: string[] = [];
  const { call } = madeCall('tools/call', { client: { info: undefined, capabilities } });
  const one = new SuspendedCall(call, 1_000, {
    onFinished: () => journal.push('finished'),
    onAway: (isAway) => journal.push(isAway ? 'away' : 'back'),
    onGone: () => journal.push('gone'),
  });
  let end!: (result: JsonObject) => void;
  one.start(() => new Promise((resolve) => (end = resolve)));
  return { one, journal, end: (result: JsonObject) => end(result), upstream: one.forwarded };
}

/** A request of the client, which can leave. */
function resumer() {
  const sent: string[] = [];
  const client = new AbortController();
  const request: CallResumer = {
    meta: {},
    logLevel: 'debug',
    signal: client.signal,
    admits: () => true,
    send: (method) => void sent.push(method),
  };
  return { request, sent, leave: () => client.abort() };
}

async function ask(upstream: ForwardedCall, signal = new AbortController().signal): Promise<string> {
  try {
    const answer = await upstream.ask?.('elicitation/create', form, signal);
    return String(answer?.['action']);
  } catch (error) {
    return String(error);
  }
}

describe('a parked call', () => {
  it('sets no timer while nothing happens', async (t) => {
    const { one, end } = suspended();
    const timers = t.mock.method(globalThis, 'setTimeout').mock;
    const next = one.next(resumer().request);
    await turns();
    assert.equal(timers.callCount(), 0);
    end({});
    await next;
  });

  it('sends nothing more to its request once it has a result, and hears nothing of it', async () => {
    const { one, journal, end, upstream } = suspended();
    const { request, sent, leave } = resumer();
    const next = one.next(request);
    end({ content: [] });
    assert.deepEqual(await next, { kind: 'complete', result: { content: [] } });
    upstream.send('notifications/message', { level: 'info', data: 'late' });
    leave();
    assert.deepEqual([sent, journal, upstream.signal.aborted], [[], ['gone'], false]);
  });

  it('goes on when a request that has its questions leaves, and stores notifications for the next', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { one, journal, upstream, end } = suspended();
    const first = resumer();
    const asks = one.next(first.request);
    const answer = ask(upstream);
    await turns();
    t.mock.timers.tick(0);
    assert.equal((await asks).kind, 'asks');
    first.leave();
    upstream.send('notifications/message', { level: 'info', data: 'meanwhile' });
    assert.deepEqual([first.sent, journal, upstream.signal.aborted], [[], ['away'], false]);
    const second = resumer();
    one.answer({ 'question-1': accepted });
    const next = one.next(second.request);
    assert.equal(await answer, 'accept');
    first.leave();
    end({});
    await next;
    assert.deepEqual([second.sent, journal], [['notifications/message'], ['away', 'back', 'gone']]);
  });

  it('ends when the request that waits leaves, or had left before', async () => {
    for (const leavesFirst of [true, false]) {
      const { one, journal, upstream } = suspended();
      const { request, leave } = resumer();
      if (leavesFirst) leave();
      void one.next(request);
      await turns();
      leave();
      assert.deepEqual([journal, upstream.signal.aborted], [['gone'], true]);
    }
  });

  it('waits on when its only question is withdrawn in the turn in which it was asked', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { one, upstream, end } = suspended();
    const withdrawal = new AbortController();
    const next = one.next(resumer().request);
    const answer = ask(upstream, withdrawal.signal);
    await turns();
    withdrawal.abort();
    t.mock.timers.tick(0);
    assert.match(await answer, /withdrawn/);
    end({ content: [] });
    assert.equal((await next).kind, 'complete');
    assert.equal(getEventListeners(withdrawal.signal, 'abort').length, 0);
  });

  it('is given up when its client stays away for its whole time, and not before', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { one, journal, upstream } = suspended();
    const asks = one.next(resumer().request);
    const answer = ask(upstream);
    await turns();
    t.mock.timers.tick(0);
    await asks;
    t.mock.timers.tick(999);
    assert.deepEqual(journal, ['away']);
    t.mock.timers.tick(1);
    assert.deepEqual(journal, ['away', 'back', 'gone']);
    assert.match(await answer, /did not come back/);
  });

  it('keeps its outcome, and counts its characters, when it ends while its client is away', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { one, journal, upstream, end } = suspended();
    const asks = one.next(resumer().request);
    const answer = ask(upstream);
    await turns();
    t.mock.timers.tick(0);
    await asks;
    assert.deepEqual([one.asleep, one.round], [true, 1]);
    end({ a: 1 });
    assert.match(await answer, /has answered the call/);
    assert.deepEqual([one.asleep, one.size, journal], [false, '{"a":1}'.length, ['away', 'finished']]);
    assert.deepEqual(await one.next(resumer().request), { kind: 'complete', result: { a: 1 } });
  });
});
