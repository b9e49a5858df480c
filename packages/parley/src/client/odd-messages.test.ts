/** Messages of a server that nobody waits for: each is a warning, and the client goes on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connected, handshake, stateless, text } from '../../../../test/support/connected-client.ts';
import { settle } from '../../../../test/support/raw.ts';

test('a change that no stream asked for is passed on with a warning in the stateless version alone', async (t) => {
  for (const revision of [stateless, handshake]) {
    const heard: string[] = [];
    const options = { onNotification: (method: string) => void heard.push(method) };
    const { client, peer, warnings } = await connected(() => {}, { revision, options });
    t.after(() => client.close());
    const before = warnings.length;
    peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await settle();
    assert.deepEqual(heard, ['notifications/tools/list_changed']);
    assert.deepEqual(
      warnings
        .slice(before)
        .filter((warning) => /an unsolicited notification came: .*tools\/list_changed/.test(warning)).length,
      revision === stateless ? 1 : 0,
    );
  }
});

test('a malformed message is ignored with a warning, and the call beside it is answered', async (t) => {
  const one = await connected((sent, peer) => {
    if (sent.message['method'] !== 'tools/call') return;
    for (const odd of [{ jsonrpc: '2.0', method: 5 }, 7, null, 'text', []]) peer.send(odd);
    peer.reply(sent, { resultType: 'complete', ...text });
  });
  t.after(() => one.client.close());
  assert.deepEqual((await one.client.callTool('t')).content, text.content);
  assert.equal(
    one.warnings.filter((warning) => warning.startsWith('a malformed message was ignored: ')).length >= 2,
    true,
  );
  assert.equal(one.warnings.includes('an empty batch was ignored'), true);
});

test('a stream that is acknowledged twice is warned of, and stays as it was', async (t) => {
  const one = await connected((sent, peer) => {
    if (sent.message['method'] !== 'subscriptions/listen') return;
    const _meta = { 'io.modelcontextprotocol/subscriptionId': sent.message['id'] };
    for (const notifications of [{ toolsListChanged: true }, {}])
      peer.send({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications, _meta },
      });
  });
  t.after(() => one.client.close());
  await one.client.subscribe({ tools: true }, () => undefined);
  await settle();
  assert.deepEqual(
    one.warnings.filter((warning) => warning.includes('acknowledged twice')),
    ['a subscription was acknowledged twice'],
  );
});
