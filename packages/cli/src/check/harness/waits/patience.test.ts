import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawExchange } from '../exchange.ts';
import type { RawHttp } from '../http.ts';
import { patiently } from './patience.ts';

/** A server that answers with these, one after the other, and then with the last for ever. */
function answering(...answers: readonly (readonly [status: number, retryAfter?: string])[]): {
  readonly http: RawHttp;
  count(): number;
} {
  let count = 0;
  const http: RawHttp = {
    url: new URL('http://127.0.0.1/mcp'),
    knows: () => false,
    token: async () => undefined,
    proven: async () => undefined,
    async send() {
      const [status, retryAfter] = answers[count++] ?? answers.at(-1) ?? assert.fail();
      const headers: RawExchange['headers'] = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
      return { sent: '', status, headers, text: '', messages: [], malformed: [], end: 'complete' };
    },
    listen: () => assert.fail(),
    close: () => undefined,
  };
  return { http, count: () => count };
}

const request = { method: 'POST', headers: {}, waitTimeoutMs: 1_000 } as const;
const parts = { room: async () => undefined, signal: new AbortController().signal };

test('what is refused for a time is sent again, twice at most', async () => {
  const once = answering([429, '0'], [200]);
  assert.equal((await patiently(once.http, parts).send(request)).status, 200);
  assert.equal(once.count(), 2);
  const ever = answering([503, new Date(0).toUTCString()]);
  assert.equal((await patiently(ever.http, parts).send(request)).status, 503);
  assert.equal(ever.count(), 3);
});

test('what says nothing of a time, or of a long one, is sent once', async () => {
  for (const answer of [[429], [429, '6'], [429, 'soon'], [500, '0'], [200, '0']] as const) {
    const { http, count } = answering(answer);
    assert.equal((await patiently(http, parts).send(request)).status, answer[0]);
    assert.equal(count(), 1, answer.join());
  }
});

test('who refuses ten requests for good is not waited for any more', async () => {
  const { http, count } = answering([429, '0']);
  const patient = patiently(http, parts);
  for (let left = 15; left > 0; left--) await patient.send(request);
  assert.equal(count(), 10 * 3 + 5);
});

test('the end of a run, or of a request, ends its wait', async () => {
  for (const whose of ['run', 'request']) {
    const { http, count } = answering([429, '5']);
    const ending = new AbortController();
    const began = performance.now();
    setTimeout(() => ending.abort(), 20);
    const patient = patiently(http, { ...parts, ...(whose === 'run' && { signal: ending.signal }) });
    assert.equal((await patient.send({ ...request, ...(whose === 'request' && { stop: ending.signal }) })).status, 429);
    assert.equal(count(), 1);
    assert.ok(performance.now() - began < 4_500);
  }
});

test('where there is no room for another message, what came is given back', async () => {
  const { http, count } = answering([429, '0']);
  const patient = patiently(http, { ...parts, room: () => Promise.reject(new Error('spent')) });
  assert.equal((await patient.send(request)).status, 429);
  assert.equal(count(), 1);
});
