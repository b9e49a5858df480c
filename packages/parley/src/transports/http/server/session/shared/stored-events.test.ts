import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import { StoreError } from '../../../../../storage/store.ts';
import type { StreamLog } from '../../../../../storage/stream-log.ts';
import { isFenced, StoredEvents } from './stored-events.ts';

/** What befalls a command: it is done, done and not heard of, or neither. */
type Fate = 'done' | 'unheard' | 'undone';

/** A log of which commands fail as the fates of each say, one after the other, and what is kept. */
function scene(
  fates: { readonly append?: Fate[]; readonly write?: Fate[]; readonly read?: Fate[] },
  isAway = (): boolean => false,
): {
  kept: StoredEvents;
  log: StreamLog;
  texts(): Promise<readonly string[]>;
} {
  const log = memoryStore().events.open('session');
  const befall = async <T>(what: keyof typeof fates, run: () => T): Promise<Awaited<T>> => {
    const fate = isAway() ? 'undone' : (fates[what]?.shift() ?? 'done');
    const outcome = fate === 'undone' ? undefined : await run();
    if (fate !== 'done') throw new StoreError('unavailable', 'no answer came');
    return outcome as Awaited<T>;
  };
  const faltering: StreamLog = {
    ...log,
    read: (stream, after) => befall('read', () => log.read(stream, after)),
    write: async (stream, about, mark) => {
      const writer = await befall('write', () => log.write(stream, about, mark));
      let isLost = false;
      return {
        get mark() {
          return writer.mark;
        },
        append: async (data, last) => {
          if (isLost) throw new StoreError('unavailable', 'one before was lost');
          isLost = (fates.append?.[0] ?? 'done') !== 'done';
          return await befall('append', () => writer.append(data, last));
        },
      };
    },
  };
  const kept = new StoredEvents({ name: 's', log: faltering, about: 'a', now: () => performance.now() });
  const texts = async (): Promise<readonly string[]> => (await log.read('s', 0))?.events.map(({ data }) => data) ?? [];
  return { kept, log, texts };
}

test('an event that was kept without an answer is kept once, under its number', async () => {
  const { kept, texts } = scene({ append: ['done', 'unheard'] });
  assert.equal(await kept.append('one', false), 1);
  assert.equal(await kept.append('two', false), 2);
  assert.equal(await kept.append('three', true), 3);
  assert.deepEqual(await texts(), ['one', 'two', 'three']);
});

test('events that follow one which was lost come after it', async () => {
  const { kept, texts } = scene({ append: ['undone'], write: ['done', 'unheard', 'undone'], read: ['undone'] });
  const numbers = ['one', 'two', 'three', 'four'].map(async (data) => await kept.append(data, false));
  assert.deepEqual(await Promise.all(numbers), [1, 2, 3, 4]);
  assert.equal(await kept.append('five', false), 5);
  assert.deepEqual(await texts(), ['one', 'two', 'three', 'four', 'five']);
});

test('the last event of a stream that was kept without an answer is known to be kept', async () => {
  const { kept, log, texts } = scene({ append: ['done', 'unheard'] });
  assert.deepEqual(await Promise.all([kept.append('one', false), kept.append('two', true)]), [1, 2]);
  assert.deepEqual(await texts(), ['one', 'two']);
  assert.equal((await log.read('s', 2))?.complete, true);
});

test('who lost an event hears that somebody else ended the stream meanwhile', async () => {
  const { kept, log, texts } = scene({ append: ['done', 'undone'] });
  await kept.append('one', false);
  const lost = kept.append('two', false);
  await (await log.write('s', 'a')).append('the end', true);
  await assert.rejects(lost, isFenced);
  await assert.rejects(kept.append('three', false), isFenced);
  assert.deepEqual(await texts(), ['one', 'the end']);
});

test('who lost an event, and finds one of another process, fences nobody', async () => {
  const { kept, log, texts } = scene({ append: ['done', 'undone'] });
  await kept.append('one', false);
  const lost = kept.append('two', false);
  const other = await log.write('s', 'a');
  await other.append('another', false);
  await assert.rejects(lost, isFenced);
  await other.append('the next', false);
  assert.deepEqual(await texts(), ['one', 'another', 'the next']);
});

test('who lost an event fences nobody who took the stream meanwhile and wrote nothing yet', async () => {
  const { kept, log, texts } = scene({ append: ['done', 'undone'] });
  await kept.append('one', false);
  const lost = kept.append('two', false);
  const other = await log.write('s', 'a');
  await assert.rejects(lost, isFenced);
  await other.append('another', false);
  assert.deepEqual(await texts(), ['one', 'another']);
});

test('who lost an event, and was told that another process writes, writes nothing more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { kept, log, texts } = scene({ append: ['done', 'undone'], read: ['undone', 'undone', 'undone'] });
  await kept.append('one', false);
  const lost = assert.rejects(kept.append('two', false), isFenced);
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
  const other = await log.write('s', 'a');
  kept.stop();
  t.mock.timers.tick(250);
  await lost;
  await other.append('another', false);
  assert.deepEqual(await texts(), ['one', 'another']);
});

for (const fate of ['undone', 'unheard'] as const)
  test(`a stream of which its log forgot everything goes on with its numbers where the next event is ${fate}`, async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const { kept, log } = scene({ append: ['done', 'done', fate] });
    for (const text of ['one', 'two']) await kept.append(text, false);
    now += 6 * 60_000;
    assert.equal(await log.read('s', 2), undefined);
    assert.equal(await kept.append('three', false), 3);
    assert.equal(await kept.append('four', true), 4);
    assert.deepEqual(
      (await log.read('s', 2))?.events.map(({ data }) => data),
      ['three', 'four'],
    );
  });

test('what cannot be kept for five seconds is not, nor what follows it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  let isAway = true;
  const { kept, texts } = scene({}, () => isAway);
  const failures: unknown[] = [];
  const first = kept.append('one', false).catch((cause: unknown) => {
    failures.push(cause, now);
    isAway = false;
  });
  const second = kept.append('two', false).catch((cause: unknown) => failures.push(cause, now));
  for (; isAway && now < 10_000; now += 250) {
    t.mock.timers.tick(250);
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
  await Promise.all([first, second]);
  const [cause, at, same, later] = failures;
  assert.ok(cause instanceof StoreError && cause.reason === 'unavailable');
  assert.deepEqual([at, same, later], [5_000, cause, 5_000]);
  await assert.rejects(kept.append('three', false), { reason: 'unavailable' });
  assert.deepEqual(await texts(), []);
});

test('a lost event of a stream that the log no longer has is not kept, nor what follows it', async () => {
  const { log } = scene({});
  const full = { name: 'StoreError', reason: 'full', message: 'events of the stream are no longer stored' };
  let writers = 0;
  const forgetful: StreamLog = {
    ...log,
    write: async (...given) => {
      const writer = await log.write(...given);
      if (++writers > 1) return writer;
      return { mark: writer.mark, append: () => Promise.reject(new StoreError('unavailable', 'no answer came')) };
    },
    read: async () => undefined,
  };
  const kept = new StoredEvents({ name: 's', log: forgetful, about: 'a', now: () => 0 });
  await assert.rejects(kept.append('one', false), full);
  await assert.rejects(kept.append('two', false), full);
  assert.deepEqual([writers, (await log.read('s', 0))?.events], [2, []]);
});
