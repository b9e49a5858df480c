import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ConnectionError } from '../jsonrpc/transport.ts';
import { McpError } from '../protocol/error.ts';
import { scriptedTransport, type Script, type ScriptedTransport, type SentMessage } from '../testing/scripted.ts';
import type { Client } from './client.ts';
import { createConnect } from './connect.ts';
import { InputRequiredError, OutputValidationError, TooManyRoundsError } from './errors.ts';
import type { ConnectOptions } from './options.ts';
import type { InputRequiredStep, Step } from './step.ts';

type Json = Readonly<Record<string, unknown>>;

interface Connected {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  /** The params of every request after discovery, without `_meta`. */
  params(): readonly Json[];
}

const everything = { tools: {}, resources: {}, prompts: {} };

async function connected(
  script: Script,
  options: ConnectOptions = {},
  revision: string = '2026-07-28',
): Promise<Connected> {
  const transport = scriptedTransport('stdio', (sent, peer) => {
    const { method } = sent.message;
    if (method === 'server/discover')
      return peer.reply(sent, { supportedVersions: [revision], capabilities: everything });
    if (method === 'initialize')
      return peer.reply(sent, {
        protocolVersion: revision,
        capabilities: everything,
        serverInfo: { name: 's', version: '1' },
      });
    if (method !== 'notifications/initialized') return script(sent, peer);
  });
  const connect = createConnect({ http: () => transport });
  const client = await connect(transport, { ...options, revisions: [revision] });
  return {
    client,
    transport,
    params: () =>
      requests(transport).map(({ message }) => {
        const { _meta, ...rest } = message['params'] as Json;
        return rest;
      }),
  };
}

function requests(transport: ScriptedTransport): readonly SentMessage[] {
  return transport.sent.filter(
    ({ message }) => message['id'] !== undefined && !/discover|initialize/.test(String(message['method'])),
  );
}

/** Replies with one result after the other; the last one again and again. */
function replies(...results: readonly Json[]): Script {
  let next = 0;
  return (sent, peer) => peer.reply(sent, results[Math.min(next++, results.length - 1)] ?? {});
}

const done = { content: [{ type: 'text', text: 'done' }] };
const requestedSchema = { type: 'object', properties: { ok: { type: 'boolean', default: true } } };
const confirm = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema } };
const visit = { method: 'elicitation/create', params: { mode: 'url', message: 'Pay', url: 'https://pay.example/' } };
const think = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: '?' } }], maxTokens: 1 },
};
const where = { method: 'roots/list' };
const asking = (inputRequests: Json, more: Json = {}): Json => ({
  resultType: 'input_required',
  inputRequests,
  ...more,
});
const accepted = { action: 'accept', content: { ok: true } };
const handlers: ConnectOptions = {
  onElicit: () => 'accept',
  onElicitUrl: () => 'accept',
  onSample: () => 'hm',
  roots: [{ uri: 'file:///a' }],
};
const key = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('__proto__', 'constructor'));

describe('a request that needs input first', () => {
  it('is answered with everything that was asked for [C69] [E04] [mrtr-016] [mrtr-017] [mrtr-018] [mrtr-021] [tools-007]', async () => {
    const one = await connected(
      replies(asking({ a: confirm, b: think, c: where, d: visit }, { requestState: 's' }), done),
      handlers,
    );
    assert.deepEqual((await one.client.callTool('x', { n: 1 })).content, done.content);
    const inputResponses = {
      a: accepted,
      b: { role: 'assistant', content: { type: 'text', text: 'hm' }, model: 'unknown' },
      c: { roots: [{ uri: 'file:///a' }] },
      d: { action: 'accept' },
    };
    const first = { name: 'x', arguments: { n: 1 } };
    assert.deepEqual(one.params(), [first, { ...first, inputResponses, requestState: 's' }]);
    const [one1, one2] = requests(one.transport).map(({ message }) => message['id']);
    assert.notEqual(one1, one2);
  });

  for (const [method, send, params, result] of [
    ['tools/call', (client: Client) => client.callTool('x'), { name: 'x' }, done],
    [
      'prompts/get',
      (client: Client) => client.getPrompt('p', { a: 'b' }),
      { name: 'p', arguments: { a: 'b' } },
      { messages: [] },
    ],
    ['resources/read', (client: Client) => client.readResource('file:///a'), { uri: 'file:///a' }, { contents: [] }],
  ] as const) {
    it(`may be ${method}; all else of it stays as it was [C32] [C49] [C70] [mrtr-017]`, async () => {
      const one = await connected(replies(asking({ k: confirm }), result), handlers);
      await send(one.client);
      assert.deepEqual(one.params(), [params, { ...params, inputResponses: { k: accepted } }]);
      assert.deepEqual(
        requests(one.transport).map(({ message }) => message['method']),
        [method, method],
      );
    });
  }

  it('may not be any other', async () => {
    const one = await connected(replies(asking({ k: confirm })), handlers);
    await assert.rejects(one.client.listTools(), { reason: 'invalid-message' });
    await assert.rejects(one.client.listPrompts(), { reason: 'invalid-message' });
  });

  it('echoes each state exactly when there is one, over any rounds [C84] [C85] [mrtr-018] [mrtr-019] [mrtr-020] [mrtr-021] [mrtr-027]', async () => {
    const state = fc.option(fc.string({ unit: 'binary' }), { nil: undefined });
    const round = fc.record({ keys: fc.option(fc.uniqueArray(key, { maxLength: 3 }), { nil: undefined }), state });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { maxLength: 6 }), async (rounds) => {
        const results = rounds
          .filter(({ keys, state: requestState }) => keys !== undefined || requestState !== undefined)
          .map(({ keys, state: requestState }) => ({
            resultType: 'input_required',
            ...(keys && { inputRequests: Object.fromEntries(keys.map((one) => [one, confirm])) }),
            ...(requestState !== undefined && { requestState }),
          }));
        const one = await connected(replies(...results, done), handlers);
        await one.client.callTool('x');
        const expected = results.map((result) => ({
          name: 'x',
          ...('inputRequests' in result && {
            inputResponses: Object.fromEntries(Object.keys(result.inputRequests ?? {}).map((name) => [name, accepted])),
          }),
          ...('requestState' in result && { requestState: result.requestState }),
        }));
        assert.deepEqual(one.params(), [{ name: 'x' }, ...expected]);
        const ids = requests(one.transport).map(({ message }) => message['id']);
        assert.equal(new Set(ids).size, ids.length);
      }),
      { numRuns: 60 },
    );
  });

  it('with nothing but a state is sent again at once, even an empty one [C83] [C84] [mrtr-018]', async () => {
    const one = await connected(replies({ resultType: 'input_required', requestState: '' }, done));
    await one.client.callTool('x');
    assert.deepEqual(one.params(), [{ name: 'x' }, { name: 'x', requestState: '' }]);
  });

  it('sends empty answers when nothing was asked for in so many words [C83]', async () => {
    const one = await connected(replies(asking({}), done));
    await one.client.callTool('x');
    assert.deepEqual(one.params()[1], { name: 'x', inputResponses: {} });
  });

  for (const [title, result] of [
    ['neither questions nor a state', { resultType: 'input_required' }],
    ['a state that is no text', { resultType: 'input_required', requestState: 7 }],
    ['questions that are no map', { resultType: 'input_required', inputRequests: [confirm] }],
    ['a malformed question', asking({ k: { method: 'elicitation/create', params: { message: 7 } } })],
    ['a page that is no URL', asking({ k: { ...visit, params: { ...visit.params, url: 'no url' } } })],
    [
      'tool uses without results',
      asking({
        k: {
          ...think,
          params: {
            maxTokens: 1,
            messages: [{ role: 'assistant', content: { type: 'tool_use', id: 'a', name: 't', input: {} } }],
          },
        },
      }),
    ],
  ] as const) {
    it(`with ${title} is an invalid response`, async () => {
      const one = await connected(replies(result), {
        ...handlers,
        onElicit: () => assert.fail(),
        onSample: () => assert.fail(),
      });
      await assert.rejects(one.client.callTool('x'), { reason: 'invalid-message', message: /tools\/call/ });
      assert.equal(one.params().length, 1);
    });
  }

  it('asks for no more rounds than are allowed, 10 by default', async () => {
    for (const [options, rounds] of [
      [handlers, 10],
      [{ ...handlers, maxRounds: 2 }, 2],
      [{ ...handlers, maxRounds: 0 }, 0],
    ] as const) {
      const one = await connected(replies(asking({ k: confirm }, { requestState: 'again' })), options);
      const error: unknown = await one.client.callTool('x').catch((caught: unknown) => caught);
      assert.ok(error instanceof TooManyRoundsError);
      assert.deepEqual([error.maxRounds, error.step.requestState, one.params().length], [rounds, 'again', rounds + 1]);
    }
  });

  it('keeps what it asks of the server: progress, log level, more metadata', async () => {
    const heard: number[] = [];
    const one = await connected((sent, peer) => {
      const { progressToken } = (sent.message['params'] as { _meta: Json })._meta;
      peer.send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: heard.length },
      });
      return peer.reply(sent, heard.length === 1 ? asking({ k: confirm }) : done);
    }, handlers);
    const onProgress = ({ progress }: { readonly progress: number }) => void heard.push(progress);
    await one.client.callTool('x', {}, { onProgress, logLevel: 'debug', meta: { mine: 1 } });
    assert.deepEqual(heard, [0, 1]);
    for (const { message } of requests(one.transport)) {
      const { _meta } = message['params'] as { _meta: Json };
      assert.deepEqual([_meta['mine'], _meta['io.modelcontextprotocol/logLevel']], [1, 'debug']);
    }
  });

  it('shares nothing with requests beside it [mrtr-022]', async () => {
    let answer: (action: 'accept') => void = () => {};
    const one = await connected(
      (sent, peer) => {
        const { name, inputResponses } = sent.message['params'] as Json;
        return peer.reply(
          sent,
          name === 'slow' && inputResponses === undefined ? asking({ k: confirm }, { requestState: 's' }) : done,
        );
      },
      { ...handlers, onElicit: () => new Promise((resolve) => (answer = resolve)) },
    );
    const slow = one.client.callTool('slow');
    for (let i = 0; i < 50; i++) await Promise.resolve();
    await one.client.callTool('quick');
    answer('accept');
    await slow;
    await one.client.callTool('slow-not');
    assert.deepEqual(one.params(), [
      { name: 'slow' },
      { name: 'quick' },
      { name: 'slow', inputResponses: { k: accepted }, requestState: 's' },
      { name: 'slow-not' },
    ]);
  });

  it('of a handshake revision is no such thing', async () => {
    const one = await connected(replies({ ...done, resultType: 'input_required' }), handlers, '2025-11-25');
    assert.deepEqual((await one.client.callTool('x')).content, done.content);
    assert.equal(one.params().length, 1);
  });

  it('that says nothing of its type is complete [basic-022]', async () => {
    const one = await connected(replies({ ...done, inputRequests: { k: confirm } }), handlers);
    await one.client.callTool('x');
    assert.equal(one.params().length, 1);
  });
});

describe('what is asked for', () => {
  const all = { k: confirm };
  for (const [title, options, inputRequests] of [
    ['has no handler', { capabilities: { elicitation: {} } }, all],
    ['was not declared', { onElicit: () => 'accept', advertise: false }, all],
    ['was declared in another mode alone', { onElicit: () => 'accept' }, { k: visit }],
    [
      'needs tools, which were not declared',
      { onSample: () => 'x' },
      { k: { ...think, params: { ...think.params, tools: [] } } },
    ],
    ['is of an unknown method', handlers, { k: { method: 'telepathy/create', params: {} } }],
    ['is of an unknown mode', handlers, { k: { ...confirm, params: { ...confirm.params, mode: 'telepathy' } } }],
    ['cannot be answered in part', { onElicit: () => assert.fail('asked in vain') }, { k: confirm, l: think }],
  ] as const) {
    it(`is left to the caller when it ${title} [C89] [elicit-016] [sampling-007]`, async () => {
      const one = await connected(replies(asking(inputRequests, { requestState: 's' })), options as ConnectOptions);
      const error: unknown = await one.client.callTool('x').catch((caught: unknown) => caught);
      assert.ok(error instanceof InputRequiredError);
      assert.deepEqual(
        [error.step.params, error.step.inputRequests, error.step.requestState],
        [{ name: 'x' }, inputRequests, 's'],
      );
      assert.equal(one.params().length, 1);
    });
  }

  it('is held against what the request itself declared', async () => {
    const one = await connected(replies(asking(all)), handlers);
    await assert.rejects(one.client.callTool('x', {}, { capabilities: {} }), InputRequiredError);
  });

  it('rejects the request when a handler fails, with its own error, and stops the others', async () => {
    const failure = new McpError(-1, 'User rejected sampling request');
    let stopped = false;
    const one = await connected(replies(asking({ k: confirm, l: think })), {
      onElicit: (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => (stopped = true))),
      onSample: () => Promise.reject(failure),
    });
    await assert.rejects(one.client.callTool('x'), (error) => error === failure);
    assert.deepEqual([stopped, one.params().length], [true, 1]);
  });

  it('rejects the request when the answer does not fit, and sends nothing [elicit-059]', async () => {
    const one = await connected(replies(asking(all)), {
      onElicit: () => ({ action: 'accept', content: { ok: 'yes' } }),
    });
    await assert.rejects(one.client.callTool('x'), { name: 'TypeError', message: /"ok" must be true or false/ });
    assert.equal(one.params().length, 1);
  });

  it('is given up with the request, or when the client closes', async () => {
    const one = await connected(replies(asking(all)), { onElicit: () => new Promise(() => {}) });
    const controller = new AbortController();
    const given = one.client.callTool('x', {}, { signal: controller.signal });
    const other = one.client.callTool('x');
    for (let i = 0; i < 50; i++) await Promise.resolve();
    controller.abort('enough');
    await assert.rejects(given, { reason: 'aborted' });
    await one.client.close();
    await assert.rejects(other, { reason: 'closed' });
    assert.ok((await other.catch((error: unknown) => error)) instanceof ConnectionError);
  });
});

describe('a request stepped by hand', () => {
  const question = asking({ k: confirm, l: where }, { requestState: 'kept' });
  const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

  async function begun(
    ...results: readonly Json[]
  ): Promise<{ readonly step: InputRequiredStep<'tools/call'>; readonly one: Connected }> {
    const one = await connected(replies(...results));
    const step = await one.client.begin('tools/call', { name: 'x', arguments: { n: 1 } });
    assert.ok(step.status === 'input_required');
    return { step, one };
  }

  it('is JSON, and another client can go on with it [C69] [mrtr-017] [mrtr-018] [mrtr-021] [mrtr-027]', async () => {
    const { step } = await begun(question);
    const plain: Step<'tools/call'> = {
      status: 'input_required',
      method: 'tools/call',
      params: { name: 'x', arguments: { n: 1 } },
      inputRequests: { k: confirm, l: where } as never,
      requestState: 'kept',
    };
    assert.deepEqual(step, plain);
    assert.deepEqual(stored(step), step);
    const other = await connected(replies(asking({ m: confirm }), done));
    const second = await other.client.resume(stored(step), { k: 'decline', l: [{ uri: 'file:///a' }] });
    assert.ok(second.status === 'input_required');
    const third = await other.client.resume(stored(second), { m: { action: 'accept' } });
    assert.ok(third.status === 'complete');
    assert.deepEqual(third.result.content, done.content);
    const first = { name: 'x', arguments: { n: 1 } };
    assert.deepEqual(other.params(), [
      {
        ...first,
        inputResponses: { k: { action: 'decline' }, l: { roots: [{ uri: 'file:///a' }] } },
        requestState: 'kept',
      },
      { ...first, inputResponses: { m: accepted } },
    ]);
  });

  it('keeps any key and any state on its way through JSON', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { maxLength: 4 }),
        fc.string({ unit: 'binary' }),
        async (keys, requestState) => {
          const inputRequests = Object.fromEntries(keys.map((name) => [name, where]));
          const one = await connected(
            replies({ resultType: 'input_required', inputRequests, requestState }, { contents: [] }),
          );
          const step = stored(await one.client.begin('resources/read', { uri: 'file:///a' }));
          assert.ok(step.status === 'input_required');
          const answers = Object.fromEntries(keys.map((name) => [name, []]));
          assert.equal((await one.client.resume(step, answers)).status, 'complete');
          const inputResponses = Object.fromEntries(keys.map((name) => [name, { roots: [] }]));
          assert.deepEqual(one.params()[1], { uri: 'file:///a', inputResponses, requestState });
        },
      ),
      { numRuns: 40 },
    );
  });

  for (const [title, answers] of [
    ['is missing', { k: 'accept' }],
    ['was not asked for', { k: 'accept', l: [], m: 'accept' }],
    ['does not fit', { k: { action: 'accept', content: { ok: 7 } }, l: [] }],
    ['is of another kind', { k: [], l: 'accept' }],
    ['is a place that is none', { k: 'cancel', l: [{ uri: 'https://a.example/' }] }],
  ] as const) {
    it(`sends nothing when an answer ${title} [mrtr-016] [mrtr-017]`, async () => {
      const { step, one } = await begun(question);
      await assert.rejects(one.client.resume(step, answers as never), TypeError);
      assert.equal(one.params().length, 1);
    });
  }

  it('may be complete at once, and is complete where there are no rounds', async () => {
    for (const revision of ['2026-07-28', '2025-11-25']) {
      const one = await connected(replies(done), {}, revision);
      const step = await one.client.begin('tools/call', { name: 'x' });
      assert.ok(step.status === 'complete');
      assert.deepEqual(step.result.content, done.content);
    }
  });

  it('goes on with the state alone when nothing was asked for', async () => {
    const { step, one } = await begun({ resultType: 'input_required', requestState: '' }, done);
    await one.client.resume(step, {});
    assert.deepEqual(one.params()[1], { name: 'x', arguments: { n: 1 }, requestState: '' });
  });

  it('is not for other methods, other steps or other revisions', async () => {
    const { step, one } = await begun(question);
    await assert.rejects(one.client.begin('tools/list' as never, {} as never), TypeError);
    for (const wrong of [undefined, { status: 'complete', result: done }, { ...step, method: 'tools/list' }])
      await assert.rejects(one.client.resume(wrong as never, {}), TypeError);
    const older = await connected(replies(done), {}, '2025-11-25');
    await assert.rejects(older.client.resume(step, { k: 'accept', l: [] }), TypeError);
  });

  it('is held against the output schema of its tool', async () => {
    const { step, one } = await begun(question, { content: [], structuredContent: { sum: 'x' } });
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } } } as const;
    one.client.learnTools([{ name: 'x', inputSchema: { type: 'object' }, outputSchema }]);
    await assert.rejects(one.client.resume(step, { k: 'accept', l: [] }), OutputValidationError);
  });

  it('can take over where the handlers gave up', async () => {
    const one = await connected(replies(asking({ k: confirm }), done), { capabilities: { elicitation: {} } });
    const error: unknown = await one.client.callTool('x').catch((caught: unknown) => caught);
    assert.ok(error instanceof InputRequiredError);
    const step = await one.client.resume(error.step, { k: 'accept' });
    assert.equal(step.status, 'complete');
  });
});
