import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { EngineClient } from './client.ts';
import { asStoreError, type RedisEngine } from './engine.ts';
import { RedisListening } from './listening.ts';

/** Connections that listen: they do what they are told, and keep the commands. */
class Ear extends EventEmitter {
  readonly options = {};
  status = 'wait';
  role = 'master';
  readonly sent: string[] = [];
  readonly connecting: Promise<void>;

  constructor(connecting: Promise<void>) {
    super();
    this.connecting = connecting;
  }
  async connect(): Promise<void> {
    await this.connecting;
    this.status = 'ready';
  }
  disconnect(): void {
    this.status = 'end';
  }
  async call(command: string, channel = ''): Promise<unknown> {
    this.sent.push(`${command} ${channel}`);
    return command === 'info' ? `# Replication\r\nrole:${this.role}\r\n` : 1;
  }
}

/** A server alone, and the connections that listen to it. */
function engineWith(opening: () => Promise<void>, connecting: () => Promise<void>): [RedisEngine, Ear[]] {
  const ears: Ear[] = [];
  const client = {
    duplicate() {
      const ear = new Ear(connecting());
      ears.push(ear);
      return ear;
    },
  };
  const engine = {
    client: client as unknown as EngineClient,
    isClosed: false,
    callMs: 2_000,
    lastError: undefined,
    errorOf: (error: unknown) => asStoreError(error),
    open: opening,
    refresh: () => undefined,
  };
  return [engine as unknown as RedisEngine, ears];
}

const at = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
const now = (): Promise<void> => Promise.resolve();
const listener = { hear: () => undefined, gap: () => undefined };

test('a channel that nobody listens to any more when its server is reached is not asked for', async (t) => {
  let reach = (): void => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  // So that the connection, which begins later, has a moment left when the call has none.
  const [engine, ears] = engineWith(
    () => at(500),
    () => reached,
  );
  const listening = new RedisListening(engine);
  t.after(() => listening.close());
  await assert.rejects(listening.listen('late', listener), { reason: 'unavailable' });
  reach();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    ears.map(({ status, sent }) => [status, sent]),
    [['ready', []]],
  );
});

test('a replica that listens is left for the primary, and only that is heard', async (t) => {
  const [one, other] = [new Ear(now()), new Ear(now())];
  one.role = 'slave';
  const heard: string[] = [];
  const slots = Array.from({ length: 16_384 }, () => ['one:1']);
  const nodes = [one, other].map((ear, at) => ({
    options: { host: at === 0 ? 'one' : 'other', port: 1 },
    duplicate: () => ear,
  }));
  const client = { isCluster: true, slots, nodes: () => nodes };
  const [engine] = engineWith(now, now);
  Object.assign(engine, { client, refresh: () => slots.fill(['other:1']) });
  const listening = new RedisListening(engine);
  t.after(() => listening.close());
  await listening.listen('channel', { hear: (text) => heard.push(text), gap: () => undefined });
  one.emit('smessage', 'channel', 'by the replica');
  other.emit('smessage', 'channel', 'by the primary');
  assert.deepEqual([one.status, other.status, heard], ['end', 'ready', ['by the primary']]);
});

test('a connection with very many channels is made anew without a standstill, and each of them is told of the gap', async (t) => {
  const [engine, ears] = engineWith(now, now);
  const listening = new RedisListening(engine);
  t.after(() => listening.close());
  const many = 20_000;
  let gaps = 0;
  const told = { hear: () => undefined, gap: () => gaps++ };
  await Promise.all(Array.from({ length: many }, (_, number) => listening.listen(`c${number}`, told)));
  // What a busy machine leaves to others is no standstill.
  const begun = process.cpuUsage();
  ears[0]?.emit('close');
  while (gaps < many) await at(1);
  const { user, system } = process.cpuUsage(begun);
  const took = (user + system) / 1_000;
  assert.equal(ears.length, 2);
  assert.ok(took < 2_000, `${took} ms`);
});

test('who cannot be heard tries again each 200 ms at least, however long its server is away', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let [isAway, passedMs] = [false, 0];
  const tried: number[] = [];
  const [engine, ears] = engineWith(now, async () => {
    tried.push(passedMs);
    if (isAway) throw new Error('connection refused');
  });
  const listening = new RedisListening(engine);
  t.after(() => listening.close());
  await listening.listen('channel', listener);
  isAway = true;
  ears[0]?.emit('close');
  for (; passedMs < 2_000; passedMs += 5) {
    t.mock.timers.tick(5);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  const waits = tried.slice(1).map((time, number) => time - (tried[number] ?? 0));
  assert.ok(waits.length >= 9, waits.join());
  assert.ok(Math.max(...waits) <= 205, waits.join());
});
