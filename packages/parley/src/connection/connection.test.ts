import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { opened, told, peerOf } from '../../../../test/support/opened-calls.ts';
import { turns } from '../../../../test/support/turns.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import { McpError } from '../protocol/error.ts';
import { Connection } from './connection.ts';
import { PendingRequest } from './pending.ts';
import { InFlightRequests } from './in-flight-requests.ts';
import { metaKey } from '../protocol/meta.ts';
import { revisionOf } from '../protocol/revision.ts';

const revision = revisionOf('2025-11-25');

/** What a stateless revision wants of every request. */
const ofListen = { [metaKey.protocolVersion]: '2026-07-28', [metaKey.clientCapabilities]: {} };

describe('calls', () => {
  it('number their requests from 1 and never again [basic-007]', async () => {
    const { calls, transport } = await opened((sent, peer) => peer.reply(sent, {}));
    await calls.call('a', undefined, told);
    await calls.call('b', { x: 1 }, told);
    assert.deepEqual(
      transport.sent.map(({ message }) => message),
      [
        { jsonrpc: '2.0', id: 1, method: 'a' },
        { jsonrpc: '2.0', id: 2, method: 'b', params: { x: 1 } },
      ],
    );
  });

  it('have their id before anything comes [basic-007]', async () => {
    const one = await opened();
    const { connection } = one.channel;
    const asked = [connection.call('a', undefined, told), connection.call('b', undefined, told)];
    assert.deepEqual(
      asked.map(({ id }) => id),
      [1, 2],
    );
    asked[1]?.settle({ learned: 'elsewhere' });
    assert.deepEqual(await asked[1]?.answer, { learned: 'elsewhere' });
    peerOf(one).send({ jsonrpc: '2.0', id: 2, result: {} });
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    assert.deepEqual(await asked[0]?.answer, {});
    assert.deepEqual([one.heard.warnings, connection.waiting], [[], 0]);
  });

  it('are no more than the end allows', async () => {
    const sent: unknown[] = [];
    const connection = new Connection(
      { role: 'client', maxAsked: 2, send: (message) => void sent.push(message) },
      new InFlightRequests(1),
    );
    const first = connection.call('a', undefined, told);
    connection.call('b', undefined, told);
    assert.throws(() => connection.call('c', undefined, told), { name: 'ConnectionError', reason: 'busy' });
    connection.answered({ jsonrpc: '2.0', id: 1, result: {} });
    await first.answer;
    assert.equal(connection.call('d', undefined, told).id, 3);
    assert.equal(sent.length, 3);
  });

  it('are not all looked at for an error that names none of them', (t) => {
    const connection = new Connection(
      { role: 'client', maxAsked: 1000, send: () => undefined },
      new InFlightRequests(1),
    );
    for (let at = 0; at < 1000; at++) connection.call('a', undefined, told);
    const looks = t.mock.getter(PendingRequest.prototype, 'isListen', () => false);
    connection.answered({ jsonrpc: '2.0', error: { code: -32600, message: 'of which' } });
    assert.ok(looks.mock.callCount() < 10, `${looks.mock.callCount()} looks`);
    assert.equal(connection.waiting, 1000);
  });

  it('get their own answers whatever the order [basic-009]', async () => {
    const one = await opened();
    const first = one.calls.call('a', undefined, told);
    const second = one.calls.call('b', undefined, told);
    await turns();
    peerOf(one).send({ jsonrpc: '2.0', id: 2, result: { is: 'b' } });
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: { is: 'a' } });
    assert.deepEqual([await first, await second], [{ is: 'a' }, { is: 'b' }]);
  });

  it('whose answer was too large to be read fail at once, where it can only be theirs', async () => {
    const one = await opened();
    const tooLarge = new ConnectionError('too-large', 'line is longer than 10 bytes');
    const only = one.calls.call('a', undefined, told);
    await turns();
    peerOf(one).garble(tooLarge);
    await assert.rejects(only, tooLarge);
    assert.deepEqual(one.heard.warnings, []);
  });

  // "A call over stdio whose result is too large never ends while a `listen` is open": "listens not counted"
  it('whose answer was too large fail while something is listened to as well', async () => {
    const one = await opened();
    const listening = one.calls.call('subscriptions/listen', { notifications: {}, _meta: ofListen }, told);
    const only = one.calls.call('a', undefined, told);
    await turns();
    peerOf(one).garble(new ConnectionError('too-large', 'line is longer than 10 bytes'));
    await assert.rejects(only, { reason: 'too-large' });
    const next = one.calls.call('b', undefined, told);
    await turns();
    peerOf(one).send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } });
    await assert.rejects(next, { kind: 'parseError' });
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    assert.deepEqual(await listening, {});
    assert.deepEqual(one.heard.warnings, []);
  });

  it('are not failed by a message that may be the answer of another, or of nobody', async () => {
    const one = await opened();
    const both = [one.calls.call('a', undefined, told), one.calls.call('b', undefined, told)];
    await turns();
    peerOf(one).garble(new ConnectionError('too-large', 'line is longer than 10 bytes'));
    peerOf(one).send({ jsonrpc: '2.0', id: 2, result: {} });
    await both[1];
    peerOf(one).garble(new ConnectionError('invalid-message', 'text is not JSON'));
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    await both[0];
    assert.equal(one.heard.warnings.length, 2);
  });

  it('answered with an error reject with it', async () => {
    const { calls } = await opened((sent, peer) =>
      peer.refuse(sent, { code: -32601, message: 'no such method', data: { a: 1 } }, 404),
    );
    await assert.rejects(calls.call('a', undefined, told), (error: unknown) => {
      assert.ok(error instanceof McpError);
      assert.deepEqual(
        [error.kind, error.code, error.message, error.data, calls.statusOf(error)],
        ['methodNotFound', -32601, 'no such method', { a: 1 }, 404],
      );
      return true;
    });
  });

  it('take the text of their id for it, and no other text', async () => {
    const one = await opened();
    const answer = one.calls.call('a', undefined, told);
    await turns();
    for (const id of ['01', '1.0', ' 1', '0x1', '1e0', ''])
      peerOf(one).send({ jsonrpc: '2.0', id, result: { wrong: true } });
    assert.equal(one.heard.warnings.length, 6);
    peerOf(one).send({ jsonrpc: '2.0', id: '1', result: { right: true } });
    assert.deepEqual(await answer, { right: true });
    assert.equal(one.heard.warnings.length, 6);
  });

  it('ignore repeated answers in silence and answers to nothing with a warning', async () => {
    const one = await opened((sent, peer) => peer.reply(sent, {}));
    await one.calls.call('a', undefined, told);
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    assert.deepEqual(one.heard.warnings, []);
    peerOf(one).send({ jsonrpc: '2.0', id: 2, result: {} });
    assert.match(one.heard.warnings[0] ?? '', /id 2/);
  });

  for (const id of [{ id: null }, {}]) {
    it(`an error with id ${JSON.stringify(id)} fails the only request in flight [basic-010]`, async () => {
      const one = await opened();
      const answer = one.calls.call('a', undefined, told);
      await turns();
      peerOf(one).send({ jsonrpc: '2.0', ...id, error: { code: -32700, message: 'parse error' } });
      await assert.rejects(answer, { kind: 'parseError' });
    });
  }

  it('an error without id is nobody’s where several requests are in flight', async () => {
    const one = await opened();
    const both = [one.calls.call('a', undefined, told), one.calls.call('b', undefined, told)];
    await turns();
    peerOf(one).send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } });
    assert.equal(one.heard.warnings.length, 1);
    peerOf(one).send([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ]);
    assert.deepEqual(await Promise.all(both), [{}, {}]);
  });

  it('an error without id that refuses no message as unreadable fails no request', async () => {
    const one = await opened();
    const answer = one.calls.call('a', undefined, told);
    await turns();
    for (const id of [{ id: null }, {}])
      peerOf(one).send({ jsonrpc: '2.0', ...id, error: { code: -32601, message: 'no such method' } });
    assert.deepEqual(one.heard.warnings, ['an error without an id was ignored: -32601 no such method']);
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    assert.deepEqual(await answer, {});
  });

  it('an error without id on a stream of no request fails no request', async () => {
    const one = await opened(undefined, 'http');
    const answer = one.calls.call('a', undefined, told);
    await turns();
    const error = { code: -32600, message: 'what' };
    peerOf(one).within({ message: { id: null } }, { jsonrpc: '2.0', id: null, error });
    peerOf(one).garble(new ConnectionError('too-large', 'event is longer than 10 bytes'));
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    assert.deepEqual(await answer, {});
    assert.equal(one.heard.warnings.length, 2);
  });

  it('an error without id after a notification fails a request that a later ping overtakes', async () => {
    const one = await opened();
    await one.channel.notify('notifications/initialized', undefined, { revision });
    const answer = one.calls.call('a', undefined, { ...told, revision });
    await turns();
    peerOf(one).send({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'what' } });
    await turns();
    assert.equal(one.transport.sent.at(-1)?.message['method'], 'ping');
    peerOf(one).send({ jsonrpc: '2.0', id: 2, result: {} });
    await assert.rejects(answer, { kind: 'invalidRequest' });
  });

  it('an error without id leads to no ping if no further request may be sent', () => {
    for (const [maxAsked, pings] of [
      [1, 0],
      [2, 1],
    ] as const) {
      const sent: unknown[] = [];
      const connection = new Connection(
        { role: 'client', maxAsked, send: (message) => void sent.push('method' in message && message.method) },
        new InFlightRequests(1),
      );
      void connection.send({ jsonrpc: '2.0', method: 'notifications/initialized' }, revision);
      connection.call('a', undefined, { ...told, revision });
      connection.answered({ jsonrpc: '2.0', error: { code: -32600, message: 'what' } });
      assert.deepEqual([sent.filter((method) => method === 'ping').length, connection.waiting], [pings, 1 + pings]);
      connection.end(new ConnectionError('closed', 'the test is over'));
    }
  });

  it('an error without id after a notification fails no request that is answered before a ping', async () => {
    const one = await opened();
    await one.channel.notify('notifications/initialized', undefined, { revision });
    const answer = one.calls.call('a', undefined, { ...told, revision });
    await turns();
    peerOf(one).send({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'what' } });
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    peerOf(one).send({ jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'no ping' } });
    assert.deepEqual(await answer, {});
    // An answer to a later request shows that the peer has read the notification.
    const next = one.calls.call('b', undefined, { ...told, revision });
    await turns();
    peerOf(one).send({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'what' } });
    await assert.rejects(next, { kind: 'invalidRequest' });
  });

  it('a malformed answer fails its request, not the conversation', async () => {
    const one = await opened();
    const answer = one.calls.call('a', undefined, told);
    await turns();
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: 7 });
    await assert.rejects(answer, { name: 'ConnectionError', reason: 'invalid-message' });
    assert.equal(one.calls.ended, undefined);
  });

  it('a malformed request with the id of a request of ours does not fail ours', async () => {
    const one = await opened();
    const answer = one.calls.call('a', undefined, told);
    await turns();
    peerOf(one).send({ jsonrpc: '2.0', id: 1, method: 5 });
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: { fine: true } });
    assert.deepEqual(await answer, { fine: true });
    assert.equal(one.heard.warnings.length, 1);
  });

  it('nothing that a peer can send throws', async () => {
    const one = await opened();
    for (const value of [
      undefined,
      null,
      1,
      'x',
      [],
      [null],
      {},
      { jsonrpc: '2.0' },
      { jsonrpc: '2.0', method: 'x', id: {} },
      { jsonrpc: '2.0', error: {} },
    ]) {
      peerOf(one).send(value);
    }
    peerOf(one).garble(new Error('not JSON'));
    assert.equal(one.heard.warnings.length, 11);
  });

  it('messages of a batch are taken one by one [basic-019]', async () => {
    const one = await opened();
    peerOf(one).send([
      { jsonrpc: '2.0', method: 'n' },
      { jsonrpc: '2.0', id: 'x', method: 'r' },
    ]);
    assert.deepEqual([one.heard.notifications, one.heard.requests], [['n'], ['r']]);
  });

  it('a listener that throws becomes a warning', async () => {
    const one = await opened();
    peerOf(one).send({ jsonrpc: '2.0', method: 'bad' });
    assert.match(one.heard.warnings[0] ?? '', /bad/);
  });

  it('that cannot be sent reject with what the transport says', async () => {
    const { calls } = await opened((_, peer) => peer.fail(new ConnectionError('http', 'HTTP 500', { status: 500 })));
    await assert.rejects(calls.call('a', undefined, told), { reason: 'http', status: 500 });
  });

  it('in flight reject when the peer goes away, and later ones at once', async () => {
    const one = await opened();
    const answer = one.calls.call('a', undefined, told);
    await turns();
    peerOf(one).end(new ConnectionError('exited', 'the server exited with code 3'));
    await assert.rejects(answer, { reason: 'exited' });
    await assert.rejects(one.calls.call('b', undefined, told), {
      reason: 'exited',
      message: 'the server exited with code 3',
    });
    assert.deepEqual(
      one.heard.closed.map(({ reason }) => reason),
      ['exited'],
    );
    assert.deepEqual(one.transport.methods, ['a']);
  });

  it('in flight reject when the conversation is closed here; closing twice is fine', async () => {
    const one = await opened();
    const answer = one.calls.call('a', undefined, told);
    const rejected = assert.rejects(answer, { reason: 'closed' });
    await turns();
    await one.calls.close();
    await one.calls.close();
    await rejected;
    assert.deepEqual(one.heard.closed, []);
  });
});
