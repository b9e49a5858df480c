/** Parked calls whose clients come back to another process. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeBefore, serverAt } from '../../test/support/bridged.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../../test/support/raw.ts';
import type { Ctx } from '../server.ts';
import { McpError } from '../protocol/error.ts';
import { memoryBus, type Bus } from '../store/bus.ts';

const capabilities = { elicitation: {} };
const form = { message: 'Your name?', schema: { type: 'object', properties: { name: { type: 'string' } } } } as const;

async function askName(ctx: Ctx): Promise<string> {
  const answer = await ctx.elicit(form);
  return answer.action === 'accept' ? String(answer.content['name']) : answer.action;
}

interface Cluster {
  readonly here: Raw;
  readonly there: Raw;
  closeHere(): Promise<void>;
}

/** Two bridges that share keys and a bus, each with a client. */
async function cluster(t: TestContext, run: (ctx: Ctx) => Promise<string>, bus: Bus = memoryBus()): Promise<Cluster> {
  const server = serverAt('2025-11-25');
  server.tool('ask', { description: 'Asks.' }, async (_, ctx) => await run(ctx));
  const rounds = { keys: [new Uint8Array(32).fill(7)], bus };
  const [here, there] = [await bridgeBefore(t, server, { rounds }), await bridgeBefore(t, server, { rounds })];
  return {
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

  it('leaves no subscription behind when it is over', async (t) => {
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
    await there.result('tools/call', retry(asked, 'Ann'));
    await settle();
    assert.equal(subscriptions, 0);
  });
});
