import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { content, recovering, stateless } from '../../../../test/support/recovering.ts';
import { until } from '../../../../test/support/turns.ts';

describe('a remembered server', () => {
  it('is not asked what it speaks once one of several requests was answered', async () => {
    const first = await recovering(() => undefined, { revision: stateless });
    const waiting: (() => void)[] = [];
    const one = await recovering(
      (sent, peer) => {
        if (sent.message['method'] === 'prompts/list') peer.reply(sent, content);
        else waiting.push(() => peer.refuse(sent, { code: -32602, message: 'unknown tool' }));
      },
      { revision: stateless, options: { negotiated: first.client.negotiated } },
    );
    const call = assert.rejects(one.client.callTool('x'), { kind: 'invalidParams' });
    await one.client.listPrompts();
    for (const refuse of waiting) refuse();
    await call;
    assert.deepEqual(one.said(1), ['tools/call', 'prompts/list']);
    assert.deepEqual(one.transport.closed, []);
  });

  it('goes on with what runs when the first answer is an error and it is what was remembered', async () => {
    const first = await recovering(() => undefined, { revision: stateless });
    const waiting: (() => void)[] = [];
    const one = await recovering(
      (sent, peer) => {
        const { method } = sent.message;
        if (method === 'prompts/list') peer.refuse(sent, { code: -32602, message: 'wrong cursor' });
        else if (method === 'server/discover')
          peer.reply(sent, { ...content, supportedVersions: [stateless], capabilities: {} });
        else waiting.push(() => peer.reply(sent, content));
      },
      { revision: stateless, options: { negotiated: first.client.negotiated } },
    );
    const call = one.client.callTool('x');
    await assert.rejects(one.client.listPrompts(), { kind: 'invalidParams' });
    for (const reply of waiting) reply();
    assert.deepEqual((await call).content, []);
    assert.deepEqual(one.said(1), ['tools/call', 'prompts/list', 'server/discover']);
    assert.deepEqual(one.transport.closed, []);
  });

  it('that does not say in probeTimeoutMs whether it is what was remembered is connected to anew', async (t) => {
    const first = await recovering(() => undefined, { revision: stateless });
    const one = await recovering(
      (sent, peer) => {
        if (sent.message['method'] === 'prompts/list' && sent.conversation === 1)
          peer.refuse(sent, { code: -32602, message: 'wrong cursor' });
      },
      { revision: stateless, options: { negotiated: first.client.negotiated, probeTimeoutMs: 500 } },
    );
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const call = assert.rejects(one.client.callTool('x'), { reason: 'closed' });
    void one.client.listPrompts().catch(() => undefined);
    await until(() => one.said(1).includes('server/discover'));
    t.mock.timers.tick(500);
    await call;
    await until(() => one.said(2).includes('server/discover'));
    await one.client.close();
  });
});
