/** Which call a question of a server belongs to; it is asked of nobody else. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { metaKey } from '../../protocol/meta-key.ts';
import { revisionOf } from '../../protocol/revision.ts';
import { QuestionRouter, type AskedUpstream } from './question-router.ts';
import type { ForwardedCall } from './forwarded-call.ts';
import { OrphanedCalls } from './orphaned-calls.ts';

const never = new AbortController().signal;

function call(name: string, more: Partial<ForwardedCall> = {}): ForwardedCall {
  return { ask: async () => ({ by: name }), signal: never, ...more } as ForwardedCall;
}

/** Questions on a connection with some calls that run, by the ids with which they were sent. */
function asking(calls: Readonly<Record<number, ForwardedCall>> = {}) {
  const orphans = new OrphanedCalls(() => undefined);
  let unexpected = 0;
  const questions = new QuestionRouter({
    sentAs: (id) => calls[id],
    running: () => Object.values(calls),
    orphans,
    onUnexpected: () => unexpected++,
  });
  const ask = async (more: Partial<AskedUpstream> = {}): Promise<unknown> =>
    await questions
      .ask({ method: 'roots/list', params: {}, signal: never, request: undefined, ...more })
      .then(({ by }) => by)
      .catch((error: unknown) => String(error));
  return { questions, orphans, ask, unexpected: () => unexpected };
}

const gone = call('gone', { signal: AbortSignal.abort() });
const { ask: _, ...silent } = call('silent');

describe('a question that names no request', () => {
  test('is for the only call that runs and may be asked', async () => {
    assert.equal(await asking({ 1: call('one') }).ask(), 'one');
    assert.equal(await asking({ 1: silent, 2: call('two'), 3: gone }).ask(), 'two');
  });

  test('is for nobody if several calls may be asked', async () => {
    const { ask, unexpected } = asking({ 1: call('one'), 2: call('two'), 3: silent });
    assert.match(String(await ask()), /no client was asked "roots\/list": 2 calls run that it may belong to/);
    assert.equal(unexpected(), 0);
  });

  test('is for nobody if no call may be asked, which is unexpected', async () => {
    const none = /no call runs that it may belong to/;
    const cases: readonly (readonly [Readonly<Record<number, ForwardedCall>>, RegExp])[] = [
      [{}, none],
      [{ 1: gone }, none],
      [{ 1: silent }, /the client of the running call cannot answer it/],
    ];
    for (const [calls, says] of cases) {
      const { ask, unexpected } = asking(calls);
      assert.match(String(await ask()), says);
      assert.equal(unexpected(), 1);
    }
  });

  test('is for nobody while a call that was given up has no answer', async () => {
    const { ask, orphans } = asking({ 1: call('one') });
    const answered = orphans.of({ logLevel: undefined, session: undefined } as never);
    assert.match(String(await ask()), /it may belong to a call that was cancelled/);
    assert.equal(await ask({ request: 1 }), 'one');
    answered();
    assert.equal(await ask(), 'one');
  });
});

test('a question in the exchange of a request is for that call alone', async () => {
  const { ask } = asking({ 1: call('one'), 2: call('two'), 3: silent, 4: gone });
  assert.deepEqual([await ask({ request: 1 }), await ask({ request: 2 })], ['one', 'two']);
  assert.match(String(await ask({ request: 3 })), /the client of the running call cannot answer it/);
  for (const request of [4, 5]) assert.match(String(await ask({ request })), /no call runs that it may belong to/);
});

test('a client that declared no context is asked for a completion without context', async () => {
  const facts = revisionOf('2025-11-25');
  const client = { capabilities: { sampling: {} }, info: undefined, supports: () => true };
  const one = {
    ...call('one'),
    facts,
    client,
    ask: async (_: string, params: object) => ({ by: params }),
  } as unknown as ForwardedCall;
  const params = { messages: [], includeContext: 'thisServer' };
  assert.deepEqual(await asking({ 1: one }).ask({ method: 'sampling/createMessage', params }), {
    messages: [],
    includeContext: 'none',
  });
});

test('a question of a task is for who answers for it, until that one leaves', async () => {
  const { ask, questions } = asking({ 1: call('one') });
  const params = { _meta: { [metaKey.relatedTask]: { taskId: 't' } } };
  assert.equal(await ask({ params }), 'one');
  const leave = questions.answering('t', async () => ({ by: 'task' }));
  assert.deepEqual([await ask({ params }), await ask()], ['task', 'one']);
  const leaveAgain = questions.answering('t', async () => ({ by: 'another' }));
  leave();
  assert.equal(await ask({ params }), 'another');
  leaveAgain();
  assert.equal(await ask({ params }), 'one');
});

test('the name of a method that a server chose is cut in the error', async () => {
  const error = String(await asking().ask({ method: 'x'.repeat(101) }));
  assert.ok(error.includes(`"${'x'.repeat(100)}":`));
});
