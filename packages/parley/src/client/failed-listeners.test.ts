import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, mock, test } from 'node:test';
import { connect } from '../client.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import { createServer } from '../server/server.ts';
import type { ConnectOptions } from './api/options.ts';

/** Has every listener of a client called at least once, each of which gives what `listener` does. */
async function called(revision: string, listener: () => never, options: ConnectOptions): Promise<void> {
  const server = createServer({ name: 's', version: '1' });
  server.tool('say', {}, (_args, ctx) => {
    ctx.progress(1);
    ctx.log('error', 'x');
    return 'said';
  });
  const client = await connect(memoryTransport(server), {
    revisions: [revision],
    onNotification: listener,
    onLog: listener,
    onProgress: listener,
    ...options,
  });
  await client.subscribe({ tools: true }, listener);
  await client.callTool('say', {}, { onProgress: listener, logLevel: 'debug' });
  let tell = (): void => {};
  const changed = new Promise<void>((resolve) => (tell = resolve));
  await client.subscribe({ tools: true }, () => tell());
  server.tool('more', {}, () => 'x');
  await changed;
  // A promise that rejects is heard of at the end of the turn.
  await setImmediate();
  await client.close();
}

const listeners = ['of a subscription', 'onLog', 'onNotification', 'onProgress'];

function failing(): never {
  throw new Error('mine');
}

const kinds = {
  throws: failing,
  // A listener that is async is one that gives a promise.
  'is async and rejects': (() => Promise.reject(new Error('mine'))) as () => never,
};

for (const [kind, listener] of Object.entries(kinds)) {
  describe(`a listener that ${kind}`, () => {
    for (const revision of ['2025-11-25', '2026-07-28']) {
      test(`is a warning at ${revision}, whatever it listens to`, async () => {
        const told = new Set<string>();
        await called(revision, listener, {
          onWarning: (message, cause) => cause instanceof Error && cause.message === 'mine' && told.add(message),
        });
        const words = [...told].map((message) => /^the listener (.*) threw$/.exec(message)?.[1]);
        assert.deepEqual(
          words.toSorted((one = '', other = '') => (one < other ? -1 : Number(one > other))),
          listeners,
        );
      });
    }

    test('is printed where nobody hears warnings', async () => {
      const lines = mock.method(console, 'error', () => undefined);
      try {
        await called('2025-11-25', listener, {});
        const words = new Set(lines.mock.calls.map(({ arguments: [first] }) => String(first)));
        assert.deepEqual([...words].toSorted(), listeners.map((name) => `the listener ${name} threw:`).toSorted());
      } finally {
        lines.mock.restore();
      }
    });

    test('ends nothing where it is the one of warnings', async () => {
      await called('2025-11-25', listener, { onWarning: listener });
    });
  });
}
