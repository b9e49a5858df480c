/** Parked calls whose clients come back to another process. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeBefore, bridgeTo, lineOver, serverAt, type Line } from '../../../../../../test/support/bridged.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../../../../../../test/support/raw.ts';
import { memoryTransport } from '../../../testing/memory-transport.ts';
import type { ToolContext } from '../../../server.ts';
import { McpError } from '../../../protocol/error.ts';
import { memoryBus, type Bus } from '../../../storage/bus.ts';
import { memoryStore } from '../../../storage/memory/store.ts';
import type { Store } from '../../../storage/store.ts';

const capabilities = { elicitation: {} };
const form = { message: 'Your name?', schema: { type: 'object', properties: { name: { type: 'string' } } } } as const;

async function askName(ctx: ToolContext): Promise<string> {
  const answer = await ctx.elicit(form);
  return answer.action === 'accept' ? String(answer.content['name']) : answer.action;
}

interface Cluster {
  readonly here: Raw;
  readonly there: Raw;
  /** Between the first bridge and its server. */
  readonly line: Line;
  closeHere(): Promise<void>;
}

/** Two bridges that share keys and a bus, each with a client. */
async function cluster(
  t: TestContext,
  run: (ctx: ToolContext) => Promise<string>,
  over: Bus | Store = memoryBus(),
): Promise<Cluster> {
  const server = serverAt('2025-11-25');
  server.tool('ask', { description: 'Asks.' }, async (_, ctx) => await run(ctx));
  const keys = [new Uint8Array(32).fill(7)];
  const options = 'records' in over ? { rounds: { keys }, store: over } : { rounds: { keys, bus: over } };
  const line = lineOver(memoryTransport(server));
  const [here, there] = [await bridgeTo(t, line.transport, options), await bridgeBefore(t, server, options)];
  return {
    line,
    here: await open(here, statelessDate, { capabilities }),
    there: await open(there, statelessDate, { capabilities }),
    closeHere: () => here.close(),
  };
}

function retry(asked: Json, name: string): Json {
  assert.equal(asked['resultType'], 'input_required');
  const keys = Object.keys(Object(asked['inputRequests']));
  const answer = { action: 'accept', content: { name } };
  const inputResponses = Object.fromEntries(keys.map((key) => [key, answer]));
  return { name: 'ask', requestState: asked['requestState'], inputResponses };
}

function textOf({ content }: Json): unknown {
  return (content as readonly Json[] | undefined)?.[0]?.['text'];
}

/** Runs something while no time passes but what it lets pass. */
async function withClock(t: TestContext, run: (tick: (ms: number) => void) => Promise<void>): Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  try {
    await run((ms) => t.mock.timers.tick(ms));
  } finally {
    t.mock.timers.reset();
  }
}

/** A bus on which it shows when a text of some kind was published. */
function watched(
  kind: string,
  options: { readonly counts: boolean },
): { readonly bus: Bus; readonly said: Promise<void> } {
  const inner = memoryBus();
  let say!: () => void;
  const said = new Promise<void>((resolve) => (say = resolve));
  const bus: Bus = {
    subscribe: (channel, hear) => inner.subscribe(channel, hear),
    publish: async (channel, text) => {
      const heard = await inner.publish(channel, text);
      if (text.includes(`"kind":"${kind}"`)) say();
      return options.counts ? heard : undefined;
    },
  };
  return { bus, said };
}

describe('a parked call that another process holds', () => {
  it('is taken up there and here in turn, with its progress', async (t) => {
    const { here, there } = await cluster(t, async (ctx) => {
      const first = await askName(ctx);
      ctx.progress(1, 2);
      return `${first} and ${await askName(ctx)}`;
    });
    const first = await here.result('tools/call', { name: 'ask', _meta: { progressToken: 'a' } });
    const second = await there.result('tools/call', { ...retry(first, 'Ann'), _meta: { progressToken: 'b' } });
    const [report] = there.take();
    assert.deepEqual(report?.['params'], { progressToken: 'b', progress: 1, total: 2 });
    const last = await here.result('tools/call', retry(second, 'Bob'));
    assert.equal(textOf(last), 'Ann and Bob');
    assert.deepEqual(here.take(), []);
  });

  it('is taken up over the store of its bridge, with answers and results of any length', async (t) => {
    const { here, there } = await cluster(t, async (ctx) => `${await askName(ctx)} `.repeat(2), memoryStore());
    const name = 'n'.repeat(300_000);
    const asked = await here.result('tools/call', { name: 'ask' });
    assert.equal(textOf(await there.result('tools/call', retry(asked, name))), `${name} ${name} `);
  });

  it('ends with the error that the server gave, in its own words', async (t) => {
    const { here, there } = await cluster(t, async (ctx) => {
      await askName(ctx);
      throw new McpError(17, 'no table left', { data: { tables: 0 } });
    });
    const asked = await here.result('tools/call', { name: 'ask' });
    const error = await there.error('tools/call', retry(asked, 'Ann'));
    assert.deepEqual(error, { code: 17, message: 'no table left', data: { tables: 0 } });
  });

  it('is cancelled when the request in the other process is', async (t) => {
    let cancelled!: () => void;
    const ended = new Promise<void>((resolve) => (cancelled = resolve));
    const { here, there } = await cluster(t, async (ctx) => {
      ctx.signal.addEventListener('abort', cancelled);
      await askName(ctx);
      return await new Promise<never>(() => undefined);
    });
    const asked = await here.result('tools/call', { name: 'ask' });
    const waiting = there.send('tools/call', retry(asked, 'Ann'), 'mine');
    await settle();
    await there.notify('notifications/cancelled', { requestId: 'mine' });
    assert.equal(await waiting, undefined);
    await ended;
  });

  it('is not answered twice for one round', async (t) => {
    const { here, there } = await cluster(t, async (ctx) => `${await askName(ctx)} ${await askName(ctx)}`);
    const first = await here.result('tools/call', { name: 'ask' });
    const second = await there.result('tools/call', retry(first, 'Ann'));
    assert.equal((await here.error('tools/call', retry(first, 'Eve'))).code, -32602);
    assert.equal(textOf(await there.result('tools/call', retry(second, 'Bob'))), 'Ann Bob');
  });

  // "The bridge process ends by an unhandled rejection when the upstream dies while a bus's `publish` is under way"
  it('fails when its upstream dies while the bus still publishes', async (t) => {
    const inner = memoryBus();
    let failed!: () => void;
    const failure = new Promise<void>((resolve) => (failed = resolve));
    const slow: Bus = {
      subscribe: (channel, hear) => inner.subscribe(channel, hear),
      async publish(channel, text) {
        const heard = await inner.publish(channel, text);
        if (text.includes('"error"')) failed();
        // The take is published for longer than it takes the holder to answer it.
        if (!text.includes('"take"')) return heard;
        await failure;
        await settle();
        return heard;
      },
    };
    const { here, there, line } = await cluster(t, askName, slow);
    const asked = await here.result('tools/call', { name: 'ask' });
    const waiting = there.error('tools/call', retry(asked, 'Ann'));
    line.cut();
    assert.match((await waiting).message, /exited/);
  });

  // "`takeElsewhere` waits 5 s to learn that nobody holds a call"
  it('is known to be gone as soon as the bus said twice that nobody heard', async (t) => {
    const { bus, said } = watched('take', { counts: true });
    const { here, there, closeHere } = await cluster(t, askName, bus);
    const asked = await here.result('tools/call', { name: 'ask' });
    await closeHere();
    await withClock(t, async (tick) => {
      const waiting = there.error('tools/call', retry(asked, 'Ann'));
      await said;
      await settle();
      tick(300);
      assert.equal((await waiting).code, -32602);
    });
  });

  it('is waited for, where the bus cannot say who heard', async (t) => {
    const { bus, said } = watched('take', { counts: false });
    const { here, there, closeHere } = await cluster(t, askName, bus);
    const asked = await here.result('tools/call', { name: 'ask' });
    await closeHere();
    await withClock(t, async (tick) => {
      let known = false;
      const waiting = there.error('tools/call', retry(asked, 'Ann')).finally(() => (known = true));
      await said;
      tick(4_999);
      await settle();
      assert.equal(known, false);
      tick(1);
      assert.equal((await waiting).code, -32602);
    });
  });

  it('says at once that a round is past', async (t) => {
    const { here, there } = await cluster(t, async (ctx) => `${await askName(ctx)} ${await askName(ctx)}`);
    const first = await here.result('tools/call', { name: 'ask' });
    await here.result('tools/call', retry(first, 'Ann'));
    await withClock(t, async () => {
      assert.equal((await there.error('tools/call', retry(first, 'Eve'))).code, -32602);
    });
  });

  it('is cancelled when the process that took it up is gone', async (t) => {
    let cancelled!: () => void;
    const ended = new Promise<void>((resolve) => (cancelled = resolve));
    const { bus, said } = watched('alive', { counts: true });
    const gone = { isGone: false };
    const deaf: Bus = {
      ...bus,
      subscribe: (channel, hear) => bus.subscribe(channel, (text) => void (gone.isGone || hear(text))),
      publish: (channel, text) => (gone.isGone ? 0 : bus.publish(channel, text)),
    };
    const { here, there } = await cluster(
      t,
      async (ctx) => {
        ctx.signal.addEventListener('abort', cancelled);
        await askName(ctx);
        return await new Promise<never>(() => undefined);
      },
      deaf,
    );
    const asked = await here.result('tools/call', { name: 'ask' });
    await withClock(t, async (tick) => {
      void there.send('tools/call', retry(asked, 'Ann'));
      await said;
      gone.isGone = true;
      tick(5_000);
      await settle();
      tick(300);
      await ended;
    });
  });

  it('leaves no subscription behind when its outcome is dropped', async (t) => {
    let subscriptions = 0;
    const inner = memoryBus();
    const counting: Bus = {
      publish: (channel, text) => inner.publish(channel, text),
      subscribe: async (channel, hear) => {
        subscriptions++;
        const end = await inner.subscribe(channel, hear);
        return () => {
          subscriptions--;
          return end();
        };
      },
    };
    const { here, there } = await cluster(t, askName, counting);
    const asked = await here.result('tools/call', { name: 'ask' });
    assert.equal(subscriptions, 1);
    await withClock(t, async (tick) => {
      await there.result('tools/call', retry(asked, 'Ann'));
      await settle();
      assert.equal(subscriptions, 1);
      tick(600_000);
      await settle();
      assert.equal(subscriptions, 0);
    });
  });
});

// "`subscribe` of a bus that fails strands parked calls until the principal is refused": "served locally, with a warning"
describe('a bus that cannot be subscribed to', () => {
  const failing: Bus = {
    publish: () => 0,
    subscribe: () => {
      throw new Error('no bus here');
    },
  };
  const hanging: Bus = { publish: () => 0, subscribe: () => new Promise<never>(() => undefined) };

  async function alone(t: TestContext, bus: Bus): Promise<{ readonly client: Raw; readonly warnings: string[] }> {
    const server = serverAt('2025-11-25');
    server.tool('ask', { description: 'Asks.' }, async (_, ctx) => `${await askName(ctx)} ${await askName(ctx)}`);
    const warnings: string[] = [];
    const bridge = await bridgeBefore(t, server, { rounds: { bus }, warnings });
    return { client: await open(bridge, statelessDate, { capabilities }), warnings };
  }

  async function answeredTwice(client: Raw, first: Json): Promise<unknown> {
    const second = await client.result('tools/call', retry(first, 'Ann'));
    return textOf(await client.result('tools/call', retry(second, 'Bob')));
  }

  it('leaves calls to this process, with a warning', async (t) => {
    const { client, warnings } = await alone(t, failing);
    assert.equal(await answeredTwice(client, await client.result('tools/call', { name: 'ask' })), 'Ann Bob');
    assert.match(warnings[0] ?? '', /this process alone: no bus here/);
  });

  it('holds no answer up for long', async (t) => {
    const { client, warnings } = await alone(t, hanging);
    const asking = client.result('tools/call', { name: 'ask' });
    // No further than to the warning: what comes after it (a key is imported) takes turns, and has limits of its own.
    await withClock(t, async (tick) => {
      for (let turns = 0; turns < 400 && warnings.length === 0; turns++) {
        await settle();
        tick(500);
      }
    });
    const first = await asking;
    assert.equal(await answeredTwice(client, first), 'Ann Bob');
    assert.match(warnings[0] ?? '', /this process alone: the bus did not answer/);
  });
});
