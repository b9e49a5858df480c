import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { McpError } from '../../../protocol/error.ts';
import type { ToolContext } from '../../definition/tool-context.ts';
import type { RoundOptions } from '../../definition/options.ts';
import { inputRequired } from '../../definition/input-required.ts';
import { createServer } from '../../server.ts';
import { connect } from '../../../client.ts';
import { memoryTransport } from '../../../testing/memory-transport.ts';
import type { RevisionDate } from '../../../protocol/revision.ts';
import {
  errorOf,
  handshakeDates,
  open,
  resultOf,
  settle,
  statelessDate,
  type Json,
} from '../../../../../../test/support/raw.ts';
import { until } from '../../../../../../test/support/turns.ts';
import { memoryStore } from '../../../storage/memory/store.ts';
import type { Store } from '../../../storage/store.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const capabilities = { elicitation: { form: {} } };
const question = { method: 'elicitation/create', params: { message: 'q', requestedSchema: schema } };

/** A server whose handlers are all the same. */
function served(run: (ctx: ToolContext) => unknown, rounds: RoundOptions = {}, store?: Store) {
  const server = createServer(
    { name: 's', version: '1' },
    { rounds, onError: () => undefined, ...(store && { store }) },
  );
  // What the handlers of these tests return is a result of each of the three, or fails before.
  server.tool('t', {}, (_args, ctx) => run(ctx) as string);
  server.prompt('p', {}, (_args, ctx) => run(ctx) as string);
  server.resource('x:r', { name: 'r' }, (_uri, ctx) => run(ctx) as string);
  return server;
}

const requests = [
  ['tools/call', { name: 't' }],
  ['prompts/get', { name: 'p' }],
  ['resources/read', { uri: 'x:r' }],
] as const;

describe('A handler that asks and does not wait', () => {
  for (const date of [statelessDate, handshakeDates.at(-1)] as const) {
    assert.ok(date !== undefined);
    for (const [method, params] of requests) {
      for (const [how, run] of [
        ['at once', (failure: Error) => () => thrown(failure)],
        ['later', (failure: Error) => () => Promise.reject(failure)],
      ] as const) {
        test(`and fails ${how} gets its failure answered, once: ${method} in ${date}`, async () => {
          let asked: Promise<unknown> | undefined;
          const server = served((ctx) => {
            asked = ctx.elicit({ message: 'q', schema });
            return run(new McpError('invalidParams', 'mine'))();
          });
          const client = await open(server, date, { capabilities });
          assert.equal(errorOf(await client.ask(method, params)).message, 'mine');
          assert.ok(asked !== undefined);
          // A rejection that nobody handles would fail this test.
          client.conversation.close();
          await assert.rejects(asked);
          await settle();
        });
      }
    }
  }

  test('and returns has its result', async () => {
    const server = served((ctx) => {
      void ctx.elicit({ message: 'q', schema });
      return 'done';
    });
    const client = await open(server, statelessDate, { capabilities });
    assert.deepEqual((await client.result('tools/call', { name: 't' }))['content'], [{ type: 'text', text: 'done' }]);
    await settle();
  });
});

describe('A handler of a session that asks and does not wait', () => {
  for (const date of handshakeDates.slice(-2)) {
    for (const [how, wrap] of [
      ['at once', (value: string) => value],
      ['later', (value: string) => Promise.resolve(value)],
    ] as const) {
      test(`asks before its result is sent: ${how} in ${date}`, async () => {
        const server = served((ctx) => {
          void ctx.elicit({ message: 'q', schema });
          return wrap('done');
        });
        const client = await open(server, date, { capabilities });
        for (const time of ['first', 'second']) {
          resultOf(await client.ask('tools/call', { name: 't' }));
          assert.deepEqual(
            client.take().map(({ method }) => method),
            ['elicitation/create'],
            time,
          );
        }
        client.conversation.close();
      });
    }
  }
});

describe('A handler that drives its rounds by hand', () => {
  for (const [how, wrap] of [
    ['at once', (value: unknown) => value],
    ['later', (value: unknown) => Promise.resolve(value)],
  ] as const) {
    test(`keeps what ran once in the round before, though it did not wait for it: ${how}`, async () => {
      let effects = 0;
      const server = served((ctx) => {
        void ctx.once('pay', () => ++effects);
        return wrap(
          ctx.inputResponses === undefined
            ? { resultType: 'input_required', inputRequests: { q: question } }
            : `paid ${effects}`,
        );
      });
      const client = await open(server, statelessDate, { capabilities });
      // The arguments of the first call wait for the schema; those of the second are checked at once.
      await client.result('tools/call', { name: 't' });
      await settle();
      effects = 0;
      const first = await client.result('tools/call', { name: 't' });
      assert.deepEqual(Object.keys(first['inputRequests'] ?? {}), ['q']);
      const inputResponses = { q: { action: 'accept', content: { name: 'Ann' } } };
      const { requestState } = first;
      await client.result('tools/call', { name: 't', inputResponses, requestState });
      await settle();
      assert.equal(effects, 1);
    });

    test(`has one state made for its round: ${how}`, async () => {
      let kept = 0;
      const store = memoryStore();
      const add = store.records.add.bind(store.records);
      store.records.add = (...record) => (kept++, add(...record));
      const server = served(
        (ctx) => {
          void ctx.once('pay', () => 1);
          return wrap({ resultType: 'input_required', inputRequests: { q: question } });
        },
        { maxStateLength: 1 },
        store,
      );
      const client = await open(server, statelessDate, { capabilities });
      for (const time of [1, 2]) {
        await client.result('tools/call', { name: 't' });
        await settle();
        assert.equal(kept, time);
      }
    });

    test(`and asks what cannot be asked is refused, once: ${how}`, async () => {
      const server = served((ctx) => {
        void ctx.once('pay', () => 1);
        return wrap({ resultType: 'input_required', inputRequests: { q: { method: 'roots/list' } } });
      });
      const client = await open(server, statelessDate, { capabilities });
      for (const time of ['first', 'second'])
        assert.match(errorOf(await client.ask('tools/call', { name: 't' })).message, /roots/, time);
      await settle();
    });
  }
});

describe('A key that is used again', () => {
  for (const date of [statelessDate, ...handshakeDates.slice(-2)]) {
    for (const [how, again] of [
      ['in a loop', (ctx: ToolContext) => ctx.elicit({ message: 'q', schema }, { key: 'q' })],
      ['by another question', (ctx: ToolContext) => ctx.elicit({ message: 'r', schema }, { key: 'q' })],
      ['by another kind of question', (ctx: ToolContext) => ctx.roots({ key: 'q' })],
    ] as const) {
      test(`is refused by name at the second use: ${how} in ${date}`, async () => {
        const failures: unknown[] = [];
        const server = createServer({ name: 's', version: '1' }, { onError: (error) => void failures.push(error) });
        server.tool('t', {}, async (_args, ctx) => {
          await ctx.elicit({ message: 'q', schema }, { key: 'q' });
          await again(ctx);
          return 'done';
        });
        let asked = 0;
        const client = await connect(memoryTransport(server), {
          revisions: [date],
          roots: [],
          onElicit: () => {
            asked++;
            return { action: 'accept', content: { name: 'Ann' } };
          },
        });
        assert.equal((await client.callTool('t')).isError, true);
        assert.equal(asked, 1);
        assert.match(String(failures[0]), /^TypeError: the key "q" names an earlier question of this request/);
        await client.close();
      });
    }

    test(`is that of a question without a key: ${date}`, async () => {
      const failures: unknown[] = [];
      const server = createServer({ name: 's', version: '1' }, { onError: (error) => void failures.push(error) });
      server.tool('t', {}, async (_args, ctx) => {
        await ctx.elicit({ message: 'q', schema });
        await ctx.elicit({ message: 'q', schema }, { key: 'ask-1' });
        return 'done';
      });
      const client = await connect(memoryTransport(server), {
        revisions: [date],
        onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }),
      });
      assert.equal((await client.callTool('t')).isError, true);
      assert.match(String(failures[0]), /^TypeError: the key "ask-1" is reserved for questions without a key/);
      await client.close();
    });

    test(`is one of its own in every round by hand: ${date}`, async () => {
      const server = served(async (ctx) => {
        const { content } = await ctx.elicit({ message: 'first', schema }, { key: 'first' });
        const step = Number(ctx.requestState ?? 0);
        if (step === 3) return `${content?.name} ${Object.keys(ctx.inputResponses ?? {}).join()}`;
        return inputRequired({ requests: { q: question as never }, state: step + 1 });
      });
      const client = await connect(memoryTransport(server), {
        revisions: [date],
        onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }),
      });
      assert.deepEqual((await client.callTool('t')).content, [{ type: 'text', text: 'Ann q' }]);
      await client.close();
    });
  }
});

describe('A question of roots in an input round', () => {
  const roots = { capabilities: { roots: {} } };
  for (const [how, run] of [
    ['by ctx.roots', (ctx: ToolContext) => ctx.roots()],
    ['by hand', () => inputRequired({ requests: { 'ask-1': { method: 'roots/list' } } })],
  ] as const) {
    for (const [method, params] of requests) {
      test(`has its params, as every embedded request: ${how} in ${method}`, async () => {
        const client = await open(served(run), statelessDate, roots);
        const { inputRequests } = await client.result(method, params);
        assert.deepEqual(inputRequests, { 'ask-1': { method: 'roots/list', params: {} } });
      });
    }
  }
});

describe('A visit that is asked for by hand', () => {
  const visit = {
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Pay', url: 'https://a.example/' },
  } as const;
  const url = { capabilities: { elicitation: { url: {} } } };

  async function asked(date: RevisionDate, more: object = {}): Promise<Json | undefined> {
    const request = { ...visit, params: { ...visit.params, ...more } };
    const server = served((ctx) =>
      ctx.inputResponses === undefined ? inputRequired({ requests: { q: request } }) : 'done',
    );
    const client = await open(server, date, url);
    const result = client.send('tools/call', { name: 't' });
    if (date === statelessDate) return resultOf(await result)['inputRequests'] as Json;
    await until(() => client.heard.length > 0, 'something is sent');
    const [question] = client.take();
    assert.ok(question !== undefined, 'nothing was asked');
    await client.receive({ jsonrpc: '2.0', id: question['id'], result: { action: 'accept' } });
    resultOf(await result);
    return question['params'] as Json;
  }

  test('has an elicitationId made for it in 2025-11-25, as ctx.elicitUrl does', async () => {
    const [one, two] = [await asked('2025-11-25'), await asked('2025-11-25')];
    assert.match(String(one?.['elicitationId']), /^[0-9a-f-]{36}$/);
    assert.notEqual(one?.['elicitationId'], two?.['elicitationId']);
    assert.partialDeepStrictEqual(one, visit.params);
  });

  test('keeps an elicitationId of its own', async () => {
    assert.equal((await asked('2025-11-25', { elicitationId: 'mine' }))?.['elicitationId'], 'mine');
  });

  test('has none in 2026-07-28, which knows none', async () => {
    assert.deepEqual(await asked(statelessDate), { q: visit });
    assert.deepEqual(await asked(statelessDate, { elicitationId: 'mine' }), { q: visit });
  });
});

for (const turns of [0, 1, 2, 3, 4, 5, 6]) {
  test(`a client that goes away before it is asked leaves nobody waiting for its answer: ${turns}`, async () => {
    const server = served(() => 'unused');
    const running = new Promise<ToolContext>((resolve) => {
      server.tool('u', {}, (_args, ctx) => {
        resolve(ctx);
        return new Promise<string>(() => {});
      });
    });
    const client = await open(server, '2025-11-25', { capabilities });
    void client.send('tools/call', { name: 'u' });
    const asked = (await running).elicit({ message: 'q', schema });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    client.conversation.close();
    await assert.rejects(asked, /went away|the request was cancelled/);
  });
}

function thrown(error: Error): never {
  throw error;
}
