import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import { ToldTasks } from './reported-tasks.ts';

/** Streams of a server that tells of the tasks that it agreed to. */
function telling(agreed: () => readonly string[]) {
  const streams: { open: boolean; end(): void; news(): void }[] = [];
  const told = new ToldTasks(async (_, { tell }) => {
    let end!: () => void;
    const closed = new Promise<void>((resolve) => (end = resolve));
    const stream = { open: true, news: () => tell({}), end: () => ((stream.open = false), end()) };
    streams.push(stream);
    return { agreed: new Set(agreed()), closed, close: () => stream.end() };
  });
  let news = 0;
  const hear = (signal: AbortSignal = new AbortController().signal): Promise<void> =>
    told.hear({} as never, { taskIds: ['a'] } as never, () => void news++, signal);
  return { streams, hear, news: () => news, open: () => streams.filter(({ open }) => open).length };
}

test('a task may have changed when its stream begins, and whenever the server says so', async () => {
  const { streams, hear, news, open } = telling(() => ['a']);
  let isOver = false;
  const over = new AbortController();
  const heard = hear(over.signal).then(() => (isOver = true));
  await settle();
  assert.equal(news(), 1);
  streams[0]?.news();
  assert.deepEqual([news(), isOver, open()], [2, false, 1]);
  over.abort();
  await heard;
  assert.equal(open(), 0);
  await hear(over.signal);
  assert.equal(streams.length, 1);
});

test('at most 16 streams are open at once', async () => {
  const { streams, hear, open } = telling(() => ['a']);
  const all = Array.from({ length: 17 }, () => hear());
  await all[16];
  assert.equal(open(), 16);
  streams[0]?.end();
  await all[0];
  const next = hear();
  await settle();
  assert.equal(open(), 16);
  for (const { end } of streams) end();
  await Promise.all([...all, next]);
});

test('a server that agreed to nothing three times in a row is not asked again', async () => {
  let agreed: readonly string[] = [];
  const { streams, hear, news, open } = telling(() => agreed);
  for (const next of [[], [], ['a'], [], []]) {
    agreed = next;
    const heard = hear();
    await settle();
    for (const { end } of streams) end();
    await heard;
  }
  assert.deepEqual([streams.length, news(), open()], [5, 1, 0]);
  // Whoever leaves at once learns nothing of the server.
  const left = new AbortController();
  const leaving = hear(left.signal);
  left.abort();
  await leaving;
  for (let times = 0; times < 5; times++) await hear();
  assert.equal(streams.length, 9);
});
