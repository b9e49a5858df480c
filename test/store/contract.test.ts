/** The tests of stores find the mistakes that a store may have. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import { StoreError, type Store } from '../../packages/parley/src/storage/store.ts';
import { testStore, type TestStoreOptions } from '../../packages/parley/src/testing/test-store.ts';

const quick: TestStoreOptions = { races: 50, histories: 20, seed: 1 };

/** The titles of the tests that a store fails; the processes have one object each where `each` makes it. */
async function failed(each: (shared: Store) => Store, options: TestStoreOptions = quick): Promise<readonly string[]> {
  const titles: string[] = [];
  const tests = testStore((processes) => {
    const shared = memoryStore();
    return { stores: Array.from({ length: processes }, () => each(shared)), close: () => undefined };
  }, options);
  for (const { title, run } of tests) {
    try {
      await run();
    } catch {
      titles.push(title);
    }
  }
  return titles;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Stores with one mistake each. */
const mistaken: Readonly<Record<string, (shared: Store) => Store>> = {
  'an add that looks first and then writes': ({ records, ...rest }) => ({
    ...rest,
    records: {
      ...records,
      async add(key, text, ttlMs) {
        if ((await records.get(key)) !== undefined) return false;
        await turn();
        await records.put(key, text, ttlMs);
        return true;
      },
    },
  }),
  'a put that compares first and then writes': ({ records, ...rest }) => ({
    ...rest,
    records: {
      ...records,
      async put(key, text, ttlMs, version) {
        if (version !== undefined && (await records.get(key))?.version !== (version || undefined)) return undefined;
        await turn();
        return await records.put(key, text, ttlMs);
      },
    },
  }),
  'reads from a replica that is behind': ({ records, ...rest }) => {
    let older: ReturnType<typeof records.get>;
    return {
      ...rest,
      records: {
        ...records,
        get(key) {
          const found = older;
          older = records.get(key);
          return found ?? older;
        },
      },
    };
  },
  'versions that begin again': ({ records, ...rest }) => {
    const versions = new Map<string, number>();
    return {
      ...rest,
      records: {
        ...records,
        async put(key, text, ttlMs, version) {
          const done = await records.put(key, text, ttlMs, version);
          if (done !== undefined) versions.set(key, (versions.get(key) ?? 0) + 1);
          return done && versions.get(key);
        },
        delete: (key) => void (versions.delete(key), records.delete(key)),
      },
    };
  },
  'writers that nobody fences': ({ events, ...rest }) => ({
    ...rest,
    events: {
      open(session) {
        const log = events.open(session);
        return {
          ...log,
          write: (stream, about) => ({
            mark: '',
            append: async (data, last) => await (await log.write(stream, about)).append(data, last),
          }),
        };
      },
    },
  }),
  'a mark that fences whoever writes': ({ events, ...rest }) => ({
    ...rest,
    events: {
      open(session) {
        const log = events.open(session);
        return { ...log, write: (stream, about) => log.write(stream, about) };
      },
    },
  }),
  'reads that leave out what is gone': ({ events, ...rest }) => ({
    ...rest,
    events: {
      open(session) {
        const log = events.open(session);
        return {
          ...log,
          async read(stream, after) {
            for (let from = after; ; from++) {
              const rest_ = await log.read(stream, from);
              if (rest_ !== undefined || from > after + 5_000) return rest_;
            }
          },
        };
      },
    },
  }),
  'a bus that counts nobody': ({ bus, ...rest }) => ({
    ...rest,
    bus: { ...bus, publish: async (channel, text) => ((await bus.publish(channel, text)) < 0 ? 1 : 0) },
  }),
  'a bus that goes on after the end': ({ bus, ...rest }) => ({
    ...rest,
    bus: {
      ...bus,
      subscribe: async (...subscription) => {
        const end = await bus.subscribe(...subscription);
        return () => void setTimeout(() => void end(), 20);
      },
    },
  }),
  'measures of each process': ({ limits: _, ...rest }) => ({ ...rest, limits: memoryStore().limits }),
  'a clock of the process for records': ({ records, ...rest }) => ({
    ...rest,
    records: {
      ...records,
      add: (key, text, ttlMs) => records.add(key, JSON.stringify([text, Date.now() + ttlMs]), ttlMs),
      put: (key, text, ttlMs, version) => records.put(key, JSON.stringify([text, Date.now() + ttlMs]), ttlMs, version),
      async get(key) {
        const found = await records.get(key);
        if (found === undefined) return undefined;
        const [text, expires] = JSON.parse(found.text) as [string, number];
        return expires < Date.now() ? undefined : { ...found, text };
      },
    },
  }),
};

test('a store without mistakes fails no test', async () => {
  assert.deepEqual(await failed((shared) => shared), []);
});

for (const [mistake, make] of Object.entries(mistaken))
  test(`${mistake} is found`, async () => assert.notDeepEqual(await failed(make), []));

test('texts that a fault swallows are found, unless the bus says that there is a gap', async () => {
  for (const tells of [false, true]) {
    let isAway = false;
    const gaps = new Set<() => void>();
    const deaf = ({ bus, ...rest }: Store): Store => ({
      ...rest,
      bus: {
        publish(channel, text) {
          if (isAway && text.endsWith('0')) throw new StoreError('unavailable', 'away');
          return bus.publish(channel, text);
        },
        async subscribe(channel, hear, onGap) {
          gaps.add(onGap);
          return await bus.subscribe(channel, (text) => void (isAway || hear(text)), onGap);
        },
      },
    });
    const begin = (): (() => void) => {
      isAway = true;
      return () => {
        isAway = false;
        if (tells) for (const onGap of gaps) onGap();
      };
    };
    const titles = await failed(deaf, { ...quick, faults: [{ title: 'the engine is away', begin }] });
    const wanted = 'no text is lost without a gap, and none comes twice or out of order, while the engine is away';
    assert.deepEqual(titles, tells ? [] : [wanted]);
  }
});

test('calls that hang during a fault are found, and failures that are no StoreError', async () => {
  let isAway = false;
  const begin = (): (() => void) => {
    isAway = true;
    return () => void (isAway = false);
  };
  const wanted = 'every call ends in time, and as a StoreError where it fails, while the engine is away';
  for (const get of [() => new Promise<never>(() => {}), () => Promise.reject(new Error('reset'))]) {
    const broken = ({ records, ...rest }: Store): Store => ({
      ...rest,
      records: { ...records, get: (key) => (isAway ? get() : records.get(key)) },
    });
    const titles = await failed(broken, { ...quick, faults: [{ title: 'the engine is away', begin }] });
    assert.deepEqual(titles, [wanted]);
  }
});
