/** What happens beside the result of a call: progress, log messages, cancellation. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  bridgeBefore,
  bridgeTo,
  clientOf,
  lineOver,
  pairs,
  serverAt,
  shakesHands,
  type Pair,
} from '../../../../test/support/bridged.ts';
import { open, settle, withMeta } from '../../../../test/support/raw.ts';
import type { Client } from '../client/api/client.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import type { Progress } from '../connection/progress.ts';
import type { LoggingMessageNotificationParams } from '../protocol/features/logging.ts';
import { metaKey } from '../protocol/meta.ts';
import type { Server } from '../server/server.ts';

interface Upstream {
  readonly server: Server;
  /** Resolves when the tool `wait` runs, with its signal. */
  readonly waiting: Promise<AbortSignal>;
  /** Lets the calls of `gated` go on once so many run. */
  releaseAt(count: number): Promise<void>;
}

function createUpstream(up: Pair['up']): Upstream {
  const server = serverAt(up);
  const begun = gate<AbortSignal>();
  const released = gate<void>();
  const running: string[] = [];
  server.tool('steps', {}, (_, ctx) => {
    for (const done of [1, 2, 2, 3]) ctx.progress(done, 3, `step ${done}`);
    return 'done';
  });
  server.tool('chatter', {}, (_, ctx) => {
    for (const level of ['debug', 'info', 'warning', 'emergency'] as const) ctx.log(level, { level }, 'chatter');
    return 'said';
  });
  server.tool('gated', { input: { type: 'object', properties: { as: { type: 'string' } } } }, async ({ as }, ctx) => {
    ctx.log('error', `${as} begins`);
    running.push(as ?? '');
    await released.promise;
    ctx.log('error', `${as} ends`);
    return 'done';
  });
  server.tool('wait', {}, async (_, ctx) => {
    begun.open(ctx.signal);
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    return 'too late';
  });
  server.tool('quick', {}, () => 'quick');
  const releaseAt = async (count: number): Promise<void> => {
    while (running.length < count) await settle();
    released.open();
  };
  return { server, waiting: begun.promise, releaseAt };
}

function gate<T>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  let open!: (value: T) => void;
  const promise = new Promise<T>((resolve) => (open = resolve));
  return { promise, open };
}

/** A client, with the log messages that it hears. */
interface Listening {
  readonly client: Client;
  readonly logs: LoggingMessageNotificationParams[];
  /** The data of those messages, in order. */
  readonly said: unknown[];
}

async function listening(
  t: TestContext,
  bridge: Parameters<typeof clientOf>[1],
  down: Pair['down'],
): Promise<Listening> {
  const logs: LoggingMessageNotificationParams[] = [];
  const said: unknown[] = [];
  const client = await clientOf(t, bridge, down, {
    onLog: (message) => {
      logs.push(message);
      said.push(message.data);
    },
  });
  return { client, logs, said };
}

for (const { down, up } of pairs) {
  describe(`a client at ${down} before a server at ${up}`, () => {
    it('hears progress that rises [progress-003]', async (t) => {
      const client = await clientOf(t, await bridgeBefore(t, createUpstream(up).server), down);
      const heard: Progress[] = [];
      await client.callTool('steps', {}, { onProgress: (progress) => heard.push(progress) });
      const told = down !== '2024-11-05' && up !== '2024-11-05';
      assert.deepEqual(
        heard,
        [1, 2, 3].map((progress) => ({ progress, total: 3, ...(told ? { message: `step ${progress}` } : {}) })),
      );
    });

    it('hears log messages of the level that it asked for, and no others [logging-002]', async (t) => {
      const { client, logs } = await listening(t, await bridgeBefore(t, createUpstream(up).server), down);
      await client.setLogLevel('warning');
      await client.callTool('chatter');
      assert.deepEqual(
        logs,
        ['warning', 'emergency'].map((level) => ({ level, logger: 'chatter', data: { level } })),
      );
      await client.setLogLevel('emergency');
      await client.callTool('chatter');
      assert.deepEqual(logs.slice(2), [{ level: 'emergency', logger: 'chatter', data: { level: 'emergency' } }]);
      await client.setLogLevel('debug');
      await client.callTool('chatter');
      assert.equal(logs.length, 7);
    });

    it('hears what its era hears of itself when it asks for no level', async (t) => {
      const { client, logs } = await listening(t, await bridgeBefore(t, createUpstream(up).server), down);
      await client.callTool('chatter');
      assert.deepEqual(
        logs.map(({ level }) => level),
        shakesHands(down) ? ['info', 'warning', 'emergency'] : [],
      );
    });

    it('cancels, and the handler of the server hears of it', async (t) => {
      const { server, waiting } = createUpstream(up);
      const client = await clientOf(t, await bridgeBefore(t, server), down);
      const cancel = new AbortController();
      const call = client.callTool('wait', {}, { signal: cancel.signal });
      const signal = await waiting;
      cancel.abort();
      await assert.rejects(call, { name: 'AbortError' });
      await aborted(signal);
      assert.deepEqual((await client.callTool('quick')).content, [{ type: 'text', text: 'quick' }]);
    });

    it('goes away, and the handler of the server hears of it', async (t) => {
      const { server, waiting } = createUpstream(up);
      const client = await clientOf(t, await bridgeBefore(t, server), down);
      const call = client.callTool('wait');
      const signal = await waiting;
      await client.close();
      await assert.rejects(call, { name: 'ConnectionError' });
      await aborted(signal);
    });
  });
}

for (const up of ['2025-06-18', '2026-07-28'] as const) {
  describe(`log messages of a server at ${up}`, () => {
    it('reach the stateless client whose call wrote them, however many run at once', async (t) => {
      const { server, releaseAt } = createUpstream(up);
      const bridge = await bridgeBefore(t, server);
      const ears = await Promise.all(['one', 'two', 'three'].map(() => listening(t, bridge, '2026-07-28')));
      const deaf = await listening(t, bridge, '2026-07-28');
      for (const { client } of ears) await client.setLogLevel('debug');
      const calls = [...ears, deaf].map(({ client }, index) => client.callTool('gated', { as: `client ${index}` }));
      await releaseAt(4);
      await Promise.all(calls);
      for (const [index, { said }] of ears.entries())
        assert.deepEqual(said, [`client ${index} begins`, `client ${index} ends`]);
      assert.deepEqual(deaf.said, []);
    });

    it('reach the session whose calls wrote them, also when several run at once', async (t) => {
      const { server, releaseAt } = createUpstream(up);
      const bridge = await bridgeBefore(t, server);
      const ears = await Promise.all([0, 1].map(() => listening(t, bridge, '2025-06-18')));
      const calls = ears.flatMap(({ client }, index) =>
        ['a', 'b'].map((name) => client.callTool('gated', { as: `${index}${name}` })),
      );
      await releaseAt(4);
      await Promise.all(calls);
      for (const [index, { said }] of ears.entries()) {
        const expected = ['a', 'b'].flatMap((name) => [`${index}${name} begins`, `${index}${name} ends`]);
        assert.deepEqual(new Set(said), new Set(expected));
        assert.equal(said.length, expected.length);
      }
    });

    it('need no connection of their own while calls come one after the other', async (t) => {
      const line = lineOver(memoryTransport(createUpstream(up).server));
      const bridge = await bridgeTo(t, line.transport);
      const { client, logs } = await listening(t, bridge, '2026-07-28');
      for (const level of ['debug', 'emergency', 'debug'] as const) {
        await client.setLogLevel(level);
        await client.callTool('chatter');
      }
      assert.equal(logs.length, 9);
      assert.equal(line.opened, 1);
    });
  });
}

it('equal progress tokens of two clients are told apart [progress-002]', async (t) => {
  const bridge = await bridgeBefore(t, createUpstream('2025-11-25').server);
  const raws = await Promise.all([0, 1].map(() => open(bridge, '2026-07-28')));
  const ask = { name: 'steps', _meta: { progressToken: 'same' } };
  await Promise.all(raws.map((raw) => raw.result('tools/call', ask, 7)));
  for (const raw of raws) {
    const tokens = raw.heard.map(({ message, related }) => [Object(message['params'])['progressToken'], related]);
    assert.deepEqual(tokens, [
      ['same', 7],
      ['same', 7],
      ['same', 7],
    ]);
  }
});

it('a session that sets its level first is heard by a server that it has not called yet', async (t) => {
  const { client, logs } = await listening(t, await bridgeBefore(t, createUpstream('2025-03-26').server), '2025-11-25');
  await client.setLogLevel('debug');
  await client.callTool('chatter');
  assert.equal(logs.length, 4);
});

it('nobody is sent progress that was not asked for', async (t) => {
  const bridge = await bridgeBefore(t, createUpstream('2026-07-28').server);
  const raw = await open(bridge, '2025-03-26');
  await raw.result('tools/call', { name: 'steps' });
  assert.deepEqual(raw.methods, []);
});

it('the level of a stateless request is its own, whatever others ask for', async (t) => {
  const bridge = await bridgeBefore(t, createUpstream('2025-06-18').server);
  const raw = await open(bridge, '2026-07-28');
  const levels: unknown[][] = [];
  for (const logLevel of ['debug', undefined, 'emergency'] as const) {
    const meta = logLevel === undefined ? {} : { [metaKey.logLevel]: logLevel };
    await raw.result('tools/call', withMeta({ name: 'chatter' }, { meta }));
    levels.push(raw.take().map(({ params }) => Object(params)['level']));
  }
  assert.deepEqual(levels, [['debug', 'info', 'warning', 'emergency'], [], ['emergency']]);
});

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
