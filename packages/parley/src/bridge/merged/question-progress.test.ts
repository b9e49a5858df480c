/** Progress of what several servers ask the client of one session. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { frontOf } from '../../../../../test/support/fronted.ts';
import { open } from '../../../../../test/support/raw.ts';
import { paramsSent, scriptedUpstream } from '../../../../../test/support/scripted-upstream.ts';
import { until } from '../../../../../test/support/turns.ts';
import type { ScriptedTransport } from '../../testing/scripted.ts';

/** A server whose tool asks under a token that others have as well. */
function asking(tool: string): ScriptedTransport {
  return scriptedUpstream({
    up: '2025-11-25',
    capabilities: { tools: {} },
    answers: {
      'tools/list': { tools: [{ name: tool, inputSchema: { type: 'object' } }] },
      'tools/call': (_, peer) => {
        const params = { messages: [], maxTokens: 1, _meta: { progressToken: 0 } };
        peer.send({ jsonrpc: '2.0', id: 'question', method: 'sampling/createMessage', params });
      },
    },
  });
}

it('goes to the server that asked, also where another one asks under the same token [progress-002]', async (t) => {
  const servers = { one: asking('one'), other: asking('other') };
  const raw = await open(await frontOf(t, servers), '2025-06-18', { capabilities: { sampling: {} } });
  const tools = ['one', 'other'] as const;
  for (const [at, name] of tools.entries()) {
    void raw.send('tools/call', { name }, name);
    await until(() => raw.heard.length > at);
  }
  const tokens = raw.heard.map(({ message }) => Object(Object(message['params'])['_meta'])['progressToken']);
  assert.equal(new Set(tokens).size, 2, JSON.stringify(tokens));
  for (const [at, name] of tools.entries()) {
    await raw.notify('notifications/progress', { progressToken: tokens[at], progress: at + 1 });
    await until(() => servers[name].methods.includes('notifications/progress'));
  }
  for (const [at, name] of tools.entries()) {
    assert.equal(servers[name].methods.filter((method) => method === 'notifications/progress').length, 1);
    assert.deepEqual(paramsSent(servers[name], 'notifications/progress'), { progressToken: 0, progress: at + 1 });
  }
});
