/** Sessions that several processes serve: how long each keeps its copy, and what reaches the process that waits for it. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  faltering,
  heardOn,
  openSession,
  processOver,
  settle,
  type Process,
} from '../../../../../../../../test/support/session-processes.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import type { Store } from '../../../../../storage/store.ts';
import type { HttpOptions } from '../../exchanges/options.ts';

const ping = { id: 9, method: 'ping' };

/** Two processes over one store, with one clock, and how often the store was asked. */
function scene(t: TestContext, options: HttpOptions = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let time = 0;
  const now = (): number => time;
  const inner = memoryStore({ now });
  const asked: string[] = [];
  let isAway = (_: string): boolean => false;
  const noted = faltering(inner, (command, given) => {
    asked.push(`${command} ${given.split(' ', 1)[0]}`);
    return isAway(command);
  });
  const records: Store['records'] = {
    ...noted.records,
    touch: (key, ...more) => (asked.push(`touch ${key.split(' ', 1)[0]}`), inner.records.touch(key, ...more)),
    put: (key, ...more) => (asked.push(`put ${key.split(' ', 1)[0]}`), inner.records.put(key, ...more)),
  };
  const process = (): Process => processOver(t, { ...noted, records }, { now, ...options });
  const pass = async (ms: number): Promise<void> => {
    time += ms;
    t.mock.timers.tick(ms);
    await settle();
  };
  return {
    here: process(),
    there: process(),
    inner,
    pass,
    away: (is: (command: string) => boolean) => void (isAway = is),
    /** How often the store was asked since the last time. */
    asked: (what: string) => asked.splice(0).filter((one) => one === what).length,
  };
}

const status = async ({ send }: Process, session: Record<string, string>): Promise<number> =>
  (await send('POST', session, ping)).status;

test('the store hears that a session is used once in an eighth of the time that it lives', async (t) => {
  const { here, pass, asked } = scene(t, { sessionIdleTimeoutMs: 8000 });
  const session = await openSession(here);
  await settle();
  asked('');
  for (const [ms, touches] of [
    [999, 0],
    [1, 1],
    [500, 0],
    [499, 0],
    [1, 1],
  ] as const) {
    await pass(ms);
    assert.equal(await status(here, session), 200);
    assert.equal(asked('touch session'), touches, `after ${ms} more`);
  }
});

test('a copy that nobody used for more than 30 seconds is let go of, and made anew when it is wanted', async (t) => {
  const { here, there, pass, asked } = scene(t);
  const session = await openSession(here);
  assert.equal(await status(there, session), 200);
  assert.equal(await status(there, session), 200);
  await settle();
  asked('');
  for (let passed = 0; passed < 30_000; passed += 5000) await pass(5000);
  assert.equal(await status(there, session), 200);
  assert.equal(asked('get session'), 0, 'the copy is there after 30 seconds');
  for (let passed = 0; passed < 35_000; passed += 5000) await pass(5000);
  assert.equal(await status(there, session), 200);
  assert.equal(asked('get session') > 0, true, 'it was let go of');
});

test('a copy reads the store for each request until it listens to changes', async (t) => {
  const inner = memoryStore();
  const asked: string[] = [];
  const noted = faltering(inner, (command, given) => (asked.push(`${command} ${given.split(' ', 1)[0]}`), false));
  const held: (() => void)[] = [];
  const slow: Store = {
    ...noted,
    bus: {
      ...noted.bus,
      subscribe: async (channel, ...hearing) => {
        if (channel.startsWith('session ')) await new Promise<void>((resolve) => held.push(resolve));
        return await noted.bus.subscribe(channel, ...hearing);
      },
    },
  };
  const session = await openSession(processOver(t, noted));
  const there = processOver(t, slow);
  const lookUps = async (): Promise<number> => {
    asked.length = 0;
    assert.equal(await status(there, session), 200);
    return asked.filter((one) => one === 'get session').length;
  };
  assert.deepEqual([await lookUps(), await lookUps(), await lookUps()], [1, 1, 1]);
  for (const hear of held) hear();
  await settle();
  assert.deepEqual([await lookUps(), await lookUps()], [0, 0]);
});

test('a session in which something goes on is kept, and kept alive', async (t) => {
  const { here, there, pass, asked } = scene(t, { sessionIdleTimeoutMs: 80_000 });
  const session = await openSession(here);
  const stream = await there.send('GET', session);
  const heard = heardOn(stream);
  await settle();
  asked('');
  for (let passed = 0; passed < 200_000; passed += 5000) await pass(5000);
  assert.ok(asked('touch session') >= 20);
  there.server.changed('resources');
  await settle();
  await pass(100);
  assert.match(heard(), /list_changed/);
  assert.equal(await status(here, session), 200);
});

test('while the store is away a copy is believed for 30 seconds, and nobody is told that its session is gone', async (t) => {
  const { here, there, pass, away } = scene(t, { sessionIdleTimeoutMs: 8000 });
  const session = await openSession(here);
  await settle();
  await here.send('POST', session, ping);
  away((command) => command === 'get');
  for (const [ms, expected] of [
    [2000, 200],
    [3000, 200],
    [25_000, 503],
  ] as const) {
    await pass(ms);
    assert.equal(await status(here, session), expected, `after ${ms} more`);
  }
  assert.equal(await status(there, session), 503, 'it never knew the session');
});

test('a process with too many sessions lets go of copies that rest, and of none in which something goes on', async (t) => {
  const { here, there, pass } = scene(t, { maxSessions: 1 });
  const [first, second] = [await openSession(here), await openSession(there)];
  assert.equal(await status(here, second), 503, 'the first was used just now');
  await pass(1);
  assert.equal(await status(here, second), 200);
  await pass(1);
  assert.equal(await status(here, first), 200);
  const stream = await here.send('GET', first);
  await pass(1000);
  assert.equal(await status(here, second), 503);
  await stream.body?.cancel();
  await settle();
  await pass(1);
  assert.equal(await status(here, second), 200);
});

test('an answer that comes to another process reaches the handler that asked, and one for nobody is taken', async (t) => {
  const { here, there, pass } = scene(t);
  here.server.tool(
    'asks',
    {},
    async (_, ctx) => (await ctx.elicit({ message: 'a', schema: { type: 'object' } })).action,
  );
  const session = await openSession(here, { elicitation: {} });
  assert.equal(await status(there, session), 200);
  const heard = heardOn(await here.send('POST', session, { id: 2, method: 'tools/call', params: { name: 'asks' } }));
  await settle();
  const [, id] = /"id":"([^"]+)","method":"elicitation\/create"/.exec(heard()) ?? assert.fail(heard());
  const answer = { id, result: { action: 'decline' } };
  assert.equal((await there.send('POST', session, answer)).status, 202);
  await settle();
  assert.match(heard(), /"id":2,"result".*decline/);
  for (const stray of [
    { ...answer, id: 7 },
    { ...answer, id: 'x' },
    { ...answer, id: `${'0'.repeat(18)}-1-1` },
  ])
    assert.equal((await there.send('POST', session, stray)).status, 202);
  await pass(10_000);
});

test('a cancellation that comes to another process ends the call, and is told again to who did not listen yet', async (t) => {
  const { here, there, pass, asked } = scene(t);
  let isAborted = false;
  here.server.tool('waits', {}, async (_, { signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    isAborted = true;
    return 'x';
  });
  const session = await openSession(here);
  assert.equal(await status(there, session), 200);
  const calling = here.send('POST', session, { id: 2, method: 'tools/call', params: { name: 'waits' } });
  await settle();
  asked('');
  const cancel = { method: 'notifications/cancelled', params: { requestId: 2 } };
  assert.equal((await there.send('POST', session, cancel)).status, 202);
  await settle();
  assert.equal(isAborted, true);
  assert.equal(asked('publish session'), 1);
  for (const [ms, told] of [
    [99, 0],
    [1, 1],
    [299, 0],
    [1, 1],
    [999, 0],
    [1, 1],
    [10_000, 0],
  ] as const) {
    await pass(ms);
    assert.equal(asked('publish session'), told);
  }
  await (await calling).body?.cancel();
});

test('changes at two processes at once are both kept', async (t) => {
  const { here, there, inner, asked } = scene(t);
  const uris = ['news://one', 'news://two'];
  for (const { server } of [here, there]) for (const uri of uris) server.resource(uri, { name: uri }, () => 'x');
  const session = await openSession(here);
  assert.equal(await status(there, session), 200);
  await settle();
  asked('');
  const watch = (process: Process, uri = ''): Promise<Response> =>
    process.send('POST', session, { id: 3, method: 'resources/subscribe', params: { uri } });
  const answers = await Promise.all([watch(here, uris[0]), watch(there, uris[1])]);
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 200],
  );
  const key = `session ${session['mcp-session-id']}`;
  const kept = JSON.parse((await inner.records.get(key))?.text ?? '{}') as { record: { watched: string[] } };
  assert.deepEqual(kept.record.watched.toSorted(), uris);
  assert.equal(asked('put session'), 3, 'the second of them is written once more');
});

test('a session that is ended in one process ends in the other, with its streams', async (t) => {
  const { here, there, inner } = scene(t);
  const session = await openSession(here);
  const stream = await there.send('GET', session);
  const ended = stream.text();
  await settle();
  assert.equal((await here.send('DELETE', session)).status, 204);
  await ended;
  for (const process of [here, there]) assert.equal(await status(process, session), 404);
  assert.equal(await inner.records.get(`session ${session['mcp-session-id']}`), undefined);
});
