/** What a session-based server asks and logs in a call reaches the client of that call, or nobody. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import { settle, type Json, type Raw } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { until } from '../../../../test/support/turns.ts';
import { casts, twoPeople, type Cast } from '../../../../test/support/two-people.ts';
import { createBridge, type MergedBridge } from '../bridge.ts';
import { metaKey } from '../protocol/meta.ts';
import type { ScriptedKind, ScriptedPeer, ScriptedTransport, SentMessage } from '../testing/scripted.ts';

const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const kinds: readonly ScriptedKind[] = ['stdio', 'http', 'memory'];
const ways = kinds.flatMap((kind) => [false, true].map((isMerged) => [kind, isMerged] as const));

interface Scene {
  readonly upstream: ScriptedTransport;
  readonly ann: Raw;
  readonly bob: Raw;
  readonly warnings: readonly string[];
  /** Calls of `slow` that run, with the server that has them. */
  readonly slow: readonly (readonly [SentMessage, ScriptedPeer])[];
  /** Answers of clients to questions of the server, by conversation. */
  readonly answers: readonly (readonly [conversation: number, answer: unknown])[];
}

const question = (id: string): Json => ({
  jsonrpc: '2.0',
  id,
  method: 'elicitation/create',
  params: { message: `transfer 500 from the account of ${id}?`, requestedSchema: { type: 'object', properties: {} } },
});

const log = (data: string): Json => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data },
});

/** A server whose tool `pay` logs and asks, and whose tool `slow` waits. */
async function scene(t: TestContext, kind: ScriptedKind, cast: Cast, isMerged = false): Promise<Scene> {
  const slow: (readonly [SentMessage, ScriptedPeer])[] = [];
  const answers: (readonly [number, unknown])[] = [];
  const paying = new Map<string, SentMessage>();
  const upstream = scriptedUpstream({
    up: '2025-11-25',
    kind,
    answers: {
      'tools/list': { tools: ['pay', 'slow'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
      'tools/call': (sent, peer) => {
        const { name, arguments: given } = sent.message['params'] as Json;
        if (name === 'slow') return void slow.push([sent, peer]);
        if (name === 'list') return peer.reply(sent, { content: [] });
        const id = String(Object(given)['of']);
        paying.set(id, sent);
        peer.send(log(`secret of ${id}`));
        peer.send(question(id));
      },
      undefined: ({ message, conversation }, peer) => {
        answers.push([conversation, message['result'] ?? message['error']]);
        const sent = paying.get(String(message['id']));
        const text = JSON.stringify(message['result']);
        if (sent !== undefined) peer.reply(sent, { content: [{ type: 'text', text }] });
      },
    },
  });
  const warnings: string[] = [];
  const bridge = await (isMerged ? mergedTo(t, { upstream }, warnings) : bridgeTo(t, upstream, { warnings }));
  const meta = { [metaKey.logLevel]: 'debug' };
  const [ann, bob] = await twoPeople(bridge, cast, { capabilities, meta });
  return { upstream, ann, bob, warnings, slow, answers };
}

/** Puts one bridge before several servers. */
async function mergedTo(
  t: TestContext,
  upstreams: Readonly<Record<string, ScriptedTransport>>,
  warnings: string[],
): Promise<MergedBridge> {
  const named = Object.entries(upstreams).map(([name, upstream]) => [name, { upstream }]);
  const onWarning = (message: string): void => void warnings.push(message);
  const bridge = await createBridge({ upstreams: Object.fromEntries(named), onWarning });
  t.after(() => bridge.close());
  return bridge;
}

const pay = (of: string): Json => ({ name: 'pay', arguments: { of } });

/** Accepts what a call asks, and gives the result of the call. */
async function accepted(raw: Raw, params: Json, asked: Json): Promise<Json> {
  const keys = Object.keys(Object(asked['inputRequests']));
  const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: 'accept', content: {} }]));
  return await raw.result('tools/call', { ...params, requestState: asked['requestState'], inputResponses });
}

for (const cast of casts)
  for (const [kind, isMerged] of ways)
    describe(`${cast.title} before ${isMerged ? 'one of several servers' : 'a server'} over ${kind}`, () => {
      it('a question and a log line reach the client of their call alone', async (t) => {
        const { upstream, ann, bob, slow } = await scene(t, kind, cast, isMerged);
        const waiting = bob.result('tools/call', { name: 'slow' });
        await until(() => slow.length === 1);
        const asked = await ann.result('tools/call', pay('ann'));
        assert.match(JSON.stringify(asked), /transfer 500 from the account of ann\?/);
        assert.match(JSON.stringify(await accepted(ann, pay('ann'), asked)), /accept/);
        assert.deepEqual(
          ann.take().map(({ params }) => Object(params)['data']),
          ['secret of ann'],
        );
        assert.deepEqual(bob.methods, []);
        const [[sent, peer] = []] = slow;
        assert.ok(sent !== undefined && peer !== undefined);
        const paid = upstream.sent.find(({ message }) => Object(message['params'])['name'] === 'pay');
        assert.notEqual(paid?.conversation, sent.conversation);
        peer.reply(sent, { content: [] });
        assert.deepEqual((await waiting)['content'], []);
      });

      it('two who pay at once are each asked their own question', async (t) => {
        const { ann, bob } = await scene(t, kind, cast, isMerged);
        const both = await Promise.all([ann.result('tools/call', pay('ann')), bob.result('tools/call', pay('bob'))]);
        assert.match(JSON.stringify(both[0]), /account of ann/);
        assert.match(JSON.stringify(both[1]), /account of bob/);
        for (const [at, raw] of [ann, bob].entries())
          assert.deepEqual(
            raw.take().map(({ params }) => Object(params)['data']),
            [`secret of ${at === 0 ? 'ann' : 'bob'}`],
          );
      });
    });

describe('over HTTP, what comes in the exchange of a call belongs to that call', () => {
  for (const cast of casts)
    it(`where two calls run in one session: ${cast.title}`, async (t) => {
      const calls = new Map<unknown, readonly [SentMessage, ScriptedPeer]>();
      const upstream = scriptedUpstream({
        up: '2026-07-28',
        kind: 'http',
        answers: {
          'tools/call': (sent, peer) => void calls.set(Object(sent.message['params'])['name'], [sent, peer]),
        },
      });
      const bridge = await bridgeTo(t, upstream);
      const meta = { [metaKey.logLevel]: 'debug' };
      const [ann, bob] = await twoPeople(bridge, cast, { meta });
      const both = [ann.result('tools/call', { name: 'ann' }), bob.result('tools/call', { name: 'bob' })];
      await until(() => calls.size === 2);
      const moved = { jsonrpc: '2.0', method: 'notifications/x.example/moved', params: { of: 'ann' } };
      const [sent, peer] = calls.get('ann') ?? [];
      assert.ok(sent !== undefined && peer !== undefined);
      peer.within(sent, log('secret of ann'));
      peer.within(sent, moved);
      peer.send(moved);
      await settle();
      for (const [one, from] of calls.values()) from.reply(one, { resultType: 'complete', content: [] });
      await Promise.all(both);
      assert.deepEqual(ann.methods, ['notifications/message', 'notifications/x.example/moved']);
      assert.deepEqual(bob.methods, []);
    });
});
