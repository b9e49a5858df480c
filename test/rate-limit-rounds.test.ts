import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer, inputRequired, type RoundOptions, type Server } from '../packages/parley/src/server.ts';
import { connectInMemory } from '../packages/parley/src/testing.ts';
import { open, statelessDate } from './support/raw.ts';

const schema = { type: 'object', properties: { word: { type: 'string' } } } as const;

/** A server that lets two calls through: its clock stands still. */
function limited(rounds: RoundOptions = {}): Server {
  const server = createServer(
    { name: 's', version: '1' },
    { rounds, rateLimits: { tools: { perSecond: 1, burst: 2 }, now: () => 0 } },
  );
  server.tool('asks', {}, async (_, ctx) => {
    for (const key of ['one', 'two', 'three']) await ctx.elicit({ message: key, schema }, { key });
    return 'done';
  });
  server.tool('by-hand', {}, (_, ctx) => {
    const step = typeof ctx.requestState === 'number' ? ctx.requestState : 0;
    return step === 3 ? 'done' : inputRequired({ requests: { where: { method: 'roots/list' } }, state: step + 1 });
  });
  return server;
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  for (const tool of ['asks', 'by-hand']) {
    test(`a call counts once, not with each of its rounds: ${tool}, ${revision}`, async (t) => {
      const client = await connectInMemory(limited(), {
        revision,
        roots: [],
        onElicit: () => ({ action: 'accept', content: { word: 'x' } }),
      });
      t.after(() => client.close());
      const failed = async (): Promise<boolean> => (await client.callTool(tool)).isError ?? false;
      assert.deepEqual([await failed(), await failed(), await failed()], [false, false, true]);
    });
  }
}

for (const [singleUse, what, failures] of [
  [true, 'does not run again, and counts once', [false, false, false]],
  [false, 'counts as a call of its own where it runs again', [false, false, true]],
] as const)
  test(`a round that is sent again ${what}`, async () => {
    const raw = await open(limited({ singleUse }), statelessDate, { capabilities: { elicitation: {}, roots: {} } });
    const begun = await raw.result('tools/call', { name: 'by-hand' });
    const again = { name: 'by-hand', requestState: begun['requestState'], inputResponses: { where: { roots: [] } } };
    const failed = async (): Promise<unknown> => (await raw.result('tools/call', again))['isError'] ?? false;
    assert.deepEqual([await failed(), await failed(), await failed()], failures);
  });
