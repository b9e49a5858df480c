/** What the requests of a session are answered when its process ends. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorMessage, RequestId, ResponseMessage } from '../../../../jsonrpc/message.ts';
import type { HttpAnswer } from '../exchanges/answer.ts';
import type { HttpContext } from '../exchanges/context.ts';
import { RunningAnswers } from './running-answers.ts';

/** An answer that records what it is completed with. */
function answerOf(streaming: boolean) {
  const log: unknown[] = [];
  const answer = {
    streaming,
    gone: false,
    respond: (status: number, { id }: ResponseMessage) => log.push([status, id]),
    message: (json: string) => log.push((JSON.parse(json) as ResponseMessage).id),
    finish: (status: number, json?: string) => log.push([status, json]),
  };
  // The answers of a session are used by these parts alone.
  return { answer: answer as unknown as HttpAnswer, log, stream: () => void (answer.streaming = true) };
}

const last = (id: RequestId): ErrorMessage & { readonly id: RequestId } => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_603, message: 'the process ended' },
});

const context = { endpoint: {} } as unknown as HttpContext;

function running(): RunningAnswers {
  return new RunningAnswers(context, last);
}

test('an id in use keeps its first answer, and one that is forgotten has no response', () => {
  const answers = running();
  const [first, second] = [answerOf(false).answer, answerOf(false).answer];
  assert.equal(answers.expect(1, first), 1);
  assert.equal(answers.expect(1, second), undefined);
  assert.equal(answers.get(1), first);
  assert.equal(answers.forget(1), undefined);
  assert.equal(answers.get(1), undefined);
});

test('a request is answered with its last response when the process ends, once', () => {
  const answers = running();
  const { answer, log } = answerOf(false);
  answers.expect(1, answer);
  answers.stop(true);
  assert.equal(log.length, 1);
  assert.deepEqual((log[0] as readonly unknown[])[1], 1);
  assert.equal(answers.forget(1), undefined);
});

test('a stream that goes on in another process is left alone, and its request ends with its last response', () => {
  for (const goesOn of [true, false]) {
    const answers = running();
    const { answer, log } = answerOf(true);
    answers.expect(1, answer);
    answers.stop(goesOn);
    assert.equal(log.length, goesOn ? 0 : 1);
    assert.deepEqual(answers.forget(1), goesOn ? last(1) : undefined);
  }
});

test('a batch that is not a stream has all of its responses at once', () => {
  const answers = running();
  const { answer, log } = answerOf(false);
  const { over } = answers.ofBatch(answer, 2);
  for (const id of [1, 2]) answers.expect(id, answer);
  answers.stop(false);
  assert.deepEqual(log, []);
  for (const id of [1, 2]) assert.deepEqual(answers.forget(id), last(id));
  over();
});

test('the last responses of a batch say what was so when the process ended', () => {
  let waits = true;
  const answers = new RunningAnswers(context, (id) => ({ ...last(id), error: { code: waits ? 1 : 2, message: '' } }));
  const { answer } = answerOf(false);
  answers.ofBatch(answer, 2);
  answers.expect(1, answer);
  answers.stop(false);
  waits = false;
  answers.expect(2, answer);
  const codes = [1, 2].map((id) => (answers.forget(id) as ErrorMessage | undefined)?.error.code);
  assert.deepEqual(codes, [1, 2]);
});

test('what a batch was answered before it was a stream is sent when the process ends', () => {
  const answers = running();
  const { answer, log, stream } = answerOf(false);
  const { batch } = answers.ofBatch(answer, 1);
  answers.expect(1, answer);
  batch.add(last(7));
  assert.deepEqual(log, []);
  stream();
  answers.stop(true);
  assert.deepEqual(log, [7]);
});

test('a batch that is a stream is completed with the responses of what runs', () => {
  for (const requests of [1, 2]) {
    const answers = running();
    const { answer, log } = answerOf(true);
    answers.ofBatch(answer, requests);
    for (let id = 1; id <= requests; id++) answers.expect(id, answer);
    answers.stop(true);
    // The stream of one request says it itself.
    assert.deepEqual(log, requests === 1 ? [] : [1, 2, [200, undefined]]);
  }
});
