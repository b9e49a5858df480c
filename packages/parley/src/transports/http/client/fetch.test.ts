import type { FetchRequest, FetchResponse } from '../../../jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { discard, fetchWithin } from './fetch.ts';

const url = new URL('https://a.example/mcp?key=1');
const request: FetchRequest = { method: 'POST', headers: {}, redirect: 'manual', signal: new AbortController().signal };

/** An answer, and whether its body was let go of. */
function answer(status: number, location?: string): FetchResponse & { readonly isCancelled: () => boolean } {
  let cancelled = false;
  return {
    status,
    headers: { get: (name) => (name === 'location' ? (location ?? null) : null) },
    body: { getReader: () => ({ read: () => assert.fail(), cancel: async () => void (cancelled = true) }) },
    isCancelled: () => cancelled,
  };
}

/** Fetches where each request has the next of these answers; gives the last answer or the error, and what was asked. */
async function fetched(answers: readonly FetchResponse[]): Promise<{ end: unknown; asked: readonly string[] }> {
  const asked: string[] = [];
  const end = await fetchWithin(
    async (target) => answers[asked.push(target) - 1] ?? assert.fail('asked too often'),
    url,
    request,
  ).catch((error: unknown) => error);
  return { end, asked };
}

test('statuses that are no redirect are the answer', async () => {
  for (const status of [200, 204, 299, 400, 404, 500]) {
    const one = answer(status, '/x');
    const { end, asked } = await fetched([one]);
    assert.deepEqual([end === one, asked.length, one.isCancelled()], [true, 1, false], String(status));
  }
});

test('307 and 308 within the origin are followed, three times at most', async () => {
  for (const status of [307, 308]) {
    const hop = answer(status, 'next');
    const last = answer(200);
    const { end, asked } = await fetched([hop, answer(status, '/other?x'), answer(status, '/mcp'), last]);
    assert.equal(end, last);
    assert.equal(hop.isCancelled(), true);
    assert.deepEqual(asked, [
      'https://a.example/mcp?key=1',
      'https://a.example/next',
      'https://a.example/other?x',
      'https://a.example/mcp',
    ]);
    const circle = await fetched([hop, hop, hop, hop]);
    assert.match(String(circle.end), /https:\/\/a\.example\/mcp redirects more than 3 times/);
    assert.equal(circle.asked.length, 4);
  }
});

test('other redirects are not followed, and the error says where they lead', async () => {
  for (const [status, location, words] of [
    [300, '/x', / to https:\/\/a\.example\/x, which is not followed: if you trust/],
    [301, '/x', / to https:\/\/a\.example\/x/],
    [302, '/x', / to https:\/\/a\.example\/x/],
    [303, '/x', / to https:\/\/a\.example\/x/],
    [399, '/x', / to https:\/\/a\.example\/x/],
    [307, 'https://b.example/x?secret=1', / to https:\/\/b\.example\/x, /],
    [307, 'http://a.example/mcp', / to http:\/\/a\.example\/mcp, /],
    [307, undefined, /answered with a redirect, which is not followed$/],
    [308, 'http://[', /answered with a redirect, which is not followed$/],
    [0, undefined, /answered with a redirect, which is not followed$/],
  ] as const) {
    const one = answer(status, location);
    const { end, asked } = await fetched([one]);
    assert.ok(end instanceof ConnectionError);
    assert.deepEqual([end.reason, end.status, asked.length, one.isCancelled()], ['http', status, 1, true]);
    assert.match(end.message, words);
    assert.doesNotMatch(end.message, /key=1|secret=1/);
  }
});

test('a failure says whether the request was cancelled, and errors of a connection stay as they are', async () => {
  const failing = (error: unknown, signal = request.signal): Promise<unknown> =>
    fetchWithin(() => Promise.reject(error as Error), url, { ...request, signal }).catch((cause: unknown) => cause);
  const own = new ConnectionError('unauthorized', 'no');
  assert.equal(await failing(own, AbortSignal.abort()), own);
  const aborted = (await failing(new Error('x'), AbortSignal.abort())) as ConnectionError;
  assert.deepEqual([aborted.reason, aborted.message], ['aborted', 'the exchange was aborted']);
  const broken = (await failing(new Error('x'))) as ConnectionError;
  assert.equal(broken.reason, 'closed');
  assert.doesNotMatch(broken.message, /key=1/);
});

test('a body that cannot be cancelled is let go of all the same', async () => {
  const body = { getReader: () => ({ read: () => assert.fail(), cancel: () => Promise.reject(new Error('gone')) }) };
  await discard({ ...answer(200), body });
  await discard({ ...answer(200), body: null });
});
