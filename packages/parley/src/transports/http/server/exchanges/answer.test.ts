/** The answer to one POST: JSON, an event stream, or nothing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lackedScopes } from '../../../../server/runtime/protection.ts';
import { HttpAnswer } from './answer.ts';

/** An answer to a client that takes these types, and what was sent. */
function answerTo({ json = true, stream = true, streamNamed = false, full = false, guarded = false } = {}) {
  const log: string[] = [];
  const errors: string[] = [];
  const waiting: { breakSilence(): void }[] = [];
  let isOver = false;
  const connection = {
    get ended() {
      return isOver;
    },
    send: (text: string) => log.push(`event ${text}`),
    end: (text?: string) => {
      isOver = true;
      log.push(`end ${text}`);
    },
    pause: (ms: number) => log.push(`pause ${ms}`),
    comment: () => log.push('comment'),
    closed: () => (isOver = true),
  };
  const context = {
    endpoint: guarded
      ? { protection: { insufficient: (_: unknown, scopes: readonly string[]) => log.push(`lacks ${scopes.join()}`) } }
      : {},
    settings: { onError: ({ message }: Error) => errors.push(message) },
    streams: { full: () => (full ? 'all' : undefined), open: () => (log.push('stream'), connection) },
    silence: { add: (one: (typeof waiting)[number]) => (waiting.push(one), { leave: () => waiting.splice(0) }) },
  };
  const call = {
    accepted: { json, stream, streamNamed },
    auth: undefined,
    ended: false,
    leave: () => log.push('left'),
    comeBack: () => log.push('came back'),
    reply: { send: (status: number, body?: unknown) => log.push(`${status} ${String(body)}`) },
  };
  return { answer: new HttpAnswer(context as never, call as never), log, errors, waiting };
}

const response = { jsonrpc: '2.0', id: 1, result: {} } as const;
const text = JSON.stringify(response);

test('a response is JSON unless its client takes streams alone, or something was sent before it', () => {
  const plain = answerTo();
  plain.answer.respond(200, response);
  assert.deepEqual([plain.log, plain.answer.gone], [[`200 ${text}`], true]);
  const streamed = answerTo({ json: false });
  streamed.answer.respond(200, response);
  assert.deepEqual(streamed.log, ['stream', 'left', `end ${text}`]);
  const refused = answerTo({ json: false });
  refused.answer.respond(404, response);
  assert.deepEqual(refused.log, [`404 ${text}`]);
  const begun = answerTo();
  assert.equal(begun.answer.message('progress'), true);
  begun.answer.respond(404, response);
  assert.deepEqual(begun.log, ['stream', 'left', 'event progress', `end ${text}`]);
});

test('missing scopes are the status of an answer that is no stream yet', () => {
  const lacking = { ...response };
  lackedScopes.set(lacking, ['read', 'write']);
  for (const [guarded, begun, expected] of [
    [true, false, ['lacks read,write']],
    [false, false, [`403 ${text}`]],
    [true, true, ['stream', 'left', 'event progress', `end ${text}`]],
  ] as const) {
    const { answer, log } = answerTo({ guarded });
    if (begun) answer.message('progress');
    answer.respond(200, lacking);
    assert.deepEqual([log, answer.gone], [expected, true]);
    answer.respond(200, lacking);
    assert.deepEqual(log, expected);
  }
});

test('a request that was cancelled has an empty stream, or 202 if there can be none', () => {
  const [streamed, plain, full] = [answerTo(), answerTo({ stream: false }), answerTo({ full: true })];
  for (const { answer } of [streamed, plain, full]) {
    answer.respond(200, undefined);
    answer.respond(200, response);
  }
  assert.deepEqual(
    [streamed.log, plain.log, full.log],
    [['stream', 'end undefined'], ['202 undefined'], ['202 undefined']],
  );
});

test('nothing is sent ahead of a response if there can be no stream, or its client is gone', () => {
  for (const options of [{ stream: false }, { full: true }]) {
    const { answer, log } = answerTo(options);
    assert.equal(answer.message('progress'), false);
    answer.disconnect(5);
    assert.deepEqual(log, []);
  }
  const { answer, log } = answerTo();
  answer.closed();
  assert.equal(answer.message('progress'), false);
  answer.respond(200, response);
  assert.deepEqual([log, answer.gone], [[], true]);
});

test('an answer whose stream lost its client is over, unless the stream goes on', () => {
  const { answer, log } = answerTo();
  answer.message('progress');
  answer.closed();
  assert.deepEqual([answer.gone, log.includes('came back')], [true, false]);
});

test('a silent answer becomes a stream once, if its client names streams', () => {
  const { answer, log, waiting } = answerTo({ streamNamed: true });
  assert.equal(waiting.length, 1);
  answer.breakSilence();
  answer.breakSilence();
  assert.deepEqual([log, waiting.length], [['stream', 'left', 'comment'], 0]);
  const full = answerTo({ streamNamed: true, full: true });
  full.answer.breakSilence();
  assert.deepEqual([full.log, full.waiting.length], [[], 2]);
  full.answer.respond(200, response);
  full.answer.breakSilence();
  assert.deepEqual(full.log, [`200 ${text}`]);
  assert.equal(answerTo().waiting.length, 0);
});

test('a response that is no JSON is an internal error, which its owner is told', () => {
  const { answer, log, errors } = answerTo();
  answer.respond(200, { jsonrpc: '2.0', id: 7, result: { n: 1n } } as never);
  assert.match(log.join(), /^200 .*"id":7.*-32603/);
  assert.equal(errors.length, 1);
});
