import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createServer } from '../server/server.ts';
import { connectInMemory } from './pair.ts';

const real = { setTimeout };

/**
 * Puts clocks in place of the real ones as Jest does, which has one for `queueMicrotask` too. They stand still: nothing runs but what a test runs
 * that moves them by no millisecond.
 */
function stopClocks(t: TestContext): void {
  const timers = [
    'setInterval',
    'setImmediate',
    'clearTimeout',
    'clearInterval',
    'clearImmediate',
    'queueMicrotask',
  ] as const;
  for (const name of timers) t.mock.method(globalThis, name, () => 0);
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => (ms === 0 ? real.setTimeout(run, 0) : 0));
  for (const clock of [performance, Date]) t.mock.method(clock, 'now', () => 0);
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test(`a pair in memory speaks on by ${revision} while all clocks of a test stand still`, async (t) => {
    const server = createServer({ name: 'pair', version: '1.0.0' });
    const schema = { type: 'object', properties: { name: { type: 'string' } } } as const;
    server.tool('greet', {}, async (_, ctx) => {
      ctx.progress(1);
      const answer = await ctx.elicit({ message: 'who?', schema });
      return answer.action;
    });
    server.resource('x://a', { name: 'a' }, () => 'text');
    const client = await connectInMemory(server, {
      revision,
      onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }),
    });
    stopClocks(t);
    assert.deepEqual((await client.callTool('greet')).content, [{ type: 'text', text: 'accept' }]);
    const heard = await new Promise((resolve) => {
      void client.subscribe({ updates: ['x://a'] }, resolve).then(() => server.resourceUpdated('x://a'));
    });
    assert.deepEqual(heard, { type: 'update', uri: 'x://a' });
    await client.close();
    t.mock.restoreAll();
    await server.close();
  });
}
