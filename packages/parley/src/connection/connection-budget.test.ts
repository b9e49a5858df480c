import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { opened, peerOf, told } from '../../../../test/support/opened-calls.ts';
import { turns } from '../../../../test/support/turns.ts';
import { metaKey } from '../protocol/meta.ts';
import { utf8Bytes } from './budget.ts';

/** What a stateless revision wants of every request. */
const ofListen = { [metaKey.protocolVersion]: '2026-07-28', [metaKey.clientCapabilities]: {} };
const three = { ...told, maxNotifications: 3 };

function log(data: string): Readonly<Record<string, unknown>> {
  return { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } };
}

function progress(progressToken: number, at: number): Readonly<Record<string, unknown>> {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: at } };
}

function times(count: number, run: (index: number) => void): void {
  for (let index = 1; index <= count; index++) run(index);
}

describe('a request within which too much comes', () => {
  it('is given up with a typed error, and the server is told', async () => {
    const one = await opened();
    const call = one.calls.call('a', undefined, three);
    await turns();
    times(5, () => peerOf(one).send(log('x')));
    await assert.rejects(call, {
      name: 'ConnectionError',
      reason: 'too-large',
      message: 'a was cancelled: more than 3 notifications came before its answer (option maxNotifications)',
    });
    const cancelled = one.transport.sent.at(-1)?.message;
    assert.partialDeepStrictEqual(cancelled, { method: 'notifications/cancelled', params: { requestId: 1 } });
    // What comes when nobody waits is heard like any other.
    assert.equal(one.heard.notifications.length, 4);
  });

  it('is answered where what came is just not too much', async () => {
    const one = await opened();
    const call = one.calls.call('a', undefined, three);
    await turns();
    times(3, () => peerOf(one).send(log('x')));
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: { is: 'a' } });
    assert.deepEqual(await call, { is: 'a' });
  });

  it('counts questions, pings, answers to nothing and what is malformed', async () => {
    const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' };
    for (const value of [ping, { jsonrpc: '2.0', id: 77, result: {} }, { jsonrpc: '1.0' }, [ping]]) {
      const one = await opened();
      const call = one.calls.call('a', undefined, three);
      await turns();
      times(4, () => peerOf(one).send(value));
      await assert.rejects(call, { reason: 'too-large' });
    }
  });

  it('is the one whose progress is told, where several wait', async () => {
    const one = await opened();
    const heard: number[] = [];
    const onProgress = ({ progress: at }: { readonly progress: number }): void => void heard.push(at);
    const flooded = one.calls.call('a', undefined, { ...three, progressToken: 7, onProgress });
    const other = one.calls.call('b', undefined, three);
    await turns();
    times(9, (index) => peerOf(one).send(progress(7, index)));
    // Nor is it charged to another what comes of the first too late.
    await assert.rejects(flooded, { reason: 'too-large', message: /^a was cancelled/ });
    assert.deepEqual(heard, [1, 2, 3]);
    peerOf(one).send({ jsonrpc: '2.0', id: 2, result: {} });
    await other;
  });

  it('is nobody where it cannot be told which', async () => {
    const one = await opened();
    const both = [one.calls.call('a', undefined, three), one.calls.call('b', undefined, three)];
    await turns();
    times(9, () => peerOf(one).send(log('x')));
    times(2, (id) => peerOf(one).send({ jsonrpc: '2.0', id, result: {} }));
    assert.deepEqual(await Promise.all(both), [{}, {}]);
  });

  it('is no listen request, however much comes on it, nor what waits beside one', async () => {
    const one = await opened();
    const listening = one.calls.call('subscriptions/listen', { notifications: {}, _meta: ofListen }, three);
    const call = one.calls.call('a', undefined, three);
    await turns();
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    times(9, () => peerOf(one).send({ ...changed, params: { _meta: { [metaKey.subscriptionId]: 1 } } }));
    peerOf(one).send({ jsonrpc: '2.0', id: 2, result: {} });
    await call;
    times(9, () => peerOf(one).send(changed));
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    assert.deepEqual(await listening, {});
  });
});

it('bytes are those of UTF-8', () => {
  for (const text of ['', 'abc', 'ä', '€', '😀', 'a😀€ä', '\ud800'])
    assert.equal(utf8Bytes(text), new TextEncoder().encode(text).length + (text === '\ud800' ? -1 : 0));
});
