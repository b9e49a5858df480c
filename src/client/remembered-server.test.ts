import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { content, recovering, stateless } from '../../test/support/recovering.ts';

describe('a remembered server', () => {
  it('is not asked what it speaks once one of several requests was answered', async () => {
    const first = await recovering(() => undefined, { revision: stateless });
    const waiting: (() => void)[] = [];
    const one = await recovering(
      (sent, peer) => {
        if (sent.message['method'] === 'prompts/list') peer.reply(sent, content);
        else waiting.push(() => peer.refuse(sent, { code: -32602, message: 'unknown tool' }));
      },
      { revision: stateless, options: { prior: first.client.verdict } },
    );
    const call = assert.rejects(one.client.callTool('x'), { kind: 'invalidParams' });
    await one.client.listPrompts();
    for (const refuse of waiting) refuse();
    await call;
    assert.deepEqual(one.said(1), ['tools/call', 'prompts/list']);
    assert.deepEqual(one.transport.closed, []);
  });
});
