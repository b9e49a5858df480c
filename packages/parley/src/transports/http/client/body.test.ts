import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyBytes, bodyStart, bodyText, drain } from './body.ts';

/** A response whose body comes in these chunks, and whether its reader was cancelled; it may fail after them. */
function responseOf(chunks: readonly (string | Uint8Array)[], end: 'closed' | 'open' | 'failed' = 'closed') {
  const seen = { cancelled: false, pulls: 0 };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[seen.pulls++];
        if (chunk !== undefined)
          controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
        else if (end === 'closed') controller.close();
        else if (end === 'failed') controller.error(new Error('broken'));
      },
      cancel: () => void (seen.cancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(stream, { status: 201 }) as never, seen };
}

const empty = new Response(null, { status: 204 }) as never;

test('the bytes of a body are read to their end, and the rest is cancelled', async () => {
  const whole = responseOf(['a', 'b']);
  const texts: string[] = [];
  for await (const bytes of bodyBytes(whole.response)) texts.push(new TextDecoder().decode(bytes));
  assert.deepEqual([texts, whole.seen.cancelled], [['a', 'b'], false]);
  const left = responseOf(['a', 'b']);
  for await (const _ of bodyBytes(left.response)) break;
  assert.deepEqual([left.seen.cancelled, left.seen.pulls], [true, 1]);
  for await (const _ of bodyBytes(empty)) assert.fail('it has no body');
  const broken = bodyBytes(responseOf(['a'], 'failed').response);
  await broken.next();
  await assert.rejects(broken.next(), /broken/);
});

test('a body that nobody needs is read to its end, or cancelled after a while', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const whole = responseOf(['a', 'b', 'c']);
  await drain(whole.response, 10);
  assert.deepEqual([whole.seen.pulls, whole.seen.cancelled], [4, false]);
  await drain(responseOf(['a'], 'failed').response, 10);
  await drain(empty, 10);
  const open = responseOf(['a'], 'open');
  const drained = drain(open.response, 10);
  t.mock.timers.tick(9);
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  assert.equal(open.seen.cancelled, false);
  t.mock.timers.tick(1);
  await drained;
  assert.equal(open.seen.cancelled, true);
});

test('a text may have as many bytes as allowed, and must be UTF-8', async () => {
  for (const chunks of [['abcd'], ['ab', 'cd'], ['', 'abcd']]) {
    assert.equal(await bodyText(responseOf(chunks).response, 4), 'abcd');
    const over = responseOf([...chunks, 'e', 'f']);
    await assert.rejects(bodyText(over.response, 4), { reason: 'too-large', status: 201 });
    assert.deepEqual([over.seen.cancelled, over.seen.pulls], [true, chunks.length + 1]);
  }
  assert.equal(await bodyText(responseOf(['é']).response, 2), 'é');
  assert.equal(await bodyText(responseOf([Uint8Array.of(0xc3), Uint8Array.of(0xa9)]).response, 2), 'é');
  assert.equal(await bodyText(responseOf([]).response, 0), '');
  assert.equal(await bodyText(empty, 0), '');
  await assert.rejects(bodyText(responseOf([Uint8Array.of(0xff)]).response, 4), { reason: 'invalid-message' });
  const whole = (text: string) => ({ status: 200, body: { whole: () => new TextEncoder().encode(text) } }) as never;
  assert.equal(await bodyText(whole('abcd'), 4), 'abcd');
  await assert.rejects(bodyText(whole('abcde'), 4), { reason: 'too-large' });
});

test('of a long body only the beginning is read', async () => {
  const long = responseOf(['ab', 'cdef', 'never'], 'open');
  assert.equal(await bodyStart(long.response, 4), 'abcd');
  assert.deepEqual([long.seen.cancelled, long.seen.pulls], [true, 2]);
  const exact = responseOf(['ab', 'cd', 'never'], 'open');
  assert.equal(await bodyStart(exact.response, 4), 'abcd');
  assert.equal(exact.seen.pulls, 2);
  assert.equal(await bodyStart(responseOf(['ab', 'c']).response, 4), 'abc');
  assert.equal(await bodyStart(responseOf([Uint8Array.of(0xc3), Uint8Array.of(0xa9)]).response, 4), 'é');
});

test('of a body that goes on after it was cancelled nothing more is read', async () => {
  let reads = 0;
  const reader = {
    read: async () => {
      if (++reads > 5) throw new Error('read on');
      return { done: false, value: new Uint8Array(2) };
    },
    cancel: () => new Promise(() => undefined),
  };
  const response = { status: 200, body: { getReader: () => reader } };
  await assert.rejects(bodyText(response as never, 4), { reason: 'too-large' });
  assert.equal(reads, 3);
});
