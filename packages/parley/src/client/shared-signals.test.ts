import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { it, type TestContext } from 'node:test';
import { listen } from '../node.ts';
import { createServer } from '../server.ts';
import { connect, type Client } from '../client.ts';
import { connectInMemory } from '../testing.ts';

const many = Array.from({ length: 20 }, (_, n) => n);

/** Number of listeners beyond which some runtimes warn of a leak. */
const warned = 10;

const server = createServer({ name: 'shared', version: '1' });
let shared: AbortSignal | undefined;
/** The listeners of the shared signal at the time when all of its calls were waiting. */
let seen = 0;
let held: (() => void)[] = [];
server.tool('together', {}, async () => {
  const freed = new Promise<void>((resolve) => held.push(resolve));
  if (held.length === many.length) {
    seen = shared === undefined ? 0 : getEventListeners(shared, 'abort').length;
    for (const free of held) free();
    held = [];
  }
  await freed;
  return 'done';
});
let asking: AbortSignal | undefined;
server.tool('asks', {}, async (_, ctx) => {
  asking = ctx.signal;
  const messages = [{ role: 'user', content: { type: 'text', text: 'hello' } }] as const;
  const answers = await Promise.all(many.map(() => ctx.sample({ messages, maxTokens: 1 })));
  return `${answers.length} answers`;
});

const sampled = () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'hello' } }) as const;

const ways: Readonly<Record<string, (t: TestContext, revision: '2025-11-25' | '2026-07-28') => Promise<Client>>> = {
  'in memory': (_, revision) => connectInMemory(server, { revision, onSample: sampled }),
  'over HTTP': async (t, revision) => {
    const listening = await listen(server, { port: 0 });
    t.after(() => listening.close());
    return await connect(listening.url, { revisions: [revision], onSample: sampled });
  },
};

for (const [way, open] of Object.entries(ways)) {
  for (const revision of ['2025-11-25', '2026-07-28'] as const) {
    it(`many calls ${way} in ${revision} listen to the signal that they share as one`, async (t) => {
      const client = await open(t, revision);
      const { signal } = new AbortController();
      shared = signal;
      seen = 0;
      await Promise.all(many.map(() => client.callTool('together', {}, { signal })));
      assert.ok(seen > 0 && seen < warned, `${seen} listeners`);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
      await client.close();
    });
  }
}

it('many questions of one handler at once listen to its signal as one', async () => {
  const most: number[] = [];
  const client = await connectInMemory(server, {
    revision: '2025-11-25',
    onSample: () => {
      if (asking !== undefined) most.push(getEventListeners(asking, 'abort').length);
      return { model: 'm', role: 'assistant', content: { type: 'text', text: 'hello' } };
    },
  });
  await client.callTool('asks');
  assert.equal(most.length, many.length);
  assert.ok(Math.max(...most) > 0 && Math.max(...most) < warned, `${Math.max(...most)} listeners`);
  await client.close();
});

server.tool('lasts', { task: { support: 'required' } }, () => 'done');
server.resource('mem://a', { name: 'a' }, () => 'a');

for (const [way, open] of Object.entries(ways)) {
  for (const revision of ['2025-11-25', '2026-07-28'] as const) {
    it(`nothing that is over listens to a signal ${way} in ${revision}`, async (t) => {
      const client = await open(t, revision);
      t.after(() => client.close());
      const done: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
        'a call that asks': (signal) => client.callTool('asks', {}, { signal }),
        'a call that failed': (signal) => client.callTool('none', {}, { signal }).catch(() => undefined),
        'a list': (signal) => client.listTools({ signal }),
        'a list that is kept': (signal) => client.listTools({ signal }),
        'a read': (signal) => client.readResource('mem://a', { signal }),
        'a subscription': async (signal) => {
          const subscription = await client.subscribe({ tools: true }, () => undefined, { signal });
          await subscription.close();
        },
        'a task': async (signal) => {
          const task = await client.startTask('lasts', {}, { signal });
          await task.poll({ signal });
          for await (const _ of task.updates({ signal }));
          await task.result({ signal });
        },
      };
      for (const [what, run] of Object.entries(done)) {
        const { signal } = new AbortController();
        await run(signal);
        assert.equal(getEventListeners(signal, 'abort').length, 0, what);
      }
    });
  }
}
