import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat, codeOf, connected, handshakes, newest } from '../../../../test/support/asked-client.ts';
import { turns } from '../../../../test/support/turns.ts';
import { McpError } from '../protocol/error.ts';
import type { InputContext } from './api/input-handlers.ts';

describe('a request for a message', () => {
  for (const revision of handshakes) {
    it(`is answered at ${revision} [C94]`, async () => {
      const one = await connected(revision, { onSample: ({ messages }) => `${messages.length} message` });
      const content = { type: 'text', text: '1 message' };
      assert.deepEqual((await one.ask('sampling/createMessage', chat))['result'], {
        role: 'assistant',
        content,
        model: 'unknown',
      });
    });
  }

  it('may be answered in full, and is checked [sampling-026]', async () => {
    const answer = {
      role: 'assistant',
      content: { type: 'text', text: 'x' },
      model: 'm',
      stopReason: 'endTurn',
    } as const;
    const good = await connected(newest, { onSample: () => answer });
    assert.deepEqual((await good.ask('sampling/createMessage', chat))['result'], answer);
    const bad = await connected(newest, { onSample: () => ({ ...answer, model: undefined }) as never });
    assert.equal(codeOf(await bad.ask('sampling/createMessage', chat)), -32603);
  });

  for (const more of [{ tools: [] }, { toolChoice: { mode: 'none' } }]) {
    it(`with ${Object.keys(more).join()} needs that to be declared [A29] [sampling-005] [sampling-007]`, async () => {
      const without = await connected(newest, { onSample: () => assert.fail('the handler ran') });
      assert.equal(codeOf(await without.ask('sampling/createMessage', { ...chat, ...more })), -32602);
      const declared = await connected(newest, { onSample: () => 'x', capabilities: { sampling: { tools: {} } } });
      assert.ok('result' in (await declared.ask('sampling/createMessage', { ...chat, ...more })));
    });
  }

  it('whose tool results are mixed or missing is -32602 [C94] [sampling-010] [sampling-011] [sampling-024]', async () => {
    const one = await connected(newest, {
      onSample: () => assert.fail('the handler ran'),
      capabilities: { sampling: { tools: {} } },
    });
    const use = { role: 'assistant', content: { type: 'tool_use', id: 'a', name: 't', input: {} } };
    const result = { type: 'tool_result', toolUseId: 'a', content: [] };
    const mixed = { role: 'user', content: [result, { type: 'text', text: 'and' }] };
    for (const messages of [[use], [use, mixed], [{ role: 'user', content: result }]])
      assert.equal(codeOf(await one.ask('sampling/createMessage', { ...chat, messages })), -32602);
  });

  it('that the user rejects is -1 [sampling-023]', async () => {
    const one = await connected(newest, {
      onSample() {
        throw new McpError(-1, 'User rejected sampling request');
      },
    });
    const { error } = await one.ask('sampling/createMessage', chat);
    assert.deepEqual(error, { code: -1, message: 'User rejected sampling request' });
  });

  it('whose handler fails is -32603 without a word of why', async () => {
    const one = await connected(newest, { onSample: () => Promise.reject(new Error('key sk-123')) });
    assert.deepEqual((await one.ask('sampling/createMessage', chat))['error'], {
      code: -32603,
      message: 'internal error',
    });
    assert.match(one.warnings.join(), /sk-123/);
  });

  it('that is malformed does not reach the handler', async () => {
    const one = await connected(newest, { onSample: () => assert.fail('the handler ran') });
    assert.equal(codeOf(await one.ask('sampling/createMessage', { messages: 'hi', maxTokens: 1 })), -32602);
  });

  it('is aborted when the server cancels it or the client closes, and gets no answer', async () => {
    const aborted: string[] = [];
    const waiting = (_: unknown, { signal }: InputContext) =>
      new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          aborted.push(signal.reason instanceof Error ? signal.reason.message : String(signal.reason));
          reject(new Error('stopped'));
        }),
      );
    const one = await connected(newest, { onSample: waiting });
    for (const id of ['a', 'b']) one.peer.send({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params: chat });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a', reason: 'enough' } });
    await turns();
    assert.deepEqual(aborted, ['enough']);
    await one.client.close();
    await turns();
    assert.deepEqual(aborted, ['enough', 'the client was closed']);
    assert.deepEqual([one.warnings, one.transport.methods.includes('response')], [[], false]);
  });

  it('is refused while too many others wait', async () => {
    const one = await connected(newest, { onSample: () => new Promise(() => {}) });
    for (let i = 0; i < 100; i++)
      one.peer.send({ jsonrpc: '2.0', id: i, method: 'sampling/createMessage', params: chat });
    assert.equal(codeOf(await one.ask('sampling/createMessage', chat)), -32603);
    assert.deepEqual((await one.ask('ping'))['result'], {});
  });
});
