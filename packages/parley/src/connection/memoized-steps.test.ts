import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ExactNumber } from '../json/exact-number.ts';
import type { ToolContext } from '../server/definition/tool-context.ts';
import { createServer } from '../server/server.ts';
import { MemoizedSteps } from './memoized-steps.ts';
import { dates } from '../../../../test/support/raw.ts';
import { connect } from '../client.ts';
import { memoryTransport } from '../testing/memory-transport.ts';

const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const asking = dates.filter((date) => date >= '2025-06-18');

/** What came of a tool that asks twice and does something before, between and after, for a client that answers. */
async function played(date: (typeof dates)[number], run: (ctx: ToolContext) => Promise<unknown>) {
  const failures: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => void failures.push(error) });
  server.tool('t', {}, async (_args, ctx) => {
    const values = [await run(ctx)];
    for (const message of ['a', 'b']) {
      await ctx.elicit({ message, schema: name }, { key: message });
      values.push(await run(ctx));
    }
    return values.map((value) => (value === undefined ? 'nothing' : JSON.stringify(value))).join(' ');
  });
  const client = await connect(memoryTransport(server), {
    revisions: [date],
    onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }),
  });
  const { content, isError } = await client.callTool('t');
  await client.close();
  const [block] = content;
  return { text: block?.type === 'text' ? block.text : '', isError: isError === true, failures };
}

for (const date of asking) {
  describe(`a side effect in ${date}`, () => {
    for (const [what, value, text] of [
      ['undefined', undefined, 'nothing'],
      ['null', null, 'null'],
      ['a number', 0, '0'],
      ['undefined in places', { a: undefined, b: [undefined] }, '{"b":[null]}'],
      ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ] as const) {
      test(`runs at most once whatever it returns: ${what}`, async () => {
        let mails = 0;
        const { text: heard } = await played(date, (ctx) =>
          ctx.once('mail', async () => {
            mails++;
            await Promise.resolve();
            return value;
          }),
        );
        assert.deepEqual([mails, heard], [1, `${text} ${text} ${text}`]);
      });
    }

    test('gets an id that is its own, and the same when it is tried again in a later round', async () => {
      const ids: Record<string, string[]> = { mail: [], other: [] };
      await played(date, async (ctx) => {
        await ctx.once('other', (id) => void ids['other']?.push(id));
        // It fails, and may be tried again.
        const effect = (id: string): never => {
          ids['mail']?.push(id);
          throw new Error('no');
        };
        await ctx.once('mail', effect).catch(() => undefined);
      });
      assert.ok((ids['mail']?.length ?? 0) >= 3);
      assert.equal(ids['other']?.length, 1);
      assert.equal(new Set(ids['mail']).size, 1);
      assert.notEqual(ids['mail']?.[0], ids['other']?.[0]);
      const again: string[] = [];
      await played(date, (ctx) => ctx.once('mail', (id) => void again.push(id)));
      assert.equal(again.length, 1);
      assert.ok(!ids['mail']?.includes(again[0] ?? ''), 'another request has another');
    });

    test('that JSON cannot hold is refused by name when it is made, and does not run again', async () => {
      let mails = 0;
      const { failures, isError } = await played(date, (ctx) =>
        ctx.once('mail', () => ({ at: new Map([[++mails, 1]]) })),
      );
      assert.deepEqual([mails, isError], [1, true]);
      assert.match(
        String(failures[0]),
        /TypeError: ctx\.once\("mail"\) gave what JSON cannot hold: \/at is an instance of Map/,
      );
    });

    test('that was refused is refused again, where the handler went on', async () => {
      let mails = 0;
      const { text } = await played(date, (ctx) =>
        ctx.once('mail', () => BigInt(++mails)).catch((error: Error) => error.name),
      );
      assert.deepEqual([mails, text], [1, '"TypeError" "TypeError" "TypeError"']);
    });

    test('that failed may be tried again', async () => {
      let mails = 0;
      const { text } = await played(date, (ctx) =>
        ctx
          .once('mail', () => {
            if (++mails < 2) throw new Error('no');
            return mails;
          })
          .catch((error: Error) => error.message),
      );
      assert.match(text, /^("no" )?2 2( 2)?$/);
      assert.equal(mails, 2);
    });

    test('without a key or without an effect is a mistake that is told at once', async () => {
      for (const [key, run] of [
        [() => 1, undefined],
        ['mail', undefined],
        [undefined, () => 1],
      ] as const) {
        const { failures } = await played(date, async (ctx) => ctx.once(key as never, run as never));
        assert.match(String(failures[0]), /TypeError: ctx\.once takes a key and a function/);
      }
    });
  });
}

describe('What JSON cannot hold', () => {
  class Private {
    #secret = 1;
    get secret(): number {
      return this.#secret;
    }
  }
  const cycle: Record<string, unknown> = {};
  cycle['self'] = { cycle };
  for (const [value, problem] of [
    [() => 1, 'the result is a function'],
    [{ a: [1, () => 1] }, '/a/1 is a function'],
    [{ 'a/b': Symbol('s') }, '/a~1b is a symbol'],
    [{ a: 1n }, '/a is a bigint'],
    [[Number.NaN], '/0 is NaN'],
    [Number.POSITIVE_INFINITY, 'the result is Infinity'],
    [{ a: new Set([1]) }, '/a is an instance of Set'],
    [new Uint8Array(2), 'the result is an instance of Uint8Array'],
    [new Private(), 'the result is an instance of Private'],
    [new Error('x'), 'the result is an instance of Error'],
    [cycle, 'circular'],
  ] as const) {
    test(`is refused: ${problem}`, async () => {
      await assert.rejects(
        new MemoizedSteps({}, () => 's').run('k', () => value),
        (error: Error) => {
          assert.ok(error instanceof TypeError);
          assert.ok(error.message.startsWith('ctx.once("k") gave what JSON cannot hold: '), error.message);
          assert.ok(error.message.includes(problem), error.message);
          return true;
        },
      );
    });
  }

  test('is told from what it can', async () => {
    class Row {
      readonly id = 1;
    }
    const bare: unknown = Object.assign(Object.create(null), { a: 1 });
    const given = [bare, new Row(), {}, [], '', new URL('http://a/'), new ExactNumber('1.0'), Object.create(null)];
    assert.deepEqual(await new MemoizedSteps({}, () => 's').run('k', () => given), [
      { a: 1 },
      { id: 1 },
      {},
      [],
      '',
      'http://a/',
      1,
      {},
    ]);
  });
});

test('everybody who waits for one effect hears of it once its outcome is kept', async () => {
  const once = new MemoizedSteps({}, () => 's');
  let keep = (): void => {};
  const isKept = new Promise<void>((resolve) => (keep = resolve));
  const heard: string[] = [];
  const calls = ['one', 'two'].map(async (who) => {
    await once.run(
      'mail',
      () => 1,
      async () => isKept,
    );
    heard.push(who);
  });
  assert.deepEqual(await once.settled(), { mail: { result: 1 } });
  assert.deepEqual(heard, []);
  keep();
  await Promise.all(calls);
  assert.deepEqual(heard, ['one', 'two']);
});

test('an effect whose outcome could not be kept is kept by the next who asks, and does not run again', async () => {
  const once = new MemoizedSteps({}, () => 's');
  let [effects, keeps] = [0, 0];
  const run = (): Promise<number> =>
    once.run(
      'mail',
      () => ++effects,
      async () => {
        if (++keeps === 1) throw new Error('the store is away');
      },
    );
  const first = await Promise.allSettled([run(), run()]);
  assert.deepEqual(
    first.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual([await run(), await run(), effects, keeps], [1, 1, 1, 2]);
});

test('what ran in earlier rounds is not kept again', async () => {
  const once = new MemoizedSteps({ mail: { result: 1 } }, () => 's');
  const keep = (): never => assert.fail('kept again');
  assert.equal(await once.run('mail', () => 2, keep), 1);
});
