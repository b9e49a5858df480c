/** A server that asks for roots when a session begins, as a server of files does, before the first call of each client. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import type { Json } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { taskClient } from '../../../../test/support/task-client.ts';
import type { ScriptedPeer, ScriptedTransport } from '../testing/scripted.ts';

const up = '2025-11-25';

/** A server that says in each call what roots its client has. It asks when the session begins, or after it answered a `ping`. */
function serverOfFiles(at: 'notifications/initialized' | 'ping' = 'notifications/initialized'): ScriptedTransport {
  const roots = new Map<number, string>();
  const asking = new Set<number>();
  const ask = (method: string, conversation: number, peer: ScriptedPeer): void => {
    if (method === at && asking.delete(conversation))
      peer.send({ jsonrpc: '2.0', id: `roots ${conversation}`, method: 'roots/list' });
  };
  return scriptedUpstream({
    up,
    kind: 'stdio',
    answers: {
      initialize: (sent, peer) => {
        const { capabilities } = Object(sent.message['params']);
        if (capabilities.roots !== undefined) asking.add(sent.conversation);
        const serverInfo = { name: 'files', version: '1' };
        peer.reply(sent, { protocolVersion: up, capabilities: { tools: {} }, serverInfo });
      },
      'notifications/initialized': ({ conversation }, peer) => ask('notifications/initialized', conversation, peer),
      undefined: ({ message, conversation }) => {
        const { roots: listed = [] } = Object(message['result']);
        roots.set(conversation, listed.map(({ uri }: { readonly uri: string }) => uri).join());
      },
      ping: (sent, peer) => {
        peer.reply(sent, {});
        ask('ping', sent.conversation, peer);
      },
      'tools/list': { tools: [{ name: 'roots', inputSchema: { type: 'object' } }] },
      'tools/call': (sent, peer) =>
        peer.reply(sent, { content: [{ type: 'text', text: roots.get(sent.conversation) ?? 'none' }] }),
    },
  });
}

for (const [revision, at] of [
  ['2024-11-05', 'notifications/initialized'],
  ['2025-06-18', 'notifications/initialized'],
  ['2025-11-25', 'notifications/initialized'],
  ['2025-11-25', 'ping'],
] as const)
  it(`has the roots of its own client in the first call of ${revision}, if it asks after ${at}`, async (t) => {
    const bridge = await bridgeTo(t, serverOfFiles(at));
    const texts = await Promise.all(
      ['file:///ann', 'file:///bob'].map(async (uri) => {
        const answer = (): Json => ({ roots: [{ uri }] });
        const client = await taskClient(bridge, { revision, capabilities: { roots: {} }, answer });
        return (await client.ask('tools/call', { name: 'roots' }))['content'];
      }),
    );
    assert.deepEqual(texts, [[{ type: 'text', text: 'file:///ann' }], [{ type: 'text', text: 'file:///bob' }]]);
  });

it('serves a client that never says what its roots are', async (t) => {
  const bridge = await bridgeTo(t, serverOfFiles());
  const answer = (): Json => ({ code: -32603, message: 'not today' });
  const client = await taskClient(bridge, { revision: up, capabilities: { roots: {} }, answer });
  assert.deepEqual((await client.ask('tools/call', { name: 'roots' }))['content'], [{ type: 'text', text: '' }]);
});
