import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createServer, type Ctx } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

// It says what of `ctx` it uses, so that a test gives that and no more.
function render({ frames }: { readonly frames: number }, ctx: Pick<Ctx, 'progress'>): string {
  for (let frame = 1; frame <= frames; frame++) ctx.progress(frame, frames);
  return `rendered ${frames} frames`;
}

const server = createServer({ name: 'studio', version: '1.0.0' });
server.tool('render', { input: z.object({ frames: z.int() }) }, render);
server.tool('dry', {}, async () => {
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  return 'dry';
});

test('a handler is a function, which is called without a server', () => {
  const progress = mock.fn<Ctx['progress']>();
  assert.equal(render({ frames: 2 }, { progress }), 'rendered 2 frames');
  assert.equal(progress.mock.callCount(), 2);
});

test('what takes half a minute is tested at once', async (t) => {
  // Connects first: it loads what calls need, which no clock of a test moves.
  const client = await connectInMemory(server);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const called = client.callTool('dry');
  // The handler runs by now, and has set its timer.
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(30_000);
  assert.deepEqual((await called).content, [{ type: 'text', text: 'dry' }]);
  await client.close();
});
