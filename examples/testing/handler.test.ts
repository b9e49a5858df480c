import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createServer, type ToolContext } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

// It declares the parts of `ctx` that it uses, so that a test passes only these.
function render({ frames }: { readonly frames: number }, ctx: Pick<ToolContext, 'progress'>): string {
  for (let frame = 1; frame <= frames; frame++) ctx.progress(frame, frames);
  return `rendered ${frames} frames`;
}

const server = createServer({ name: 'studio', version: '1.0.0' });
server.tool('render', { input: z.object({ frames: z.int() }) }, render);
server.tool('dry', {}, async () => {
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  return 'dry';
});

test('a handler is a function, which a test can call without a server', () => {
  const progress = mock.fn<ToolContext['progress']>();
  assert.equal(render({ frames: 2 }, { progress }), 'rendered 2 frames');
  assert.equal(progress.mock.callCount(), 2);
});

test('a tool that takes 30 seconds is tested at once', async (t) => {
  // Connect first. It loads modules, which fake timers do not advance.
  const client = await connectInMemory(server);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const called = client.callTool('dry');
  // Now the handler runs and has set its timer.
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(30_000);
  assert.deepEqual((await called).content, [{ type: 'text', text: 'dry' }]);
  await client.close();
});
