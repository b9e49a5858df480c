/** What a process that holds a suspended call sends to the process that resumes it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, type Json } from '../../../../../../test/support/raw.ts';
import { McpError } from '../../../protocol/error.ts';
import { memoryBus, type Bus } from '../../../storage/bus.ts';
import { beatMs, channelOf } from './bus.ts';
import type { SuspendedState, CallResumer } from './suspended-call.ts';
import { SuspendedCallOwner } from './call-owner.ts';

interface Held {
  readonly replies: Json[];
  readonly warnings: string[];
  readonly resumers: CallResumer[];
  readonly answers: Json[];
  take(round?: number, reply?: string): Promise<void>;
  say(message: unknown): Promise<void>;
  end(): Promise<void>;
}

/** Holds a call in its third round whose next standing a function gives. */
async function held(next: (resumer: CallResumer) => Promise<SuspendedState>, bus: Bus = memoryBus()): Promise<Held> {
  const [replies, warnings, resumers, answers]: [Json[], string[], CallResumer[], Json[]] = [[], [], [], []];
  const takeUp = (round: number, responses: Json, resumer: CallResumer): Promise<SuspendedState> | undefined => {
    if (round !== 3) return undefined;
    answers.push(responses);
    resumers.push(resumer);
    return next(resumer);
  };
  const end = await new SuspendedCallOwner(bus, (text) => warnings.push(text)).hold('id', takeUp);
  const unsubscribe = await bus.subscribe('reply', (text) => void replies.push(JSON.parse(text) as Json));
  const say = async (message: unknown): Promise<void> => {
    await bus.publish(channelOf('id'), JSON.stringify(message));
    await settle();
  };
  const take = (round = 3, reply = 'reply'): Promise<void> =>
    say({ kind: 'take', reply, round, responses: { q: 1 }, meta: { own: 2 }, logLevel: 'warning' });
  return {
    replies,
    warnings,
    resumers,
    answers,
    take,
    say,
    end: async () => void (await Promise.all([end(), unsubscribe()])),
  };
}

const kinds = (replies: readonly Json[]): unknown[] => replies.map(({ kind }) => kind);

test('a request gets the outcome of the round that it answers, and no other', async () => {
  const standing: SuspendedState = { kind: 'asks', inputRequests: {}, round: 4 };
  const { replies, resumers, answers, take, end } = await held(async ({ send }) => {
    send('notifications/progress', { progress: 1 });
    return standing;
  });
  await take(2);
  assert.deepEqual([replies.splice(0), resumers], [[{ kind: 'alive' }, { kind: 'past' }], []]);
  await take();
  assert.deepEqual(replies, [
    { kind: 'alive' },
    { kind: 'notification', method: 'notifications/progress', params: { progress: 1 } },
    { kind: 'standing', standing },
  ]);
  assert.deepEqual([answers, resumers[0]?.meta, resumers[0]?.logLevel], [[{ q: 1 }], { own: 2 }, 'warning']);
  assert.deepEqual([resumers[0]?.admits('info'), resumers[0]?.admits('error')], [false, true]);
  await end();
});

test('a failure is sent with its name and data, and an unknown one without a word of it', async () => {
  for (const [thrown, sent] of [
    [new McpError('busy', 'later', { data: 1 }), { name: 'busy', code: -32603, message: 'later', data: 1 }],
    [new McpError(17, 'own'), { code: 17, message: 'own' }],
    [new Error('a secret'), { name: 'internalError', code: -32603, message: 'internal error' }],
  ] as const) {
    const { replies, take, end } = await held(() => Promise.reject(thrown));
    await take();
    assert.deepEqual(replies[1], { kind: 'error', ...sent });
    await end();
  }
});

test('a request that is waited for hears so every few seconds, until it is answered', async (t) => {
  let answer!: (standing: SuspendedState) => void;
  const { replies, take, end } = await held(() => new Promise((resolve) => (answer = resolve)));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const tick = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await settle();
  };
  void take();
  await tick(0);
  const first = replies.length;
  await tick(beatMs - 1);
  assert.equal(replies.length, first);
  for (let beat = 0; beat < 2; beat++) await tick(beatMs);
  assert.equal(replies.length, first + 2);
  answer({ kind: 'complete', result: {} });
  await tick(0);
  const last = replies.length;
  await tick(4 * beatMs);
  assert.deepEqual([kinds(replies).at(-1), replies.length], ['standing', last]);
  t.mock.timers.reset();
  await end();
});

test('a client that leaves gives up its own request alone', async () => {
  const { resumers, take, say, end } = await held(() => new Promise(() => undefined));
  await take();
  for (const message of [{ kind: 'leave', reply: 'other' }, { kind: 'other', reply: 'reply' }, 'no message'])
    await say(message);
  assert.equal(resumers[0]?.signal.aborted, false);
  await say({ kind: 'leave', reply: 'reply' });
  assert.deepEqual(
    [resumers[0]?.signal.aborted, String(resumers[0]?.signal.reason)],
    [true, 'AbortError: the client left'],
  );
  await take(3, 'nobody listens here');
  await settle();
  assert.equal(resumers[1]?.signal.aborted, true);
  await end();
});

test('on a slow bus 1000 notifications wait for a request, and its outcome all the same', async () => {
  for (const [text, waiting] of [
    ['x', 1_000],
    ['x'.repeat(1024 * 1024), 5],
  ] as const) {
    const inner = memoryBus();
    const published: string[] = [];
    let deliver: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (deliver = resolve));
    const bus: Bus = {
      subscribe: (channel, hear) => inner.subscribe(channel, hear),
      publish: (channel, sent) => {
        if (channel !== 'reply') return inner.publish(channel, sent);
        published.push(sent);
        return slow.then(() => 1);
      },
    };
    let say!: () => void;
    const { take, end } = await held(async ({ send }) => {
      for (let count = 0; count < 1_100; count++) send('notifications/message', { data: text });
      await new Promise<void>((resolve) => (say = resolve));
      send('notifications/message', { data: 'once more' });
      return { kind: 'complete', result: {} };
    }, bus);
    await take();
    // The first says that the holder is there.
    assert.equal(published.length, waiting);
    deliver();
    await settle();
    say();
    await settle();
    assert.equal(published.length, waiting + 2);
    await end();
  }
});

test('a reply that a bus does not carry is a warning', async () => {
  const inner = memoryBus();
  const bus: Bus = {
    subscribe: (channel, hear) => inner.subscribe(channel, hear),
    publish: (channel, text) => {
      if (channel === 'reply') throw new Error('the bus is away');
      return inner.publish(channel, text);
    },
  };
  const { warnings, take, end } = await held(async () => ({ kind: 'complete', result: {} }), bus);
  await take(1);
  assert.deepEqual(
    warnings,
    Array(2).fill('an answer to a request in another process was not delivered: the bus is away'),
  );
  await end();
});
