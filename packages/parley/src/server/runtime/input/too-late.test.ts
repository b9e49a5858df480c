import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, statelessDate } from '../../../../../../test/support/raw.ts';
import type { ToolContext } from '../../definition/tool-context.ts';
import { createServer } from '../../server.ts';

const late = { message: /^roots\/list was not asked: the request that it belongs to is over$/ };

for (const date of [statelessDate, '2025-11-25'] as const) {
  test(`a question after its handler returned is said not to be asked, at ${date}`, async () => {
    const server = createServer({ name: 's', version: '1' });
    let kept: ToolContext | undefined;
    server.tool('t', {}, (_, ctx) => {
      kept = ctx;
    });
    const raw = await open(server, date, { capabilities: { roots: {} } });
    await raw.result('tools/call', { name: 't' });
    assert.ok(kept !== undefined);
    await assert.rejects(kept.roots(), late);
    await assert.rejects(kept.roots(), late);
    assert.equal(await kept.once('effect', () => 'ran'), 'ran');
  });
}

test('a question that its handler does not wait for is said not to be asked', async () => {
  const server = createServer({ name: 's', version: '1' });
  let asked: Promise<unknown> | undefined;
  server.tool('t', {}, (_, ctx) => {
    asked = ctx.roots();
    return 'done';
  });
  const raw = await open(server, statelessDate, { capabilities: { roots: {} } });
  assert.partialDeepStrictEqual(await raw.result('tools/call', { name: 't' }), { resultType: 'complete' });
  assert.ok(asked !== undefined);
  await assert.rejects(asked, late);
});
