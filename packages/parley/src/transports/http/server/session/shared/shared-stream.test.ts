/** A stream whose events are stored before they are sent: who reads it, who takes it up, and what a store may lose. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { settle } from '../../../../../../../../test/support/raw.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import { StoreError } from '../../../../../storage/store.ts';
import type { StreamLog } from '../../../../../storage/stream-log.ts';
import type { EventStream } from '../../exchanges/stream.ts';
import { ReportRoom } from '../report-room.ts';
import { SharedStreams } from './shared-streams.ts';
import { aliveMs, SharedStream, type SharedStreamParts } from './shared-stream.ts';
import type { LineReply } from './replica-messages.ts';

interface Connection {
  readonly stream: EventStream;
  readonly log: string[];
}

/** A connection, and what was done with it. */
function connection(): Connection {
  const log: string[] = [];
  let ended = false;
  const end = (data?: string, id?: string): void => {
    if (!ended) log.push(data === undefined ? 'end' : `end ${data} ${id}`);
    ended = true;
  };
  const stream = {
    get ended() {
      return ended;
    },
    end,
    send: (data: string, id?: string) => log.push(`${data} ${id}`),
    write: (text: string) => log.push(text),
    pause: (ms: number) => log.push(`pause ${ms}`),
    replay: (events: readonly { readonly data: string; readonly id?: string }[]) =>
      events.forEach(({ data, id }) => log.push(`again ${data} ${id}`)),
  };
  return { stream: stream as unknown as EventStream, log };
}

/** A stream in a log of which the test can hold up or fail what is asked. */
function scene(more: Partial<SharedStreamParts> = {}) {
  const inner = memoryStore().events.open('session');
  const gate: { append?: (() => Promise<void>) | undefined; read?: (() => Promise<void>) | undefined } = {};
  const log: StreamLog = {
    ...inner,
    write: async (...given) => {
      const writer = await inner.write(...given);
      return { mark: writer.mark, append: async (...event) => (await gate.append?.(), await writer.append(...event)) };
    },
    read: async (...given) => (await gate.read?.(), await inner.read(...given)),
  };
  const errors: Error[] = [];
  let ends = 0;
  const settings = {
    now: () => 0,
    maxStreamBufferBytes: 10,
    retryMs: 7,
    onError: (error: Error) => errors.push(error),
  };
  const stream = new SharedStream({
    name: 'here-1',
    log,
    about: 'about',
    polling: false,
    settings: settings as never,
    reports: new ReportRoom(() => 0),
    onEnd: () => ends++,
    ...more,
  });
  return { stream, inner, gate, errors, ends: () => ends };
}

const full = (): Promise<never> => Promise.reject(new StoreError('full', 'no room'));

describe('a stream', () => {
  test('sends each event once it is stored, in order, and ends once', async () => {
    const { stream, gate, ends } = scene();
    const { stream: to, log } = connection();
    stream.open(to);
    let stored!: () => void;
    const isStored = new Promise<void>((resolve) => (stored = resolve));
    gate.append = () => isStored;
    stream.send('a');
    stream.send('b');
    await settle();
    assert.deepEqual([log, stream.connected, stream.ended], [[], true, false]);
    stored();
    stream.end('c');
    stream.end('d');
    stream.send('e');
    await stream.flushed;
    assert.deepEqual(log, ['a here-1:1', 'b here-1:2', 'end c here-1:3']);
    await settle();
    assert.deepEqual([ends(), stream.isTaken, stream.isKept, stream.connected], [1, false, true, false]);
  });

  test('begins with an id and pauses only if its version polls', async () => {
    const polling = scene({ polling: true });
    const { stream: to, log } = connection();
    polling.stream.open(to);
    polling.stream.pause(5);
    await polling.stream.flushed;
    await settle();
    assert.deepEqual([log, polling.stream.primes], [['id: here-1:1\nretry: 7\ndata:\n\n', 'pause 5'], true]);
    const plain = scene();
    const other = connection();
    plain.stream.open(other.stream);
    plain.stream.pause(5);
    await settle();
    assert.deepEqual([other.log, plain.stream.primes], [[], false]);
  });

  test('that another process took ends here without a failure', async () => {
    const { stream, inner, errors, ends } = scene();
    const { stream: to, log } = connection();
    stream.open(to);
    stream.send('a');
    await stream.flushed;
    await inner.write('here-1', 'other');
    stream.send('b');
    await stream.flushed;
    assert.deepEqual([log, stream.isTaken, stream.ended, errors, ends()], [['a here-1:1', 'end'], true, true, [], 1]);
  });

  test('that cannot be stored goes on without ids, is told once, and cannot be resumed', async () => {
    const { stream, gate, errors } = scene({ polling: true });
    const { stream: to, log } = connection();
    stream.carryOn(to);
    stream.send('a');
    await stream.flushed;
    gate.append = full;
    stream.send('b');
    stream.send('c');
    stream.pause(5);
    await stream.flushed;
    await settle();
    assert.deepEqual([log, stream.isKept, errors.length], [['a here-1:1', 'b undefined', 'c undefined'], false, 1]);
    assert.equal(await stream.resume(0), undefined);
  });

  test('whose events wait for a store is stored up to the limit of its buffer', async () => {
    const { stream, gate } = scene();
    gate.append = () => new Promise(() => undefined);
    stream.send('x'.repeat(10));
    stream.send('y');
    assert.equal(stream.isKept, true);
    stream.send('z');
    assert.equal(stream.isKept, false);
  });

  test('has room for further events once earlier ones are stored', async () => {
    const { stream, inner } = scene();
    for (let count = 1; count <= 3; count++) {
      stream.send('x'.repeat(10));
      await stream.flushed;
      assert.equal(stream.isKept, true);
      assert.equal((await inner.read('here-1', 0))?.events.length, count);
    }
  });
});

describe('a stream that is taken up here', () => {
  test('replays what was missed and goes on, and the reader before is cut off', async () => {
    const { stream } = scene();
    const [first, second] = [connection(), connection()];
    stream.open(first.stream);
    for (const data of ['a', 'b']) stream.send(data);
    const resumed = await stream.resume(1);
    assert.equal(resumed?.isOver, false);
    resumed?.connect(second.stream);
    stream.send('c');
    await stream.flushed;
    assert.deepEqual(
      [first.log, second.log],
      [
        ['a here-1:1', 'b here-1:2', 'end'],
        ['again b here-1:2', 'c here-1:3'],
      ],
    );
    assert.equal(stream.connected, true);
    stream.leave();
    assert.deepEqual([second.log.at(-1), stream.connected], ['end', false]);
    stream.leave();
    assert.equal(second.log.length, 3);
  });

  test('twice goes to who asked last, in whatever order they connect', async () => {
    for (const isReversed of [false, true]) {
      const { stream } = scene();
      stream.send('a');
      const [one, two] = [await stream.resume(0), await stream.resume(0)];
      const [first, second] = [connection(), connection()];
      if (isReversed) two?.connect(second.stream);
      one?.connect(first.stream);
      if (!isReversed) two?.connect(second.stream);
      await stream.flushed;
      stream.send('b');
      await stream.flushed;
      assert.equal(first.log.at(-1), 'end');
      assert.deepEqual(second.log, ['again a here-1:1', 'b here-1:2']);
    }
  });

  test('while it is left ends the connection', async () => {
    for (const isLate of [false, true]) {
      const { stream, gate } = scene();
      stream.send('a');
      const resumed = await stream.resume(0);
      const { stream: to, log } = connection();
      let read!: () => void;
      gate.read = () => new Promise((resolve) => (read = resolve));
      if (isLate) resumed?.connect(to);
      await settle();
      stream.leave();
      if (isLate) read();
      else resumed?.connect(to);
      await settle();
      assert.deepEqual(log, ['end']);
    }
  });

  test('while the store is away ends the connection, and one after it is served', async () => {
    const { stream, gate } = scene();
    stream.send('a');
    const [one, two] = [await stream.resume(0), await stream.resume(0)];
    const [first, second] = [connection(), connection()];
    gate.read = () => Promise.reject(new StoreError('unavailable', 'x'));
    one?.connect(first.stream);
    await settle();
    assert.deepEqual(first.log, ['end']);
    gate.read = undefined;
    two?.connect(second.stream);
    await settle();
    assert.deepEqual(second.log, ['again a here-1:1']);
  });

  test('after its end has the rest, and nothing if there is none', async () => {
    const { stream } = scene();
    stream.send('a');
    stream.end('b');
    await stream.flushed;
    const rest = await stream.resume(1);
    const { stream: to, log } = connection();
    rest?.connect(to);
    await settle();
    assert.deepEqual([rest?.isOver, log], [false, ['again b here-1:2', 'end']]);
    assert.equal((await stream.resume(2))?.isOver, true);
    assert.equal(await stream.resume(3), undefined);
  });
});

describe('a reader in another process', () => {
  function reader(line: string, isThere = true) {
    const told: LineReply[] = [];
    const tell = async (reply: LineReply): Promise<boolean> => (told.push(reply), isThere);
    return { one: { line, tell }, told };
  }

  function read(t: TestContext) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    return scene();
  }

  test('hears of each event, and that the writer lives', async (t) => {
    const { stream } = read(t);
    const { one, told } = reader('r');
    stream.readBy(one, false);
    assert.deepEqual(told.splice(0), ['written']);
    stream.send('a');
    await stream.flushed;
    assert.deepEqual(told.splice(0), ['written']);
    t.mock.timers.tick(aliveMs - 1);
    assert.deepEqual(told, []);
    t.mock.timers.tick(1);
    assert.deepEqual(told.splice(0), ['written']);
    stream.end();
    await stream.flushed;
    await settle();
    told.splice(0);
    t.mock.timers.tick(10 * aliveMs);
    assert.deepEqual(told, []);
  });

  test('that is gone hears nothing more', async (t) => {
    const { stream } = read(t);
    const { one, told } = reader('r', false);
    stream.readBy(one, false);
    await settle();
    stream.send('a');
    await stream.flushed;
    t.mock.timers.tick(10 * aliveMs);
    assert.deepEqual(told, ['written']);
  });

  test('takes the place of another one, unless it only asks for a sign of life', async (t) => {
    const { stream } = read(t);
    const [first, second] = [reader('1'), reader('2')];
    stream.readBy(first.one, false);
    stream.readBy(first.one, true);
    assert.deepEqual(first.told.splice(0), ['written', 'written']);
    stream.readBy(second.one, true);
    assert.deepEqual([first.told, second.told.splice(0)], [[], ['replaced']]);
    stream.readBy(second.one, false);
    assert.deepEqual([first.told.splice(0), second.told.splice(0)], [['replaced'], ['written']]);
    stream.send('a');
    const resumed = await stream.resume(0);
    second.told.splice(0);
    const { stream: to, log } = connection();
    resumed?.connect(to);
    stream.readBy(first.one, false);
    await stream.flushed;
    assert.deepEqual([second.told, first.told.splice(0), log], [['replaced'], ['written'], ['end']]);
    assert.equal(stream.connected, false);
  });

  test('takes the place of a connection here', async (t) => {
    const { stream } = read(t);
    const { stream: to, log } = connection();
    stream.open(to);
    const { one, told } = reader('r');
    stream.readBy(one, true);
    assert.deepEqual([told.splice(0), log], [['replaced'], []]);
    stream.readBy(one, false);
    assert.deepEqual([told, log, stream.connected], [['written'], ['end'], false]);
  });

  test('hears that a stream is not stored', async (t) => {
    const { stream, gate } = read(t);
    const [first, second] = [reader('1'), reader('2')];
    stream.readBy(first.one, false);
    gate.append = full;
    stream.send('a');
    await stream.flushed;
    assert.deepEqual(first.told, ['written', 'not-kept', 'written']);
    stream.readBy(second.one, false);
    assert.deepEqual(second.told, ['not-kept']);
  });
});

test('a process that asks again takes the stream from no other reader', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const replies: string[] = [];
  let names = 0;
  const mailbox = {
    name: 'here',
    next: () => ++names,
    reply: async ({ line }: { readonly line: string }, reply: LineReply) => replies.push(`${line} ${reply}`),
  };
  const settings = {
    now: () => 0,
    maxStreamBufferBytes: 10,
    retryMs: 7,
    onError: (error: Error) => assert.fail(error),
  };
  const log = memoryStore().events.open('session');
  const streams = new SharedStreams({ session: 's', log, mailbox, settings, resumption: 'event-ids' } as never);
  const stream = streams.begin();
  const read = (line: string, name = 'here-1', isAgain?: boolean): void =>
    streams.readBy({ kind: 'reading', session: 's', stream: name, process: 'p', line, isAgain } as never);
  read('first');
  read('first', 'here-1', true);
  read('late', 'here-1', true);
  assert.deepEqual(replies.splice(0), ['first written', 'first written', 'late replaced']);
  read('next');
  assert.deepEqual(replies.splice(0), ['first replaced', 'next written']);
  read('lost', 'here-2');
  assert.deepEqual(replies.splice(0), ['lost not-here']);
  stream.leave();
});
