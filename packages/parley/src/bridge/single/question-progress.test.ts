/** Progress tokens of questions that wait for the client of one session. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerSession } from '../../server/runtime/server-core.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { progressFor, relayedQuestion } from './question-progress.ts';

const sessionOf = (): ServerSession => ({ state: new Map() }) as unknown as ServerSession;
const asking = (progressToken: unknown) => ({ message: 'q', _meta: { own: 1, progressToken } });
const asked = (params: JsonObject) => ({ method: 'elicitation/create', params });
const tokenOf = ({ params }: { params: Readonly<Record<string, unknown>> }): unknown =>
  Object(params['_meta']).progressToken;

test('a question keeps its token if that is free, and gets a free one otherwise', () => {
  const session = sessionOf();
  const [one, other] = [{}, {}];
  const first = relayedQuestion(session, asked(asking('a')), one);
  assert.deepEqual(first.params, asking('a'));
  const second = relayedQuestion(session, asked(asking('a')), other);
  assert.deepEqual(second.params, asking(1));
  const taken = relayedQuestion(session, asked(asking(3)), one);
  const third = relayedQuestion(session, asked(asking('a')), one);
  assert.deepEqual([tokenOf(taken), tokenOf(third)], [3, 4]);
  first.done();
  assert.equal(tokenOf(relayedQuestion(session, asked(asking('a')), other)), 'a');
  assert.equal(tokenOf(relayedQuestion(sessionOf(), asked(asking(1)), other)), 1);
});

test('progress goes to the server that asked, under its own token, until the question is answered', () => {
  const session = sessionOf();
  const [one, other] = [{}, {}];
  relayedQuestion(session, asked(asking('a')), one);
  const second = relayedQuestion(session, asked(asking('a')), other);
  const progress = { progressToken: 1, progress: 5 };
  assert.deepEqual(progressFor(session, progress, other), { progressToken: 'a', progress: 5 });
  assert.equal(progressFor(session, progress, one), undefined);
  assert.equal(progressFor(sessionOf(), progress, other), undefined);
  assert.deepEqual(progressFor(session, { progressToken: 'a' }, one), { progressToken: 'a' });
  for (const progressToken of [undefined, {}, 'b'])
    assert.equal(progressFor(session, { progressToken }, one), undefined);
  second.done();
  assert.equal(progressFor(session, progress, other), undefined);
});

test('a question without a valid token is passed on as it is', () => {
  const session = sessionOf();
  for (const params of [{ message: 'q' }, asking({}), { _meta: 'none' }]) {
    const question = relayedQuestion(session, asked(params), {});
    assert.equal(question.params, params);
    question.done();
  }
  assert.equal(session.state.size, 0);
});
