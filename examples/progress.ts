import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'studio', version: '1.0.0' });

server.tool('render', { input: z.object({ frames: z.int().min(1) }) }, async ({ frames }, ctx) => {
  for (let frame = 1; frame <= frames; frame++) {
    // Aborts when the client cancels. Pass it to `fetch` and other functions that accept a signal.
    ctx.signal.throwIfAborted();
    await renderFrame();
    ctx.progress(frame, frames, `frame ${frame}`);
  }
  return `rendered ${frames} frames`;
});

const client = await connectInMemory(server);
const controller = new AbortController();
const onProgress = ({ progress, total }: { readonly progress: number; readonly total?: number }): void => {
  console.log(`${progress} of ${total}`);
  if (total === 1000) controller.abort(new Error('the user pressed Cancel'));
};
console.log((await client.callTool('render', { frames: 2 }, { onProgress })).content);
const cancelled = client.callTool('render', { frames: 1000 }, { onProgress, signal: controller.signal });
console.log(await cancelled.catch((error: Error) => error.message));
await client.close();

/** Stands for work that takes a while. */
function renderFrame(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
