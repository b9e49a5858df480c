/** Log messages of a server that does not declare logging. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import { open, withMeta } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import { until } from '../../../../test/support/turns.ts';
import { metaKey } from '../protocol/meta.ts';

const log = (data: string, level = 'info') => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level, data },
});

/** The bridge to a server that logs in a call, before its answer and after it. */
function chatty(t: test.TestContext) {
  const upstream = scriptedUpstream({
    up: '2025-06-18',
    capabilities: { tools: {} },
    answers: {
      'tools/call': (sent, peer) => {
        peer.send(log('quiet', 'debug'));
        peer.send(log('during'));
        peer.reply(sent, { content: [] });
        peer.send(log('after'));
      },
    },
  });
  return bridgeTo(t, upstream);
}

for (const revision of ['2024-11-05', '2025-11-25'] as const)
  test(`log messages that a server did not declare reach the session: ${revision}`, async (t) => {
    const raw = await open(await chatty(t), revision);
    await raw.result('tools/call', { name: 'a', arguments: {} });
    await until(() => raw.heard.length >= 2);
    assert.deepEqual(
      raw.take().map(({ params }) => Object(params)['data']),
      ['during', 'after'],
    );
    assert.equal((await raw.error('logging/setLevel', { level: 'info' })).code, -32601);
  });

test('a stateless client gets them at the level of its request', async (t) => {
  const raw = await open(await chatty(t), '2026-07-28');
  for (const [logLevel, heard] of [
    ['info', ['during']],
    ['debug', ['quiet', 'during']],
    ['error', []],
  ] as const) {
    const meta = { [metaKey.logLevel]: logLevel };
    await raw.result('tools/call', withMeta({ name: 'a', arguments: {} }, { meta }));
    const got = raw.take().map(({ params }) => Object(params)['data']);
    assert.deepEqual(
      got.filter((data) => data !== 'after'),
      heard,
    );
  }
});
