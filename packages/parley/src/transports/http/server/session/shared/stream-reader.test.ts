/** A stream that another process writes, read for a client that came back here. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { FakeVisit } from '../../../../../../../../test/support/fake-http.ts';
import { turns } from '../../../../../../../../test/support/turns.ts';
import { revisionOf } from '../../../../../protocol/revision.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import { StoreError, type Store } from '../../../../../storage/store.ts';
import type { StreamWriter } from '../../../../../storage/stream-log.ts';
import { resolveHttpOptions } from '../../exchanges/options.ts';
import { EventStreams } from '../../exchanges/stream.ts';
import { aboutAnswer } from './about-stream.ts';
import { ProcessMailbox } from './process-mailbox.ts';
import { StreamReader } from './stream-reader.ts';
import type { LineReply, ToldProcess } from './replica-messages.ts';

type Asked = Extract<ToldProcess, { kind: 'reading' }>;

interface Given {
  /** The requests that the stream answers. */
  readonly ids?: readonly number[];
  /** Whether a process listens under the name of the writer. */
  readonly isThere?: boolean;
}

const response = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

/** A stream in a store, its writer in another process, and a reader with its client here. */
async function scene(t: TestContext, { ids = [1], isThere = true }: Given = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const inner = memoryStore();
  let isAway = false;
  const store: Store = {
    ...inner,
    events: {
      open: (session) => {
        const log = inner.events.open(session);
        const read: typeof log.read = (...given) => {
          if (isAway) throw new StoreError('unavailable', 'away');
          return log.read(...given);
        };
        return { ...log, read };
      },
    },
  };
  const asked: Asked[] = [];
  const there = new ProcessMailbox(store, (told) => told.kind === 'reading' && asked.push(told), assert.fail);
  const here = new ProcessMailbox(store, () => assert.fail(), assert.fail);
  await here.open();
  if (isThere) await there.open();
  const name = `${there.name}-1`;
  const log = store.events.open('s');
  const writer = await log.write(name, aboutAnswer(ids));
  const errors: string[] = [];
  const settings = resolveHttpOptions({ onError: (error) => errors.push(error.message) });
  const visit = new FakeVisit({ method: 'GET' });
  const connection = new EventStreams(settings).open(visit);
  visit.onClose(() => connection.closed());
  const reader = new StreamReader(
    { session: 's', log, mailbox: here, settings, revision: revisionOf('2025-11-25') },
    { stream: name, number: 0 },
    connection,
  );
  t.after(async () => {
    connection.end();
    t.mock.timers.reset();
    await Promise.all([here.close(), there.close()]);
  });
  return {
    visit,
    writer,
    asked,
    errors,
    log,
    name,
    storeIsAway: (is: boolean) => void (isAway = is),
    run: async () => {
      void reader.run((await log.read(name, 0)) ?? assert.fail('there is a stream'));
      await turns();
    },
    reply: async (reply: LineReply) => {
      await there.reply(asked.at(-1) ?? assert.fail('nothing was asked'), reply);
      await turns();
    },
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 50) {
        t.mock.timers.tick(50);
        await turns();
      }
    },
  };
}

async function append(writer: StreamWriter, texts: readonly string[], isLast = false): Promise<void> {
  for (const [at, text] of texts.entries()) await writer.append(text, isLast && at === texts.length - 1);
}

const idsOf = ({ visit }: { readonly visit: FakeVisit }): readonly unknown[] =>
  visit.events.map((event) => {
    const { id, error } = event as { id: unknown; error?: { message: string } };
    return error === undefined ? id : `${String(id)} ${/outcome is not known/.exec(error.message)?.[0]}`;
  });

test('a stream that is complete is replayed and ends, and its writer is asked nothing', async (t) => {
  const one = await scene(t, { ids: [1, 2] });
  await append(one.writer, [response(1), response(2)], true);
  await one.run();
  assert.deepEqual([idsOf(one), one.visit.ended, one.asked], [[1, 2], true, []]);
});

test('what the writer says that it wrote is sent once, with its ids, until the stream is complete', async (t) => {
  const one = await scene(t, { ids: [1, 2] });
  await append(one.writer, [response(1)]);
  await one.run();
  assert.deepEqual([idsOf(one), one.asked.map(({ isAgain }) => isAgain)], [[], [false]]);
  await one.reply('written');
  await one.reply('written');
  assert.deepEqual([idsOf(one), one.visit.ended], [[1], false]);
  await append(one.writer, [response(2)], true);
  await one.reply('written');
  assert.deepEqual([idsOf(one), one.visit.ended], [[1, 2], true]);
  assert.deepEqual(
    one.visit.frames.map(({ id }) => id),
    [`${one.name}:1`, `${one.name}:2`],
  );
});

const report = '{"jsonrpc":"2.0","method":"notifications/progress"}';

test('if the writer is gone, the request has an error, and the stream is complete', async (t) => {
  for (const reply of ['not-here', 'not-kept', 'unheard'] as const) {
    const one = await scene(t, { isThere: reply !== 'unheard' });
    await append(one.writer, [report]);
    await one.run();
    if (reply === 'unheard') await one.pass(300);
    else await one.reply(reply);
    const error = '1 outcome is not known';
    // A report may have been sent already, without an id: it is not sent again.
    assert.deepEqual(idsOf(one), reply === 'not-kept' ? [error] : [undefined, error], reply);
    assert.equal(one.visit.ended, true);
    assert.equal((await one.log.read(one.name, 0))?.complete, true);
    await assert.rejects(async () => await one.writer.append('late'), { reason: 'fenced' });
    t.mock.timers.reset();
  }
});

test('if the writer of a batch is gone, the stream ends with an empty event', async (t) => {
  const one = await scene(t, { ids: [1, 2] });
  await append(one.writer, [response(1)]);
  await one.run();
  await one.reply('not-here');
  assert.deepEqual([idsOf(one), one.visit.ended], [[1], true]);
  assert.deepEqual((await one.log.read(one.name, 1))?.events, [{ number: 2, data: '' }]);
});

test('who is replaced by another reader ends, and takes nothing over', async (t) => {
  const one = await scene(t);
  await one.run();
  await one.reply('replaced');
  assert.deepEqual([idsOf(one), one.visit.ended], [[], true]);
  await one.pass(20_000);
  assert.equal((await one.log.read(one.name, 0))?.complete, false);
});

test('a writer that is silent from the start is asked after 1, 6 and 11 seconds, and taken for dead after 15', async (t) => {
  const one = await scene(t);
  await one.run();
  for (const [ms, asked] of [
    [950, 1],
    [50, 2],
    [4950, 2],
    [50, 3],
    [4950, 3],
    [50, 4],
    [3950, 4],
  ] as const) {
    await one.pass(ms);
    assert.equal(one.asked.length, asked);
  }
  assert.deepEqual(
    one.asked.map(({ isAgain }) => isAgain),
    [false, true, true, true],
  );
  assert.equal(one.visit.ended, false);
  await one.pass(50);
  assert.deepEqual([idsOf(one), one.visit.ended], [['1 outcome is not known'], true]);
});

test('a writer that was heard is asked again after 6 seconds, and has 15 each time', async (t) => {
  const one = await scene(t);
  await one.run();
  await one.reply('written');
  await one.pass(5950);
  assert.equal(one.asked.length, 1);
  await one.pass(50);
  assert.equal(one.asked.length, 2);
  await one.reply('written');
  await one.pass(14_950);
  assert.equal(one.visit.ended, false);
  await one.pass(50);
  assert.equal(one.visit.ended, true);
});

test('a client that left is not read for, and its stream is not taken over', async (t) => {
  const one = await scene(t);
  await one.run();
  one.visit.leave();
  await one.pass(20_000);
  assert.equal((await one.log.read(one.name, 0))?.complete, false);
  assert.deepEqual(one.errors, []);
});

test('a stream that the store does not have ends, and a store that fails is an error', async (t) => {
  const lost = await scene(t);
  await lost.run();
  await lost.log.clear();
  await lost.reply('written');
  assert.deepEqual([lost.visit.ended, lost.errors], [true, []]);
  t.mock.timers.reset();
  const away = await scene(t);
  await away.run();
  away.storeIsAway(true);
  await away.reply('written');
  assert.deepEqual([away.visit.ended, away.errors], [true, ['a stream could not be read any more']]);
});

test('a reader leaves its line when its stream is over', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let [opened, closed] = [0, 0];
  const mailbox = {
    name: 'here',
    line: () => (opened++, { line: 'l', close: () => void closed++ }),
    tell: async () => true,
  };
  const connection = { ended: false, end: () => undefined, replay: () => undefined };
  const parts = { session: 's', log: memoryStore().events.open('s'), mailbox, settings: {}, revision: undefined };
  const reader = new StreamReader(parts as never, { stream: 'there-1', number: 0 }, connection as never);
  await reader.run({ about: '', events: [], complete: false });
  assert.deepEqual([opened, closed], [1, 0]);
  Object.assign(connection, { ended: true });
  for (let waits = 0; waits < 10; waits++) t.mock.timers.tick(60_000);
  await turns();
  assert.deepEqual([opened, closed > 0], [1, true]);
});
