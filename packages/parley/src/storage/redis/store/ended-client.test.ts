/** A client of ioredis that gives up for good: the store makes another one. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { Calls } from './calls.ts';
import { RedisEngine } from './engine.ts';
import { RedisKeys } from './keys.ts';
import { RedisListening } from './listening.ts';
import { RedisStoreBus } from './redis-store-bus.ts';

/** A client that keeps its commands, and ends when it is told. */
class Client extends EventEmitter {
  readonly options = { protocol: 3 };
  status = 'wait';
  readonly sent: string[] = [];
  readonly #made: Client[];

  constructor(made: Client[]) {
    super();
    this.#made = made;
    made.push(this);
  }
  async connect(): Promise<void> {
    this.status = 'ready';
    this.emit('ready');
  }
  disconnect(): void {
    if (this.status === 'end') return;
    this.status = 'end';
    this.emit('end');
  }
  async call(command: string): Promise<unknown> {
    if (this.status !== 'ready') throw new Error('Connection is closed.');
    this.sent.push(command);
    return command === 'info' ? 'redis_version:8.0.0\r\nmaxmemory_policy:noeviction\r\nrole:master\r\n' : 1;
  }
  duplicate(): Client {
    return new Client(this.#made);
  }
}

test('calls, texts and subscriptions go to a new client when the one of the store has ended', async (t) => {
  const made: Client[] = [];
  const given = new Client(made);
  const engine = new RedisEngine(given, () => undefined);
  t.after(() => engine.close());
  const listening = new RedisListening(engine);
  t.after(() => listening.close());
  const bus = new RedisStoreBus(engine, { keys: new RedisKeys('', 's'), listening, room: 1 });
  let tell = (): void => {};
  const gap = new Promise<void>((resolve) => (tell = resolve));
  await bus.subscribe(
    'c',
    () => undefined,
    () => tell(),
  );
  const [, main, ear] = made;
  assert.ok(main !== undefined && ear !== undefined);

  // What ioredis does if it hears of another master while it asks a sentinel.
  main.disconnect();
  ear.disconnect();
  assert.equal(await bus.publish('c', 'after'), 1);
  await new Calls(engine).send('get', 'k');
  await gap;
  const [, , , again, nextEar] = made;
  assert.ok(again?.sent.includes('spublish') === true && again.sent.includes('get'), again?.sent.join());
  assert.ok(nextEar?.sent.includes('ssubscribe') === true);
  assert.equal(made.length, 5);
});

test('listening goes on by itself, without a call, when both clients have ended', async (t) => {
  const made: Client[] = [];
  const engine = new RedisEngine(new Client(made), () => undefined);
  t.after(() => engine.close());
  const listening = new RedisListening(engine);
  t.after(() => listening.close());
  let heard = (): void => {};
  const gap = new Promise<void>((resolve) => (heard = resolve));
  await listening.listen('c', { hear: () => undefined, gap: () => heard() });
  for (const client of made.slice(1)) client.disconnect();
  await gap;
  assert.equal(made.length, 5);
});
