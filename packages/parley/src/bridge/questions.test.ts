/** Questions of a server to the client of a session, and what else passes between the two beside requests. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeBefore, bridgeTo, lineOver, pairs, serverAt } from '../../../../test/support/bridged.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../../../../test/support/raw.ts';
import { paramsSent, scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { turns } from '../../../../test/support/turns.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import type { ScriptedPeer, SentMessage } from '../testing/scripted.ts';

const capabilities = { elicitation: {}, sampling: {}, roots: { listChanged: true } };
const form = { message: 'Your name?', schema: { type: 'object', properties: { name: { type: 'string' } } } } as const;

/** The request of the server that came last. */
function question(raw: Raw): Json {
  const asked = raw.heard.findLast(({ message }) => 'id' in message && 'method' in message)?.message;
  assert.ok(asked !== undefined, 'nothing was asked');
  return asked;
}

async function answer(raw: Raw, result: Json): Promise<void> {
  await raw.receive({ jsonrpc: '2.0', id: question(raw)['id'], result });
}

describe('a session with a handshake server', () => {
  it('is asked on the stream of the call, with whatever the question holds, and answers likewise', async (t) => {
    const asked = { message: 'Who?', requestedSchema: { type: 'object', properties: {} }, more: 1, _meta: { own: 2 } };
    const given = { action: 'accept', content: {}, more: 3, _meta: { own: 4 } };
    let answered: Json | undefined;
    const upstream = scriptedUpstream({
      up: '2025-06-18',
      answers: {
        'tools/call': (sent, peer) => {
          peer.send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: asked });
          void settle().then(async () => {
            await settle();
            await answer(raw, given);
            await settle();
            answered = upstream.sent.findLast(({ message }) => message['id'] === 'q')?.message;
            peer.reply(sent, { content: [] });
          });
        },
      },
    });
    const raw = await open(await bridgeTo(t, upstream), '2025-06-18', { capabilities });
    await raw.result('tools/call', { name: 'any' }, 'mine');
    const { message, related } = raw.heard[0] ?? {};
    assert.equal(related, 'mine');
    assert.deepEqual(message?.['params'], asked);
    assert.deepEqual(answered?.['result'], given);
  });

  for (const [sampling, includeContext] of [
    [{}, 'none'],
    [{ context: {} }, 'thisServer'],
  ] as const)
    it(`is asked for a completion with the context ${includeContext} if it declared ${JSON.stringify(sampling)}`, async (t) => {
      const upstream = scriptedUpstream({
        up: '2024-11-05',
        answers: {
          'tools/call': (sent, peer) => {
            const params = { messages: [], maxTokens: 1, includeContext: 'thisServer' };
            peer.send({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params });
            void settle().then(async () => {
              await settle();
              await answer(raw, { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } });
              await settle();
              peer.reply(sent, { content: [] });
            });
          },
        },
      });
      const raw = await open(await bridgeTo(t, upstream), '2025-11-25', { capabilities: { sampling } });
      await raw.result('tools/call', { name: 'any' }, 'mine');
      assert.deepEqual(question(raw)['params'], { messages: [], maxTokens: 1, includeContext });
    });

  it('is asked again when another call was cancelled, on whose stream it was asked', async (t) => {
    let peer: ScriptedPeer | undefined;
    const upstream = scriptedUpstream({
      up: '2025-11-25',
      answers: { 'tools/call': (_: SentMessage, from: ScriptedPeer) => void (peer = from) },
    });
    const raw = await open(await bridgeTo(t, upstream), '2025-11-25', { capabilities });
    const streams = (): unknown[] =>
      raw.heard.flatMap(({ message, related }) => ('id' in message && 'method' in message ? [related] : []));
    const ask = async (id: string): Promise<void> => {
      const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
      peer?.send({ jsonrpc: '2.0', id, method: 'elicitation/create', params });
      await settle();
    };
    const cancel = async (requestId: string): Promise<void> => {
      await raw.notify('notifications/cancelled', { requestId });
      await settle();
    };
    const answerTo = (id: string): Json | undefined =>
      upstream.sent.findLast(({ message }) => message['id'] === id)?.message;
    for (const id of ['first', 'second', 'third'])
      void raw.receive({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: id } });
    await settle();
    // A server on stdio does not say for which of them it asks.
    await ask('q');
    await cancel('first');
    assert.deepEqual(streams(), ['third']);
    await cancel('third');
    assert.deepEqual(streams(), ['third', 'second']);
    await answer(raw, { action: 'decline' });
    await settle();
    assert.deepEqual(answerTo('q')?.['result'], { action: 'decline' });
    await ask('r');
    await cancel('second');
    assert.deepEqual(streams(), ['third', 'second', 'second']);
    assert.notEqual(answerTo('r')?.['error'], undefined);
  });

  for (const isCancelled of [true, false])
    it(`is ${isCancelled ? 'asked again' : 'refused'} if the client rejects the question ${isCancelled ? 'and then cancels' : 'of'} a call`, async (t) => {
      let peer: ScriptedPeer | undefined;
      const upstream = scriptedUpstream({
        up: '2025-11-25',
        answers: { 'tools/call': (_: SentMessage, from: ScriptedPeer) => void (peer = from) },
      });
      const raw = await open(await bridgeTo(t, upstream), '2025-11-25', { capabilities });
      for (const id of ['first', 'second'])
        void raw.receive({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: id } });
      await settle();
      const asked = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
      peer?.send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: asked });
      await settle();
      const error = { code: -32_603, message: 'the request that it belongs to was given up' };
      t.mock.timers.enable({ apis: ['setTimeout'] });
      await raw.receive({ jsonrpc: '2.0', id: question(raw)['id'], error });
      await turns();
      if (isCancelled) await raw.notify('notifications/cancelled', { requestId: 'second' });
      else t.mock.timers.tick(250);
      t.mock.timers.reset();
      await settle();
      const streams = raw.heard.flatMap(({ message, related }) =>
        'id' in message && 'method' in message ? [related] : [],
      );
      assert.deepEqual(streams, isCancelled ? ['second', 'first'] : ['second']);
      const answered = upstream.sent.findLast(({ message }) => message['id'] === 'q')?.message;
      assert.deepEqual(answered?.['error'], isCancelled ? undefined : error);
    });

  it('is asked between calls too', async (t) => {
    let peer: ScriptedPeer | undefined;
    const upstream = scriptedUpstream({
      up: '2025-11-25',
      answers: {
        'prompts/list': (sent: SentMessage, from: ScriptedPeer) => {
          peer = from;
          from.reply(sent, { prompts: [] });
        },
      },
    });
    const raw = await open(await bridgeTo(t, upstream), '2025-03-26', { capabilities });
    await raw.result('prompts/list');
    peer?.send({ jsonrpc: '2.0', id: 9, method: 'roots/list' });
    await settle();
    assert.equal(question(raw)['method'], 'roots/list');
    await answer(raw, { roots: [{ uri: 'file:///a', shade: 1 }] });
    await settle();
    const answered = upstream.sent.findLast(({ message }) => message['id'] === 9)?.message;
    assert.deepEqual(answered?.['result'], { roots: [{ uri: 'file:///a', shade: 1 }] });
  });

  it('answers with its own errors', async (t) => {
    const server = serverAt('2025-11-25');
    server.tool('ask', {}, async (_, ctx) => {
      const request = { messages: [{ role: 'user', content: { type: 'text', text: '?' } }], maxTokens: 1 } as const;
      return await ctx.sample(request).then(
        () => 'answered',
        (error: Error) => error.message,
      );
    });
    const raw = await open(await bridgeBefore(t, server), '2024-11-05', { capabilities });
    const result = raw.result('tools/call', { name: 'ask' });
    await settle();
    await raw.receive({ jsonrpc: '2.0', id: question(raw)['id'], error: { code: -1, message: 'User said no' } });
    assert.match(JSON.stringify(await result), /User said no/);
  });

  it('tells the server of changed roots, and what only the two of them understand', async (t) => {
    const upstream = scriptedUpstream({ up: '2025-03-26' });
    const raw = await open(await bridgeTo(t, upstream), '2025-11-25', { capabilities });
    await raw.result('tools/list');
    await raw.notify('notifications/roots/list_changed');
    await raw.notify('notifications/x.example/moved', { to: [1] });
    await settle();
    const methods = upstream.sent.map(({ message }) => message['method']);
    assert.ok(methods.includes('notifications/roots/list_changed'));
    assert.deepEqual(paramsSent(upstream, 'notifications/x.example/moved'), { to: [1] });
  });

  it('hears that a visit is over, and what only the two of them understand', async (t) => {
    let peer: ScriptedPeer | undefined;
    const upstream = scriptedUpstream({
      up: '2025-11-25',
      answers: {
        'prompts/list': (sent: SentMessage, from: ScriptedPeer) => {
          peer = from;
          from.reply(sent, { prompts: [] });
        },
      },
    });
    const raw = await open(await bridgeTo(t, upstream), '2025-11-25', {
      capabilities: { elicitation: { url: {} } },
    });
    await raw.result('prompts/list');
    const complete = { method: 'notifications/elicitation/complete', params: { elicitationId: 'a', more: 1 } };
    const moved = { method: 'notifications/x.example/moved', params: { to: [1] } };
    // No client could read that.
    const [nameless, visitless] = ['notifications/resources/updated', 'notifications/elicitation/complete'].map(
      (method) => ({ method, params: {} }),
    );
    for (const told of [complete, nameless, visitless, moved]) peer?.send({ jsonrpc: '2.0', ...told });
    await settle();
    assert.deepEqual(
      raw.take(),
      [complete, moved].map((told) => ({ jsonrpc: '2.0', ...told })),
    );
  });

  it('whose client dies while it is asked cancels the call upstream', async (t) => {
    let cancelled!: () => void;
    const ended = new Promise<void>((resolve) => (cancelled = resolve));
    const server = serverAt('2025-11-25');
    server.tool('ask', {}, async (_, ctx) => {
      ctx.signal.addEventListener('abort', cancelled);
      await ctx.elicit(form);
      return 'answered';
    });
    const raw = await open(await bridgeBefore(t, server), '2025-06-18', { capabilities });
    const result = raw.send('tools/call', { name: 'ask' });
    await settle();
    question(raw);
    raw.conversation.close();
    assert.equal(await result, undefined);
    await ended;
  });

  it('whose server dies while it asks hears that the question is void and that the call failed', async (t) => {
    const server = serverAt('2025-11-25');
    server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.elicit(form)));
    const line = lineOver(memoryTransport(server));
    const raw = await open(await bridgeTo(t, line.transport), '2025-06-18', { capabilities });
    const failed = raw.error('tools/call', { name: 'ask' });
    await settle();
    const { id } = question(raw);
    line.cut();
    assert.match((await failed).message, /the upstream server failed: the server exited/);
    await settle();
    const cancelled = raw.take().findLast(({ method }) => method === 'notifications/cancelled');
    assert.equal((cancelled?.['params'] as Json | undefined)?.['requestId'], id);
    const again = raw.result('tools/call', { name: 'ask' });
    await settle();
    await answer(raw, { action: 'decline' });
    assert.match(JSON.stringify(await again), /decline/);
  });
});

describe('a session with a stateless server', () => {
  it('tells nobody of changed roots, which are asked for afresh each time', async (t) => {
    const upstream = scriptedUpstream({ up: statelessDate });
    const warnings: string[] = [];
    const raw = await open(await bridgeTo(t, upstream, { warnings }), '2025-11-25', { capabilities });
    await raw.result('tools/list');
    await raw.notify('notifications/roots/list_changed');
    await settle();
    assert.deepEqual(warnings, []);
    assert.ok(!upstream.methods.includes('notifications/roots/list_changed'));
  });

  it('gives every visit an id where the revision of the client wants one', async (t) => {
    const visit = { mode: 'url', message: 'Log in.', url: 'https://example.com/' };
    const upstream = scriptedUpstream({
      up: statelessDate,
      answers: {
        'tools/call': (sent, peer) => {
          const { inputResponses, requestState } = sent.message['params'] as Json;
          if (inputResponses === undefined)
            peer.reply(sent, {
              resultType: 'input_required',
              inputRequests: { one: { method: 'elicitation/create', params: visit } },
              requestState: 'kept as it is ü',
            });
          else peer.reply(sent, { resultType: 'complete', content: [], inputResponses, requestState });
        },
      },
    });
    const raw = await open(await bridgeTo(t, upstream), '2025-11-25', { capabilities: { elicitation: { url: {} } } });
    const result = raw.result('tools/call', { name: 'any' });
    await settle();
    const { elicitationId, ...params } = question(raw)['params'] as Json;
    assert.match(String(elicitationId), /^[\w-]{8,}$/);
    assert.deepEqual(params, visit);
    await answer(raw, { action: 'accept' });
    const { inputResponses, requestState } = await result;
    assert.deepEqual(
      { inputResponses, requestState },
      {
        inputResponses: { one: { action: 'accept' } },
        requestState: 'kept as it is ü',
      },
    );
  });
});

describe('several questions of one round', () => {
  it('are withdrawn when one of them fails', async (t) => {
    const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    const upstream = scriptedUpstream({
      up: statelessDate,
      answers: {
        'tools/call': {
          resultType: 'input_required',
          inputRequests: {
            one: { method: 'elicitation/create', params: form },
            two: { method: 'roots/list' },
          },
          requestState: 'x',
        },
      },
    });
    const raw = await open(await bridgeTo(t, upstream), '2025-06-18', { capabilities });
    const failed = raw.error('tools/call', { name: 'any' });
    await settle();
    const [form1, roots] = raw.take();
    await raw.receive({ jsonrpc: '2.0', id: form1?.['id'], error: { code: -1, message: 'no form today' } });
    assert.match((await failed).message, /no form today/);
    await settle();
    const cancelled = raw.take().find(({ method }) => method === 'notifications/cancelled');
    assert.equal((cancelled?.['params'] as Json | undefined)?.['requestId'], roots?.['id']);
  });
});

describe('what the protocol does not know', () => {
  for (const { down, up } of pairs) {
    it(`passes between a client at ${down} and a server at ${up}`, async (t) => {
      const upstream = scriptedUpstream({
        up,
        answers: {
          'x.example/do': { did: { deep: [null] }, _meta: { own: 1 } },
          'x.example/fail': (sent, peer) => peer.refuse(sent, { code: -32001, message: 'no', data: [1] }),
        },
      });
      const raw = await open(await bridgeTo(t, upstream), down);
      const params = { what: { deep: [true] }, uri: 1 };
      const { did, _meta: meta } = await raw.result('x.example/do', params);
      assert.deepEqual(did, { deep: [null] });
      assert.equal((meta as Json)['own'], 1);
      const { _meta: _, ...sent } = paramsSent(upstream, 'x.example/do');
      assert.deepEqual(sent, params);
      assert.deepEqual(await raw.error('x.example/fail'), { code: -32001, message: 'no', data: [1] });
      assert.equal((await raw.error('x.example/unknown')).code, -32601);
    });
  }
});

describe('what a stateless server lets be kept', () => {
  it('is kept for a session as long as it may be, and until the server says that it changed', async (t) => {
    const lists = (): number => upstream.sent.filter(({ message }) => message['method'] === 'prompts/list').length;
    const upstream = scriptedUpstream({
      up: statelessDate,
      capabilities: { prompts: { listChanged: true } },
      answers: {
        'prompts/list': { prompts: [], ttlMs: 60_000 },
        'subscriptions/listen': (sent, peer) => {
          const meta = { 'io.modelcontextprotocol/subscriptionId': sent.message['id'] };
          const notifications = { promptsListChanged: true };
          const method = 'notifications/subscriptions/acknowledged';
          peer.send({ jsonrpc: '2.0', method, params: { notifications, _meta: meta } });
          change = () =>
            peer.send({ jsonrpc: '2.0', method: 'notifications/prompts/list_changed', params: { _meta: meta } });
        },
      },
    });
    let change!: () => void;
    const bridge = await bridgeTo(t, upstream);
    const raw = await open(bridge, '2025-06-18');
    await settle();
    for (let at = 0; at < 3; at++) await raw.result('prompts/list');
    assert.equal(lists(), 1);
    change();
    await settle();
    assert.deepEqual(raw.methods, ['notifications/prompts/list_changed']);
    for (let at = 0; at < 3; at++) await raw.result('prompts/list');
    assert.equal(lists(), 2);
  });
});

// `"params":{}` in every embedded request, "from us and through the bridge"
describe('a question that a stateless server embeds without params', () => {
  it('has them where the client reads it', async (t) => {
    const inputRequests = { roots: { method: 'roots/list' }, named: { method: 'roots/list', params: { _meta: {} } } };
    const upstream = scriptedUpstream({
      up: statelessDate,
      answers: { 'tools/call': { resultType: 'input_required', inputRequests } },
    });
    const raw = await open(await bridgeTo(t, upstream), statelessDate, { capabilities });
    assert.deepEqual((await raw.result('tools/call', { name: 'any' }))['inputRequests'], {
      roots: { method: 'roots/list', params: {} },
      named: { method: 'roots/list', params: { _meta: {} } },
    });
  });
});
