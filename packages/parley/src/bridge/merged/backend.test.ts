/** The place of one server in a merged bridge, from its first attempt to its end. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { Backend } from './backend.ts';

const { signal } = new AbortController();
const lost = new McpError('internalError', 'lost', { cause: new ConnectionError('closed', 'the connection is lost') });

/** A slot with a clock of the test. Each attempt to open and to reach its server is settled by the test. */
function slotOf(t: TestContext, serverTimeoutMs = 100) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const log: string[] = [];
  const attempts: { readonly succeed: () => void; readonly fail: (error: Error) => void }[] = [];
  const attempt = <T>(kind: string, value: T): Promise<T> => {
    log.push(kind);
    return new Promise((resolve, reject) => attempts.push({ succeed: () => resolve(value), fail: reject }));
  };
  const single = {
    facts: { description: 'd' },
    reach: () => attempt('reach', undefined),
    close: async () => void log.push('close'),
  } as never;
  const backend = new Backend({
    name: 'n',
    label: 'n',
    serverTimeoutMs,
    open: () => attempt('open', single),
    onJoin: (_, first) => log.push(first ? 'joined' : 'joined again'),
    onWarning: (message) => log.push(message),
    random: () => 0,
  });
  const next = async (settled: 'succeed' | Error): Promise<void> => {
    const [one] = attempts.splice(0, 1);
    if (settled === 'succeed') one?.succeed();
    else one?.fail(settled);
    await settle();
  };
  const tick = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await settle();
  };
  const took = (): readonly string[] => log.splice(0);
  const joined = async (): Promise<void> => {
    void backend.start();
    await next('succeed');
    assert.deepEqual(took(), ['open', 'joined']);
  };
  return { backend, next, tick, took, joined, attempts };
}

const missing = (why: string): string => `n cannot be reached, and its part is missing until it is: ${why}`;

test('a server is tried again after 1 second, 2 seconds, 4 seconds, until it is there', async (t) => {
  const { backend, next, tick, took } = slotOf(t);
  const first = backend.start();
  assert.notEqual(backend.arriving, undefined);
  assert.deepEqual([backend.absent, backend.standing.state], [true, 'connecting']);
  const failed = assert.rejects(first, /down/);
  await next(new ConnectionError('refused', 'down'));
  await failed;
  assert.equal(backend.arriving, undefined);
  assert.deepEqual(took(), ['open', missing('down')]);
  assert.deepEqual([backend.standing.state, backend.standing.failure], ['failing', 'down']);
  await assert.rejects(backend.present(signal), /"n" cannot be reached: the server cannot be reached/);
  for (const ms of [1_000, 2_000, 4_000]) {
    await tick(ms - 1);
    assert.deepEqual(took(), []);
    await tick(1);
    assert.deepEqual(took(), ['open']);
    if (ms < 4_000) await next(new ConnectionError('refused', 'down'));
  }
  await next('succeed');
  assert.deepEqual(took(), ['joined']);
  assert.deepEqual([backend.absent, backend.standing.state, backend.standing.failure], [false, 'ready', undefined]);
  assert.equal(await backend.present(signal), backend.single);
});

test('a request for a server that starts waits for it', async (t) => {
  const { backend, next } = slotOf(t);
  void backend.start();
  const there = backend.present(signal);
  const stop = new AbortController();
  const aborted = assert.rejects(backend.present(stop.signal), /no longer/);
  stop.abort(new Error('no longer'));
  await aborted;
  await next('succeed');
  assert.equal(await there, backend.single);
});

test('a request for a server that starts waits no longer than the patience lasts', async (t) => {
  const { backend, tick } = slotOf(t, 100);
  void backend.start();
  const late = assert.rejects(backend.present(signal), /"n" cannot be reached: it is not connected yet/);
  await tick(100);
  await late;
});

test('the first attempt is waited for no longer than the patience lasts', async (t) => {
  const { backend, tick } = slotOf(t, 100);
  void backend.start();
  await tick(99);
  assert.notEqual(backend.arriving, undefined);
  await tick(1);
  assert.equal(backend.arriving, undefined);
});

test('a refusal is told once for each method, and hides nothing of the server', async (t) => {
  const { backend, joined, took } = slotOf(t);
  await joined();
  const refused = new McpError('internalError', 'no list');
  for (const what of ['tools/list', 'tools/list', 'prompts/list'])
    assert.equal(await backend.failed(refused, what), false);
  const told = (what: string) => `n: ${what} failed, and its part is missing: no list`;
  assert.deepEqual(took(), [told('tools/list'), told('prompts/list')]);
  assert.equal(backend.absent, false);
});

test('a lost connection of one client says nothing of a server that answers', async (t) => {
  const { backend, joined, next, took } = slotOf(t);
  await joined();
  const both = Promise.all([backend.failed(lost, 'tools/list'), backend.failed(lost, 'prompts/list')]);
  await next('succeed');
  assert.deepEqual(await both, [true, true]);
  assert.deepEqual(took(), ['reach']);
  const later = backend.failed(lost, 'tools/list');
  await next('succeed');
  assert.equal(await later, true);
  assert.deepEqual(took(), ['reach']);
  assert.equal(backend.absent, false);
});

test('requests that find a server lost at the same time look for it once', async (t) => {
  const { backend, joined, next, tick, took } = slotOf(t);
  await joined();
  const both = Promise.all([backend.failed(lost, 'tools/list'), backend.failed(lost, 'prompts/list')]);
  await next(new ConnectionError('closed', 'gone'));
  assert.deepEqual(await both, [false, false]);
  assert.deepEqual(took(), ['reach', missing('gone')]);
  await tick(1_000);
  assert.deepEqual(took(), ['reach']);
  await next('succeed');
  assert.deepEqual(took(), ['joined again']);
  await tick(60_000);
  assert.deepEqual(took(), []);
});

test('a lost server is looked for until it answers, each time that it is lost', async (t) => {
  const { backend, joined, next, tick, took } = slotOf(t);
  await joined();
  for (const word of ['joined again', 'joined again']) {
    const failed = backend.failed(lost, 'tools/list');
    await next(new ConnectionError('closed', 'gone'));
    assert.equal(await failed, false);
    assert.deepEqual(took(), ['reach', missing('gone')]);
    assert.deepEqual([backend.absent, backend.standing.state], [true, 'failing']);
    // While it is looked for, another failure changes nothing.
    assert.equal(await backend.failed(lost, 'prompts/list'), false);
    backend.answered();
    await tick(1_000);
    assert.deepEqual(took(), ['reach']);
    await next(new ConnectionError('closed', 'gone'));
    await tick(1_999);
    assert.deepEqual(took(), []);
    await tick(1);
    await next('succeed');
    assert.deepEqual(took(), ['reach', word]);
    assert.equal(backend.absent, false);
    backend.answered();
  }
});

test('a server that does not answer within the patience counts as lost', async (t) => {
  const { backend, joined, tick, took } = slotOf(t, 100);
  await joined();
  const failed = backend.failed(lost, 'tools/list');
  await tick(100);
  assert.equal(await failed, false);
  assert.deepEqual(took(), ['reach', missing('no answer within 100 ms')]);
});

test('a slot that is closed closes its server and tries no more', async (t) => {
  const { backend, joined, next, tick, took } = slotOf(t);
  await joined();
  const failed = backend.failed(lost, 'tools/list');
  await next(new ConnectionError('closed', 'gone'));
  await failed;
  took();
  await backend.close();
  assert.deepEqual(took(), ['close']);
  await tick(60_000);
  assert.deepEqual(took(), []);
});

test('a server that arrives after its slot was closed is closed and never joins', async (t) => {
  const { backend, next, took } = slotOf(t);
  void backend.start();
  const closed = backend.close();
  await next('succeed');
  await closed;
  assert.deepEqual(took(), ['open', 'close']);
  assert.equal(backend.single, undefined);
});

test('a slot that is closed before its server failed warns of nothing', async (t) => {
  const { backend, next, tick, took } = slotOf(t);
  backend.start().catch(() => undefined);
  const closed = backend.close();
  await next(new ConnectionError('refused', 'down'));
  await closed;
  await tick(60_000);
  assert.deepEqual(took(), ['open']);
});
