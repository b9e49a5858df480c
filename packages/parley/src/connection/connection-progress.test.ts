import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { opened, told, peerOf } from '../../../../test/support/opened-calls.ts';
import { turns } from '../../../../test/support/turns.ts';

describe('progress', () => {
  const progress = (progressToken: unknown, value: unknown = 1, more: object = {}) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, progress: value, ...more },
  });

  it('is asked for with a token of its own beside other keys [C06] [progress-002]', async () => {
    const one = await opened();
    const seen: unknown[] = [];
    const hear = (who: string) => (report: unknown) => void seen.push([who, report]);
    const both = [
      one.calls.call('a', { _meta: { x: 1 } }, { ...told, onProgress: hear('a') }),
      one.calls.call('b', undefined, { ...told, onProgress: hear('b') }),
    ];
    await turns();
    const tokens = one.transport.sent.map(
      ({ message }) => (message['params'] as { _meta: Record<string, unknown> })._meta,
    );
    assert.deepEqual(tokens, [{ x: 1, progressToken: 1 }, { progressToken: 2 }]);
    peerOf(one).send(progress(2, 0.5, { total: 1, message: 'half' }));
    peerOf(one).send(progress(1, 3));
    assert.deepEqual(seen, [
      ['b', { progress: 0.5, total: 1, message: 'half' }],
      ['a', { progress: 3 }],
    ]);
    for (const id of [1, 2]) peerOf(one).send({ jsonrpc: '2.0', id, result: {} });
    await Promise.all(both);
  });

  it('of unknown, finished or malformed tokens is dropped [C93] [progress-005]', async () => {
    const one = await opened((sent, peer) => peer.reply(sent, {}));
    const seen: unknown[] = [];
    await one.calls.call('a', undefined, { ...told, onProgress: (report) => void seen.push(report) });
    for (const token of [1, 2, '1', null, {}]) peerOf(one).send(progress(token));
    assert.deepEqual([seen, one.heard.notifications, one.heard.warnings], [[], [], []]);
  });

  it('can use a token of the caller, string or integer [progress-001]', async () => {
    const one = await opened();
    const answer = one.calls.call('a', undefined, { ...told, progressToken: 'mine' });
    await turns();
    peerOf(one).send(progress('mine'));
    assert.deepEqual(one.heard.notifications, ['notifications/progress']);
    await assert.rejects(one.calls.call('b', undefined, { ...told, progressToken: 'mine' }), TypeError);
    await assert.rejects(one.calls.call('b', undefined, { ...told, progressToken: 1.5 }), TypeError);
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    await answer;
  });
});
