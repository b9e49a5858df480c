import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  accepted,
  asking,
  confirm,
  connected,
  done,
  handlers,
  key,
  replies,
  requests,
  think,
  visit,
  where,
  type Json,
} from '../../../../../test/support/rounds-client.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import type { Client } from '../api/client.ts';
import { InputRequiredError, TooManyRoundsError } from '../api/errors.ts';
import type { ConnectOptions } from '../api/options.ts';

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
    ['a page that is not a URL', asking({ k: { ...visit, params: { ...visit.params, url: 'no url' } } })],
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
    assert.equal(await given.catch((error: unknown) => error), 'enough');
    await one.client.close();
    await assert.rejects(other, { reason: 'closed' });
    assert.ok((await other.catch((error: unknown) => error)) instanceof ConnectionError);
  });
});
