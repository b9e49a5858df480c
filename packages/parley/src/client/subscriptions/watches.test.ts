/** The resources that a client asks a server of a session-based version to watch. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { unawaited, type RepeatableOptions } from '../requests/reconnecting.ts';
import { ClientWatches } from './watches.ts';

interface Sent {
  readonly what: string;
  readonly options: RepeatableOptions;
  settle(error?: Error): Promise<void>;
}

/** Watches whose requests the test answers. */
function watching() {
  const sent: Sent[] = [];
  const warnings: string[] = [];
  const request = (
    method: string,
    { uri }: Readonly<Record<string, unknown>>,
    options: RepeatableOptions,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      const what = `${method.slice('resources/'.length)} ${String(uri)}`;
      sent.push({ what, options, settle: (error) => (error === undefined ? resolve() : reject(error), settle()) });
    });
  const watches = new ClientWatches({ request, warn: (message) => void warnings.push(message) });
  const answer = async (...errors: readonly (Error | undefined)[]): Promise<readonly string[]> => {
    const taken = sent.splice(0);
    for (const [at, one] of taken.entries()) await one.settle(errors[at]);
    return taken.map(({ what }) => what);
  };
  return { watches, request, sent, warnings, answer };
}

const refused = new McpError('invalidParams', 'no such resource');
const busy = new McpError('busy', 'later');
const closed = new ConnectionError('closed', 'x');
const late = new ConnectionError('timeout', 'x');

test('a resource is watched once however many want it, until nobody does', async () => {
  const { watches, answer } = watching();
  const held = Promise.all([watches.hold(['a:b']), watches.hold(['a:b'])]);
  await settle();
  assert.deepEqual(await answer(), ['subscribe a:b']);
  await held;
  assert.equal(watches.has('a:b'), true);
  await watches.release(['a:b'], true);
  assert.deepEqual([await answer(), watches.has('a:b')], [[], true]);
  const released = watches.release(['a:b'], true);
  await settle();
  assert.deepEqual(await answer(), ['unsubscribe a:b']);
  await released;
  assert.equal(watches.has('a:b'), false);
});

test('16 resources are asked for at once', async () => {
  const { watches, answer } = watching();
  const uris = Array.from({ length: 17 }, (_, at) => `a:${at}`);
  const held = watches.hold(uris);
  await settle();
  assert.equal((await answer()).length, 16);
  assert.deepEqual(await answer(), ['subscribe a:16']);
  await held;
});

test('a resource that the server refuses is left out with a warning', async () => {
  const { watches, answer, warnings } = watching();
  const held = watches.hold(['a:b', 'a:c']);
  await settle();
  await answer(refused);
  await held;
  assert.deepEqual([watches.has('a:b'), watches.has('a:c')], [false, true]);
  assert.deepEqual(warnings, ['the server would not watch a:b']);
});

test('a resource that could not be let go of is a warning, unless its connection ended', async () => {
  for (const [error, warning] of [
    [late, 'a resource may still be watched: a:b'],
    [refused, 'the server would not let go of a:b'],
    [closed, undefined],
  ] as const) {
    const { watches, answer, warnings } = watching();
    const held = watches.hold(['a:b']);
    await settle();
    await answer();
    await held;
    const released = watches.release(['a:b'], true);
    await settle();
    await answer(error);
    await released;
    assert.deepEqual(warnings, warning === undefined ? [] : [warning]);
    assert.equal(watches.has('a:b'), false);
  }
});

test('a request that nobody waits for is sent as such', async () => {
  const { watches, answer, sent } = watching();
  const held = watches.hold(['a:b']);
  await settle();
  await answer();
  await held;
  void watches.release(['a:b'], false);
  await settle();
  assert.equal(sent[0]?.options, unawaited);
});

test('a resource that is no longer wanted is not asked for any more, and let go of where it may be watched', async () => {
  const { watches, answer, sent } = watching();
  const held = assert.rejects(watches.hold(['a:b']), closed);
  await settle();
  const [asking] = sent;
  assert.equal(asking?.options.signal?.aborted, false);
  const released = watches.release(['a:b'], true);
  assert.equal(asking?.options.signal?.aborted, true);
  await answer(closed);
  await held;
  await released;
  assert.deepEqual(await answer(), []);
  const again = assert.rejects(watches.hold(['a:b']), late);
  await settle();
  await answer(late);
  await again;
  assert.equal(watches.has('a:b'), false);
  const unheld = watches.release(['a:b'], true);
  await settle();
  assert.deepEqual(await answer(), ['unsubscribe a:b']);
  await unheld;
});

test('a new connection is told of what is wanted, and gives what it may watch later', async () => {
  const { watches, answer, request, warnings } = watching();
  const held = watches.hold(['a:b', 'a:c', 'a:d', 'a:e']);
  await settle();
  await answer();
  await held;
  watches.forget(['a:e']);
  const restored = watches.restore((...given) => request(...given));
  await settle();
  assert.equal(watches.has('a:b'), false);
  assert.deepEqual(await answer(undefined, busy, refused), ['subscribe a:b', 'subscribe a:c', 'subscribe a:d']);
  assert.deepEqual(await restored, ['a:c']);
  assert.deepEqual(
    ['a:b', 'a:c', 'a:d', 'a:e'].map((uri) => watches.has(uri)),
    [true, false, false, false],
  );
  assert.deepEqual(warnings, ['a resource could not be watched again for now: a:c', 'the server would not watch a:d']);
});

test('a refusal that may pass is one for good the last time', async () => {
  const { watches, answer, request, warnings } = watching();
  const held = watches.hold(['a:b']);
  await settle();
  await answer();
  await held;
  const restored = watches.restore(request);
  await settle();
  await answer(busy);
  assert.deepEqual(await restored, ['a:b']);
  const again = watches.again(['a:b'], request, true);
  await settle();
  await answer(busy);
  assert.deepEqual(await again, []);
  assert.equal(warnings.at(-1), 'the server would not watch a:b');
});

test('a resource that is no longer wanted is not asked for on the newest connection, whichever answers last', async () => {
  const { watches, answer, request, sent } = watching();
  const held = watches.hold(['a:b']);
  await settle();
  await answer();
  await held;
  const first = watches.restore((...given) => request(...given));
  await settle();
  const second = watches.restore(request);
  await settle();
  const [old, asking] = sent.splice(0);
  await old?.settle(closed);
  assert.deepEqual(await first, []);
  watches.forget(['a:b']);
  assert.equal(asking?.options.signal?.aborted, true);
  await asking?.settle(closed);
  await second;
});

test('a connection that another one replaced is asked for nothing more, and its failures are no warnings', async () => {
  const { watches, answer, request, warnings, sent } = watching();
  const held = watches.hold(Array.from({ length: 17 }, (_, at) => `a:${at}`));
  await settle();
  await answer();
  await answer();
  await held;
  const first = watches.restore((...given) => request(...given));
  await settle();
  const old = sent.splice(0);
  const second = watches.restore(request);
  await settle();
  for (const one of old) await one.settle(closed);
  assert.deepEqual(await first, []);
  assert.equal((await answer()).length, 16);
  assert.deepEqual(await answer(), ['subscribe a:16']);
  assert.deepEqual([await second, warnings], [[], []]);
});
