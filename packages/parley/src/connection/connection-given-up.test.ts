import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { opened, told, peerOf } from '../../../../test/support/opened-calls.ts';
import { turns } from '../../../../test/support/turns.ts';

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
      message: 'a was not answered within 50 ms (timeoutMs at scripted stdio)',
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
      { reason: 'timeout', message: 'a was not answered within 120 ms (maxTotalTimeoutMs at scripted stdio)' },
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
