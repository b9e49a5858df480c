import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { connect } from '../../../client.ts';
import type { ToolContext } from '../../definition/tool-context.ts';
import { inputRequired } from '../../definition/input-required.ts';
import { createServer } from '../../server.ts';
import type { RevisionDate } from '../../../protocol/revision.ts';
import { memoryTransport } from '../../../testing/memory-transport.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const question = { method: 'elicitation/create', params: { message: 'q', requestedSchema: schema } } as const;
const handshake = '2025-11-25';
const stateless = '2026-07-28';

type Run = (ctx: ToolContext) => unknown;

/** What a client hears of a tool beside its result, in order. */
async function heard(date: RevisionDate, run: Run): Promise<readonly unknown[]> {
  const server = createServer({ name: 's', version: '1' }, { rounds: { maxRounds: 50 } });
  server.tool('t', {}, async (_args, ctx) => ((await run(ctx)) ?? 'done') as string);
  const all: unknown[] = [];
  const client = await connect(memoryTransport(server), {
    revisions: [date],
    onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }),
    onLog: ({ data }) => all.push(data),
  });
  const { isError, content } = await client.callTool(
    't',
    {},
    { logLevel: 'info', onProgress: ({ progress }) => all.push(progress) },
  );
  assert.notEqual(isError, true, JSON.stringify(content));
  await client.close();
  return all;
}

/** What must be heard in either era. */
async function bothHear(run: () => Run, expected: readonly unknown[]): Promise<void> {
  assert.deepEqual(await heard(handshake, run()), expected, handshake);
  assert.deepEqual(await heard(stateless, run()), expected, stateless);
}

function ask(ctx: ToolContext, key?: string): Promise<unknown> {
  return ctx.elicit({ message: key ?? 'q', schema }, key === undefined ? {} : { key });
}

/** Lets a turn of the loop pass. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

describe('What was sent is not sent twice, and nothing else is lost', () => {
  test('where a report was made inside once', () =>
    bothHear(
      () => async (ctx) => {
        await ctx.once('mail', () => {
          ctx.log('info', 'sending');
          ctx.log('info', 'sent');
          ctx.progress(1);
        });
        await ask(ctx);
        ctx.log('info', 'asked');
        ctx.progress(2);
        await ask(ctx);
        ctx.log('info', 'done');
      },
      ['sending', 'sent', 1, 'asked', 2, 'done'],
    ));

  test('where rounds are driven by hand', () =>
    bothHear(
      () => (ctx) => {
        const step = Number(ctx.requestState ?? 0);
        ctx.log('info', `step ${step}`);
        ctx.progress(step + 1);
        ctx.progress(step);
        return step === 3 ? 'done' : inputRequired({ requests: { q: question }, state: step + 1 });
      },
      ['step 0', 1, 'step 1', 2, 'step 2', 3, 'step 3', 4],
    ));

  test('where the same is said before and after a question', () =>
    bothHear(
      () => async (ctx) => {
        await ctx.once('mail', () => ctx.log('info', 'sending'));
        for (let time = 0; time < 4; time++) {
          ctx.log('info', 'sending');
          await ask(ctx);
          ctx.log('info', 'sending');
        }
      },
      Array.from({ length: 9 }, () => 'sending'),
    ));

  test('where a repeated message is worded anew', async () => {
    let count = 0;
    const run: Run = async (ctx) => {
      ctx.log('info', `started ${++count}`);
      await ask(ctx);
      ctx.log('info', 'asked');
      await ask(ctx);
      ctx.log('info', 'done');
    };
    assert.deepEqual(await heard(stateless, run), ['started 1', 'asked', 'done']);
  });

  test('where questions are asked side by side', async () => {
    const run: Run = async (ctx) => {
      const branch = async (name: string, times: number): Promise<void> => {
        for (let time = 0; time < times; time++) {
          await ask(ctx, `${name}-${time}`);
          // One that takes its time says the same when the other is further on.
          for (let wait = 0; name === 'b' && wait < 30; wait++) await Promise.resolve();
          ctx.log('info', `${name}-${time}`);
        }
      };
      await Promise.all([branch('a', 3), branch('b', 1)]);
      ctx.log('info', 'done');
    };
    const all = ['a-0', 'b-0', 'a-1', 'a-2', 'done'];
    assert.deepEqual(new Set(await heard(handshake, run)), new Set(all));
    assert.deepEqual(await heard(stateless, run), all);
  });

  test('where an effect is under way while a question is put', () =>
    bothHear(() => {
      let ends = 0;
      return async (ctx) => {
        const effect = ctx.once('slow', async () => {
          ctx.log('info', 'begun');
          for (let time = 0; time < 5; time++) await turn();
          ctx.log('info', 'ended');
          ctx.progress(1);
        });
        if (ctx.revision === handshake) await effect;
        try {
          await Promise.all([ask(ctx), effect]);
        } finally {
          // The end of a run by its question, of which nobody is to hear.
          if (ends++ === 0 && ctx.revision === stateless) ctx.log('info', 'ended by a question');
        }
        ctx.log('info', 'done');
      };
    }, ['begun', 'ended', 1, 'done']));

  test('where there are more messages than are remembered', () =>
    bothHear(
      () => async (ctx) => {
        for (let time = 0; time < 3000; time++) ctx.log('info', time);
        await ask(ctx);
        ctx.log('info', 'done');
      },
      [...Array.from({ length: 3000 }, (_, time) => time), 'done'],
    ));

  test('where an effect failed and is tried again', async () => {
    let tries = 0;
    const run: Run = async (ctx) => {
      const effect = (): Promise<void> =>
        ctx.once('mail', () => {
          ctx.log('info', 'trying');
          if (++tries < 2) throw new Error('no');
          ctx.log('info', 'sent');
        });
      await effect().catch(() => undefined);
      await ask(ctx);
      await effect();
    };
    assert.deepEqual(await heard(stateless, run), ['trying', 'sent']);
  });

  test('what cannot be written does not keep a handler from going on', async () => {
    const run: Run = async (ctx) => {
      ctx.log('debug', { big: 1n });
      await ask(ctx);
      ctx.log('info', 'done');
    };
    assert.deepEqual(await heard(stateless, run), ['done']);
  });

  test('whatever a handler does in a row', async () => {
    const words = fc.constantFrom('a', 'b', 'c');
    const report = fc.oneof(fc.record({ log: words }), fc.record({ progress: fc.integer({ min: 0, max: 9 }) }));
    const step = fc.oneof(
      report,
      fc.constant({ ask: true as const }),
      fc.record({ once: fc.array(report, { maxLength: 3 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const run: Run = async (ctx) => {
          const say = (one: { log: string } | { progress: number }): void =>
            'log' in one ? ctx.log('info', one.log) : ctx.progress(one.progress);
          for (const [at, one] of steps.entries()) {
            if ('ask' in one) await ask(ctx);
            else if ('once' in one) await ctx.once(String(at), () => one.once.forEach(say));
            else say(one);
          }
        };
        assert.deepEqual(await heard(stateless, run), await heard(handshake, run));
      }),
      { numRuns: 60 },
    );
  });
});
