/** Handlers that ask a stateless client more than they may, or after their run has ended. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, settle, statelessDate, type Json } from '../../../../../../test/support/raw.ts';
import { until } from '../../../../../../test/support/turns.ts';
import type { ToolContext } from '../../definition/tool-context.ts';
import { createServer } from '../../server.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } } } as const;
const call = { name: 't', arguments: {} };
const accept = { action: 'accept', content: { name: 'Ada' } };

async function clientOf(run: (ctx: ToolContext) => unknown, maxRounds = 32) {
  const server = createServer({ name: 's', version: '1' }, { rounds: { maxRounds }, onError: () => undefined });
  // What the handlers of these tests return is the result of a tool, or fails before.
  server.tool('t', {}, async (_, ctx) => (await run(ctx)) as string);
  const raw = await open(server, statelessDate, { capabilities: { elicitation: { form: {} } } });
  /** Comes back with an answer to all that a result asks. */
  const answered = ({ inputRequests, requestState }: Json): Json => ({
    ...call,
    requestState,
    inputResponses: Object.fromEntries(Object.keys(Object(inputRequests)).map((key) => [key, accept])),
  });
  return { raw, answered };
}

test('a request takes at most as many rounds as the server allows', async () => {
  let asks = 0;
  const { raw, answered } = await clientOf(async (ctx) => {
    for (;;) await ctx.elicit({ message: `${asks++}`, schema }, { key: `k${asks}` });
  }, 3);
  let result = await raw.result('tools/call', call);
  for (let round = 1; round < 3; round++) result = await raw.result('tools/call', answered(result));
  const { code, message } = await raw.error('tools/call', answered(result));
  assert.deepEqual([code, message], [-32600, 'the request took more than 3 rounds']);
});

test('a handler whose run has ended asks nothing more, and does nothing once', async () => {
  const outcomes: string[] = [];
  let effects = 0;
  const { raw } = await clientOf(async (ctx) => {
    await ctx.elicit({ message: 'q', schema }).catch(async () => {
      for (const more of [() => ctx.elicit({ message: 'more', schema }), () => ctx.once('x', () => ++effects)])
        outcomes.push(
          await Promise.resolve(more()).then(
            () => 'done',
            (error: Error) => error.name,
          ),
        );
    });
    return 'never';
  });
  const result = await raw.result('tools/call', call);
  await settle();
  assert.deepEqual([Object.keys(Object(result['inputRequests'])).length, effects, outcomes.length], [1, 0, 2]);
  assert.equal(outcomes.includes('done'), false);
});

test('what an effect says after its run ended is sent, and what the handler says is not', async () => {
  let isOver = false;
  let goOn!: () => void;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const { raw } = await clientOf(async (ctx) => {
    void ctx.once('x', async () => {
      await gate;
      ctx.progress(1);
      return 1;
    });
    await ctx.elicit({ message: 'q', schema }).catch(() => {
      isOver = true;
      ctx.progress(5);
    });
  });
  const asking = raw.result('tools/call', { ...call, _meta: { progressToken: 'p' } });
  await until(() => isOver);
  goOn();
  await asking;
  const reports = raw.take().filter(({ method }) => method === 'notifications/progress');
  assert.deepEqual(
    reports.map(({ params }) => Object(params)['progress']),
    [1],
  );
});
