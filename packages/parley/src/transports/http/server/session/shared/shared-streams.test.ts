/** The streams of one session in one process, and the stream that this process takes over from another. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settle } from '../../../../../../../../test/support/raw.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import type { StreamLog } from '../../../../../storage/stream-log.ts';
import type { EventStream } from '../../exchanges/stream.ts';
import { SharedStreams, type SharedStreamsParts } from './shared-streams.ts';

interface Connection {
  readonly stream: EventStream;
  readonly log: unknown[];
}

function connection(): Connection {
  const log: unknown[] = [];
  let ended = false;
  const stream = {
    get ended() {
      return ended;
    },
    end: (data?: string) => {
      if (!ended) log.push(data === undefined ? 'end' : `end ${data}`);
      ended = true;
    },
    send: (data: string, id?: string) => log.push(`${data} ${id}`),
    write: (text: string) => log.push(text),
    pause: () => log.push('pause'),
    replay: (events: readonly { readonly data: string; readonly id?: string }[]) =>
      events.forEach(({ data, id }) => log.push(`again ${data} ${id}`)),
  };
  return { stream: stream as unknown as EventStream, log };
}

/** The streams of two processes over one log. `opening` is what the claim of the GET stream gives to each. */
function scene(change: (log: StreamLog) => StreamLog = (log) => log) {
  const log = memoryStore().events.open('session');
  const opening = { isLost: false, overs: 0, isRefused: false };
  const errors: string[] = [];
  const process = (name: string, own: StreamLog): SharedStreams => {
    let names = 0;
    return new SharedStreams({
      session: 's',
      mailbox: { name, next: () => ++names, reply: async () => true },
      settings: {
        now: () => 0,
        maxStreamBufferBytes: 1000,
        retryMs: 7,
        onError: (error: Error) => errors.push(error.message),
      },
      log: own,
      resumption: 'event-ids',
      revision: undefined,
      claim: async () => {
        if (opening.isRefused) return undefined;
        return {
          get isLost() {
            return opening.isLost;
          },
          over: () => void opening.overs++,
        };
      },
    } as unknown as SharedStreamsParts);
  };
  return { log, opening, errors, there: process('aa', log), here: process('bb', change(log)) };
}

/** The stream of the other process has two events, of which the client has the first. */
async function begun(streams: SharedStreams): Promise<{ readonly lastEventId: string; readonly to: Connection }> {
  const stream = streams.begin();
  const to = connection();
  stream.open(to.stream);
  stream.send('one');
  stream.send('two');
  await streams.flushed;
  const [first] = to.log;
  return { lastEventId: String(first).split(' ')[1] ?? '', to };
}

describe('the stream of another process', () => {
  test('goes on here with what the client missed', async () => {
    const { here, there, opening } = scene();
    const { lastEventId } = await begun(there);
    const resumption = (await here.resume(lastEventId)) ?? assert.fail('it goes on');
    assert.deepEqual([resumption.isMoved, opening.overs], [true, 0]);
    const { stream, log } = connection();
    resumption.connect(stream);
    assert.equal(opening.overs, 1);
    resumption.stream?.send('three');
    await here.flushed;
    await settle();
    assert.deepEqual(
      log.map((entry) => String(entry).replace(/ \S+$/, '')),
      ['again two', 'three'],
    );
  });

  test('is not taken while a third process takes it', async () => {
    const { here, there, opening } = scene();
    const { lastEventId } = await begun(there);
    opening.isRefused = true;
    assert.equal(await here.resume(lastEventId), undefined);
  });

  test('is let go of if the client left, or another process was faster', async () => {
    for (const way of ['drop', 'lost', 'ended'] as const) {
      const { here, there, opening } = scene();
      const { lastEventId } = await begun(there);
      const resumption = (await here.resume(lastEventId)) ?? assert.fail('it goes on');
      const { stream, log } = connection();
      if (way === 'lost') opening.isLost = true;
      if (way === 'ended') resumption.stream?.leave();
      if (way === 'drop') resumption.drop();
      else resumption.connect(stream);
      assert.deepEqual([resumption.stream?.ended, opening.overs, log], [true, 1, way === 'drop' ? [] : ['end']], way);
    }
  });

  test('stays where it is if the log cannot be read, or it ended meanwhile', async () => {
    for (const [reads, fails] of [
      [1, true],
      [1, false],
    ] as const) {
      let count = 0;
      const { here, there, opening } = scene((log) => ({
        ...log,
        write: (...given) => log.write(...given),
        read: async (...given) => {
          if (count++ < reads) return await log.read(...given);
          if (fails) throw new Error('away');
          return undefined;
        },
      }));
      const { lastEventId } = await begun(there);
      if (fails) await assert.rejects(here.resume(lastEventId), /away/);
      else assert.equal(await here.resume(lastEventId), undefined);
      assert.equal(opening.overs, 1);
    }
  });
});

test('an id that is none, and a stream that no log has, cannot be resumed', async () => {
  const { here } = scene();
  for (const id of ['', 'x', 'aa-1', 'aa-1:1']) assert.equal(await here.resume(id), undefined, id);
});

test('the end of a session ends answers with their last response, and leaves its own stream to others', async () => {
  const { here, log } = scene();
  const last = (id: unknown): never => ({ jsonrpc: '2.0', id, result: {} }) as never;
  const [own, one, several] = [here.begin(), here.answering([1]).begin(), here.answering([2, 3]).begin()];
  const connections = [own, one, several].map((stream) => {
    const to = connection();
    stream.open(to.stream);
    stream.send('first');
    return to;
  });
  await here.flushed;
  here.end(last);
  await settle();
  const said = connections.map(({ log: written }) => written.slice(1));
  assert.deepEqual(said[0], ['end']);
  assert.match(String(said[1]?.[0]), /^end \{"jsonrpc":"2\.0","id":1,"result":\{\}\}/);
  assert.deepEqual(said[2], ['end']);
  const name = String(connections[0]?.log[0]).split(' ')[1]?.split(':')[0] ?? '';
  assert.equal((await log.read(name, 0))?.complete, false);
});
