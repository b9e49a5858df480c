import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { ConnectionError, type TransportKind } from '../jsonrpc/transport.ts';
import { McpError } from '../protocol/error.ts';
import { scriptedTransport, type Script, type ScriptedTransport } from '../testing/scripted.ts';
import { Calls, type Inbound } from './calls.ts';

interface Heard {
  readonly warnings: string[];
  readonly notifications: string[];
  readonly requests: string[];
  readonly closed: ConnectionError[];
}

interface Opened {
  readonly calls: Calls;
  readonly transport: ScriptedTransport;
  readonly heard: Heard;
}

async function opened(script: Script = () => {}, kind: TransportKind = 'stdio'): Promise<Opened> {
  const heard: Heard = { warnings: [], notifications: [], requests: [], closed: [] };
  const inbound: Inbound = {
    request: ({ method }) => void heard.requests.push(method),
    notification: ({ method }) => {
      heard.notifications.push(method);
      if (method === 'bad') throw new Error('listener');
    },
    warning: (message) => void heard.warnings.push(message),
    closed: (error) => void heard.closed.push(error),
  };
  const transport = scriptedTransport(kind, script);
  return { calls: await Calls.open(transport, inbound), transport, heard };
}

const told = { tellCancelled: true };

/** Lets everything run that waits for nothing but its turn. */
async function turns(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

function peerOf({ transport }: Opened) {
  const [peer] = transport.peers;
  assert.ok(peer);
  return peer;
}

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

  it('get their own answers whatever the order [basic-009]', async () => {
    const one = await opened();
    const first = one.calls.call('a', undefined, told);
    const second = one.calls.call('b', undefined, told);
    await turns();
    peerOf(one).send({ jsonrpc: '2.0', id: 2, result: { is: 'b' } });
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: { is: 'a' } });
    assert.deepEqual([await first, await second], [{ is: 'a' }, { is: 'b' }]);
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

  it('do not take an id of another type for theirs', async () => {
    const one = await opened();
    const answer = one.calls.call('a', undefined, told);
    await turns();
    peerOf(one).send({ jsonrpc: '2.0', id: '1', result: { wrong: true } });
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: { right: true } });
    assert.deepEqual(await answer, { right: true });
    assert.equal(one.heard.warnings.length, 1);
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

describe('giving a request up', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('by its signal tells the peer which and why [C10] [cancel-012]', async () => {
    const one = await opened();
    const controller = new AbortController();
    const answer = one.calls.call('a', undefined, { ...told, signal: controller.signal });
    const rejected = assert.rejects(answer, { reason: 'aborted', cause: 'enough' });
    await turns();
    controller.abort('enough');
    await rejected;
    await turns();
    assert.deepEqual(one.transport.sent[1]?.message, {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'enough' },
    });
  });

  it('without words says no reason [C12]', async () => {
    const one = await opened();
    const controller = new AbortController();
    const rejected = assert.rejects(one.calls.call('a', undefined, { ...told, signal: controller.signal }), {
      reason: 'aborted',
    });
    await turns();
    controller.abort();
    await rejected;
    await turns();
    assert.deepEqual(one.transport.sent[1]?.message['params'], { requestId: 1 });
  });

  it('before it was sent sends nothing', async () => {
    const { calls, transport } = await opened();
    await assert.rejects(calls.call('a', undefined, { ...told, signal: AbortSignal.abort() }), { reason: 'aborted' });
    assert.deepEqual(transport.methods, []);
  });

  it('makes its late answer be ignored in silence [C11] [cancel-006]', async () => {
    const one = await opened();
    const controller = new AbortController();
    const rejected = assert.rejects(one.calls.call('a', undefined, { ...told, signal: controller.signal }));
    await turns();
    controller.abort();
    await rejected;
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    assert.deepEqual(one.heard.warnings, []);
  });

  it('that must not be cancelled tells the peer nothing [cancel-002]', async () => {
    const one = await opened();
    const rejected = assert.rejects(one.calls.call('a', undefined, { tellCancelled: false, timeoutMs: 10 }), {
      reason: 'timeout',
    });
    await turns();
    mock.timers.tick(10);
    await rejected;
    await turns();
    assert.deepEqual(one.transport.methods, ['a']);
  });

  it('over HTTP ends the exchange', async () => {
    const one = await opened(() => new Promise(() => {}), 'http');
    const controller = new AbortController();
    const rejected = assert.rejects(
      one.calls.call('a', undefined, { tellCancelled: false, signal: controller.signal }),
      { reason: 'aborted' },
    );
    await turns();
    assert.equal(one.transport.sent[0]?.signal?.aborted, false);
    controller.abort();
    await rejected;
    assert.equal(one.transport.sent[0]?.signal?.aborted, true);
    assert.deepEqual(one.transport.methods, ['a']);
  });

  it('happens when no answer came in time, and the peer is told [cancel-018] [lifecycle-020]', async () => {
    const one = await opened();
    const rejected = assert.rejects(one.calls.call('a', undefined, { ...told, timeoutMs: 50 }), {
      reason: 'timeout',
      message: 'a was not answered within 50 ms',
    });
    await turns();
    mock.timers.tick(49);
    await turns();
    assert.deepEqual(one.transport.methods, ['a']);
    mock.timers.tick(1);
    await rejected;
    await turns();
    assert.deepEqual(one.transport.methods, ['a', 'notifications/cancelled']);
  });

  it('is put off by progress, but not past the total limit [cancel-020] [lifecycle-022]', async () => {
    const one = await opened();
    const seen: number[] = [];
    const rejected = assert.rejects(
      one.calls.call('a', undefined, {
        ...told,
        timeoutMs: 50,
        maxTotalTimeoutMs: 120,
        onProgress: ({ progress }) => void seen.push(progress),
      }),
      { reason: 'timeout', message: 'a was not answered within 120 ms' },
    );
    await turns();
    for (const progress of [1, 2]) {
      mock.timers.tick(45);
      peerOf(one).send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress } });
    }
    mock.timers.tick(30);
    await rejected;
    assert.deepEqual(seen, [1, 2]);
  });

  it('never happens without a limit', async () => {
    const one = await opened();
    const answer = one.calls.call('a', undefined, {
      ...told,
      timeoutMs: 0,
      maxTotalTimeoutMs: Number.POSITIVE_INFINITY,
    });
    await turns();
    mock.timers.tick(10 ** 9);
    peerOf(one).send({ jsonrpc: '2.0', id: 1, result: {} });
    assert.deepEqual(await answer, {});
  });

  for (const timeoutMs of [-1, Number.NaN]) {
    it(`refuses a limit of ${timeoutMs}`, async () => {
      const { calls } = await opened();
      await assert.rejects(calls.call('a', undefined, { ...told, timeoutMs }), TypeError);
    });
  }
});

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
