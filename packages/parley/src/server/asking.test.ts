import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isObject } from '../jsonrpc/message.ts';
import { metaKey } from '../protocol/meta.ts';
import { newestRevision } from '../protocol/revision.ts';
import type { ToolContext } from './definition/tool-context.ts';
import { inputRequired } from './definition/input-required.ts';
import type { ServerOptions } from './definition/options.ts';
import { createServer, type Server } from './server.ts';

type Json = Record<string, unknown>;

const name = { type: 'object', properties: { name: { type: 'string', minLength: 2 } }, required: ['name'] } as const;
const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} };

/** One stateless client, as raw messages: it asks, and asks again with answers. */
function rounds(
  server: Server,
  options: { readonly capabilities?: Json; readonly principal?: string; readonly meta?: Json } = {},
) {
  const sent: Json[] = [];
  let id = 0;
  const conversation = server.endpoint.openConnection({
    lasting: true,
    send: (message) => sent.push(message as unknown as Json),
    ...(options.principal === undefined ? {} : { auth: { principal: options.principal } }),
  });
  return {
    sent,
    async ask(method: string, params: Json): Promise<Json> {
      const _meta = {
        [metaKey.protocolVersion]: newestRevision.date,
        [metaKey.clientCapabilities]: options.capabilities ?? everything,
        ...options.meta,
      };
      return (await conversation.receive({
        jsonrpc: '2.0',
        id: id++,
        method,
        params: { ...params, _meta },
      })) as unknown as Json;
    },
  };
}

function resultOf(response: Json): Json {
  assert.ok(isObject(response['result']), JSON.stringify(response));
  return response['result'];
}

function errorOf(response: Json): Json {
  assert.ok(isObject(response['error']), JSON.stringify(response));
  return response['error'];
}

const accept = (content: Json): Json => ({ action: 'accept', content });

function serverWith(run: (ctx: ToolContext) => unknown, options?: ServerOptions): Server {
  const server = createServer({ name: 'w', version: '1' }, options);
  server.tool('t', { description: 'x' }, async (_, ctx) => JSON.stringify(await run(ctx)));
  return server;
}

/** Plays a call to its end with a function that answers each question by its key. */
async function play(
  server: Server,
  answer: (key: string, request: Json, round: number) => unknown,
): Promise<{ readonly text: string; readonly rounds: string[][] }> {
  const client = rounds(server);
  const keys: string[][] = [];
  let params: Json = { name: 't' };
  for (let round = 0; round < 20; round++) {
    const result = resultOf(await client.ask('tools/call', params));
    if (result['resultType'] === 'complete') {
      const [block] = result['content'] as { text: string }[];
      return { text: block?.text ?? '', rounds: keys };
    }
    const requests = (result['inputRequests'] ?? {}) as Record<string, Json>;
    keys.push(Object.keys(requests));
    const inputResponses = Object.fromEntries(
      Object.entries(requests)
        .map(([key, request]) => [key, answer(key, request, round)] as const)
        .filter(([, value]) => value !== undefined),
    );
    params = { name: 't', inputResponses, requestState: result['requestState'] };
  }
  throw new Error('the conversation did not end');
}

describe('questions of a handler to a stateless client', () => {
  test('a question ends the run and its answer completes the next one [mrtr-001, mrtr-003, mrtr-005, mrtr-006]', async () => {
    const server = serverWith(async (ctx) => ctx.elicit({ message: 'who?', schema: name }));
    const first = resultOf(await rounds(server).ask('tools/call', { name: 't' }));
    assert.equal(first['resultType'], 'input_required');
    assert.equal(typeof first['requestState'], 'string');
    assert.deepEqual(first['inputRequests'], {
      'ask-1': { method: 'elicitation/create', params: { message: 'who?', requestedSchema: name } },
    });
    const { text } = await play(server, () => accept({ name: 'Ann' }));
    assert.deepEqual(JSON.parse(text), { action: 'accept', content: { name: 'Ann' } });
  });

  test('what is asked in one turn is asked in one round, and loops and branches take several [mrtr-004, mrtr-027]', async () => {
    const server = serverWith(async (ctx) => {
      const [a, b] = await Promise.all([ctx.elicit({ message: 'a', schema: name }), ctx.roots()]);
      const all: unknown[] = [a.action, b.length];
      for (const message of ['c', 'd'])
        all.push((await ctx.elicit({ message, schema: name }, { key: message })).content?.name);
      return all;
    });
    const played = await play(server, (key, { method }) =>
      method === 'roots/list' ? { roots: [] } : accept({ name: `n-${key}` }),
    );
    assert.deepEqual(played.rounds, [['ask-1', 'ask-2'], ['c'], ['d']]);
    assert.deepEqual(JSON.parse(played.text), ['accept', 0, 'n-c', 'n-d']);
  });

  test('an answer that comes without a state counts for a question with a key alone [mrtr-023, mrtr-025]', async () => {
    const inputResponses = { who: accept({ name: 'Ada' }), 'ask-1': accept({ name: 'Eve' }), extra: accept({}) };
    const keyed = serverWith(async (ctx) => ctx.elicit({ message: 'who?', schema: name }, { key: 'who' }));
    const result = resultOf(await rounds(keyed).ask('tools/call', { name: 't', inputResponses }));
    assert.deepEqual(result['content'], [{ type: 'text', text: '{"action":"accept","content":{"name":"Ada"}}' }]);
    const wrong = { who: accept({ name: 'A' }) };
    assert.equal(
      resultOf(await rounds(keyed).ask('tools/call', { name: 't', inputResponses: wrong }))['resultType'],
      'input_required',
    );
    const counted = serverWith(async (ctx) => ctx.elicit({ message: 'who?', schema: name }));
    assert.equal(
      resultOf(await rounds(counted).ask('tools/call', { name: 't', inputResponses }))['resultType'],
      'input_required',
    );
    const manual = serverWith((ctx) => ctx.inputResponses ?? null);
    const [block] = resultOf(await rounds(manual).ask('tools/call', { name: 't', inputResponses }))['content'] as {
      text: string;
    }[];
    assert.equal(block?.text, 'null');
  });

  test('what is missing or does not fit is asked again, and extra answers are ignored [mrtr-023, mrtr-025, mrtr-026, elicit-060]', async () => {
    const server = serverWith(async (ctx) =>
      (
        await Promise.all([
          ctx.elicit({ message: 'a', schema: name }, { key: 'a' }),
          ctx.elicit({ message: 'b', schema: name }, { key: 'b' }),
        ])
      ).map(({ content }) => content?.name),
    );
    const answers: Json[] = [
      { a: accept({ name: 'x' }), other: accept({ name: 'extra' }) },
      { a: accept({ name: 'Ann' }), b: { roots: [] } },
      { b: accept({}) },
      { b: accept({ name: 'Bob' }), a: accept({ name: 'Eve' }) },
    ];
    const client = rounds(server);
    let params: Json = { name: 't' };
    const asked: string[][] = [];
    for (const inputResponses of answers) {
      const result = resultOf(await client.ask('tools/call', params));
      asked.push(Object.keys(result['inputRequests'] as Json).toSorted());
      params = { name: 't', inputResponses, requestState: result['requestState'] };
    }
    const last = resultOf(await client.ask('tools/call', params));
    assert.deepEqual(asked, [['a', 'b'], ['a', 'b'], ['b'], ['b']]);
    assert.equal((last['content'] as { text: string }[])[0]?.text, '["Ann","Bob"]');
  });

  test('a handler that asks something else under the same key is asked again, not answered wrongly', async () => {
    let run = 0;
    const server = serverWith(
      async (ctx) =>
        (await ctx.elicit({ message: run++ === 0 ? 'pet?' : 'child?', schema: name }, { key: 'q' })).content?.name,
    );
    const messages: unknown[] = [];
    const { text } = await play(server, (_, { params }) => {
      messages.push((params as Json)['message']);
      return accept({ name: messages.length === 1 ? 'Rex' : 'Tim' });
    });
    assert.deepEqual(messages, ['pet?', 'child?']);
    assert.equal(text, '"Tim"');
  });

  test('a side effect runs once however often the handler runs, and failures may be tried again', async () => {
    let paid = 0;
    const server = serverWith(async (ctx) => {
      const before = await ctx.once('pay', () => ({ receipt: ++paid, none: undefined }));
      await ctx.elicit({ message: 'a', schema: name });
      const after = await ctx.once('pay', () => ({ receipt: ++paid, none: undefined }));
      await ctx.elicit({ message: 'b', schema: name });
      return [before, after];
    });
    const { text } = await play(server, () => accept({ name: 'Ann' }));
    assert.deepEqual([JSON.parse(text), paid], [[{ receipt: 1 }, { receipt: 1 }], 1]);
  });

  test('an early end runs finally blocks, sends nothing more, and its outcome is ignored [mrtr-008]', async () => {
    const seen: string[] = [];
    const server = serverWith(async (ctx) => {
      try {
        await ctx.elicit({ message: 'a', schema: name });
        return 'answered';
      } catch {
        ctx.progress(99);
        ctx.log('error', 'too late');
        return 'swallowed';
      } finally {
        seen.push('finally');
      }
    });
    const client = rounds(server, { meta: { progressToken: 1, [metaKey.logLevel]: 'debug' } });
    const result = resultOf(await client.ask('tools/call', { name: 't' }));
    assert.equal(result['resultType'], 'input_required');
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([seen, client.sent], [['finally'], []]);
  });

  test('a question that nobody waits for does not end the process', async () => {
    const server = serverWith(async (ctx) => {
      void ctx.elicit({ message: 'a', schema: name }).then(
        () => undefined,
        () => undefined,
      );
      return new Promise(() => undefined);
    });
    const result = resultOf(await rounds(server).ask('tools/call', { name: 't' }));
    assert.equal(result['resultType'], 'input_required');
  });

  test('progress and logs of a replayed part are not sent twice', async () => {
    const server = serverWith(async (ctx) => {
      ctx.progress(1);
      ctx.log('info', 'one');
      await ctx.elicit({ message: 'a', schema: name });
      ctx.progress(2);
      ctx.log('info', 'two');
      await ctx.elicit({ message: 'b', schema: name });
      ctx.progress(3);
      return 'done';
    });
    const client = rounds(server, { meta: { progressToken: 1, [metaKey.logLevel]: 'debug' } });
    let params: Json = { name: 't' };
    const heard: unknown[][] = [];
    for (let round = 0; round < 3; round++) {
      const result = resultOf(await client.ask('tools/call', params));
      heard.push(client.sent.splice(0).map(({ params: told }) => (told as Json)['progress'] ?? (told as Json)['data']));
      const [key] = Object.keys((result['inputRequests'] ?? {}) as Json);
      params = {
        name: 't',
        requestState: result['requestState'],
        inputResponses: { [key ?? '']: accept({ name: 'Ann' }) },
      };
    }
    assert.deepEqual(heard, [[1, 'one'], [2, 'two'], [3]]);
  });

  test('a client is never asked for what it did not declare [mrtr-007, meta-014, sampling-009, roots-011, A25]', async () => {
    const cases: readonly (readonly [(ctx: ToolContext) => Promise<unknown>, Json, Json])[] = [
      [(ctx) => ctx.elicit({ message: 'a', schema: name }), { sampling: {} }, { elicitation: { form: {} } }],
      [
        (ctx) => ctx.elicit({ message: 'a', schema: name }),
        { elicitation: { url: {} } },
        { elicitation: { form: {} } },
      ],
      [
        (ctx) => ctx.elicitUrl({ message: 'a', url: 'https://example.com' }),
        { elicitation: {} },
        { elicitation: { url: {} } },
      ],
      [(ctx) => ctx.roots(), {}, { roots: {} }],
      [(ctx) => ctx.sample({ messages: [], maxTokens: 1, tools: [] }), { sampling: {} }, { sampling: { tools: {} } }],
      [
        (ctx) => ctx.sample({ messages: [], maxTokens: 1, includeContext: 'allServers' }),
        { sampling: {} },
        { sampling: { context: {} } },
      ],
    ];
    for (const [ask, capabilities, requiredCapabilities] of cases) {
      const error = errorOf(await rounds(serverWith(ask), { capabilities }).ask('tools/call', { name: 't' }));
      assert.equal(error['code'], -32021);
      assert.deepEqual(error['data'], { requiredCapabilities });
    }
  });

  test('a refusal beside an admissible question still refuses', async () => {
    const server = serverWith((ctx) => Promise.all([ctx.elicit({ message: 'a', schema: name }), ctx.roots()]));
    const error = errorOf(await rounds(server, { capabilities: { roots: {} } }).ask('tools/call', { name: 't' }));
    assert.equal(error['code'], -32021);
  });

  test('a state is refused on other arguments and from another user [mrtr-012, mrtr-014, mrtr-024, security-020, security-022]', async () => {
    const server = serverWith((ctx) => ctx.elicit({ message: 'a', schema: name }));
    const result = resultOf(await rounds(server, { principal: 'ann' }).ask('tools/call', { name: 't' }));
    const { requestState } = result;
    const asked = async (principal: string | undefined, params: Json): Promise<Json> =>
      rounds(server, principal === undefined ? {} : { principal }).ask('tools/call', {
        requestState,
        inputResponses: {},
        ...params,
      });
    for (const [principal, params] of [
      ['bob', { name: 't' }],
      [undefined, { name: 't' }],
      ['ann', { name: 't', arguments: {} }],
    ] as const) {
      assert.equal(errorOf(await asked(principal, params))['code'], -32602);
    }
    assert.equal(resultOf(await asked('ann', { name: 't' }))['resultType'], 'input_required');
  });

  test('prompts and reads ask too, and nothing else can [mrtr-002]', async () => {
    const server = createServer({ name: 'w', version: '1' }, { onError: () => undefined });
    const failures: unknown[] = [];
    server.prompt('p', {}, async (_, ctx) => `for ${(await ctx.elicit({ message: 'a', schema: name })).content?.name}`);
    server.resource('x://y', { name: 'y' }, async (_, ctx) => String((await ctx.roots()).length));
    server.resourceTemplate(
      'z://{id}',
      {
        name: 'z',
        complete: {
          id: (_, ctx) => {
            failures.push('elicit' in ctx);
            return [];
          },
        },
      },
      () => 'z',
    );
    const client = rounds(server);
    for (const [method, params, answer] of [
      ['prompts/get', { name: 'p' }, accept({ name: 'Ann' })],
      ['resources/read', { uri: 'x://y' }, { roots: [] }],
    ] as const) {
      const { requestState, resultType } = resultOf(await client.ask(method, params));
      assert.equal(resultType, 'input_required');
      const done = resultOf(await client.ask(method, { ...params, requestState, inputResponses: { 'ask-1': answer } }));
      assert.equal(done['resultType'], 'complete');
    }
    await client.ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'z://{id}' },
      argument: { name: 'id', value: '' },
    });
    assert.deepEqual(failures, [false]);
  });

  test('a conversation that never ends is ended', async () => {
    let count = 0;
    const server = serverWith((ctx) => ctx.elicit({ message: `again ${count++}`, schema: name }), {
      rounds: { maxRounds: 3 },
    });
    await assert.rejects(
      play(server, () => accept({ name: 'Ann' })),
      /took more than 3 rounds/,
    );
  });
});

describe('rounds driven by hand', () => {
  const manual = (ctx: ToolContext): unknown => {
    if (ctx.inputResponses === undefined) {
      return inputRequired({ requests: { where: { method: 'roots/list' } }, state: { step: 1 } });
    }
    return `${JSON.stringify(ctx.requestState)} ${JSON.stringify(ctx.inputResponses)}`;
  };

  test('a handler sees the answers to what it asked, and the state that it kept', async () => {
    const server = createServer({ name: 'w', version: '1' });
    server.tool('t', {}, (_, ctx) => manual(ctx) as string);
    const { text, rounds: keys } = await play(server, () => ({ roots: [] }));
    assert.deepEqual([keys, text], [[['where']], '{"step":1} {"where":{"roots":[]}}']);
  });

  test('the state is sealed, and what the client did not declare is not asked', async () => {
    const server = createServer({ name: 'w', version: '1' });
    server.tool('t', {}, (_, ctx) => manual(ctx) as string);
    const result = resultOf(await rounds(server).ask('tools/call', { name: 't' }));
    assert.ok(!atob(String(result['requestState']).replaceAll('-', '+').replaceAll('_', '/')).includes('step'));
    assert.equal(errorOf(await rounds(server, { capabilities: {} }).ask('tools/call', { name: 't' }))['code'], -32021);
  });
});
