import { createServer, ToolError } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer(
  { name: 'studio', version: '2.1.0', title: 'The studio', websiteUrl: 'https://studio.example.com' },
  { instructions: 'Look a picture up before you draw it anew.' },
);
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==';

// Content blocks, where a text is not enough: pictures and sounds are base64, a link names a resource, which the client may read.
server.tool('draw', { input: z.object({ what: z.string() }) }, ({ what }) => [
  { type: 'text', text: `here is ${what}` },
  { type: 'image', data: pixel, mimeType: 'image/png', annotations: { audience: ['user'] } },
  { type: 'resource_link', uri: 'studio://drawings/1', name: 'the drawing', mimeType: 'image/png' },
]);

// With `output` the handler gives a value: it is checked, and goes as structured content, and as text to clients that know no such thing.
const output = z.object({ width: z.int(), height: z.int() });
server.tool('measure', { output, annotations: { readOnlyHint: true } }, () => ({ width: 1, height: 1 }));

// Says how far it is, stops when its client gives up, and fails in words that the model reads.
server.tool('render', { input: z.object({ frames: z.int().min(1) }) }, async ({ frames }, ctx) => {
  for (let frame = 1; frame <= frames; frame++) {
    ctx.signal.throwIfAborted();
    if (frame > 3) throw new ToolError('this studio renders three frames at most');
    ctx.progress(frame, frames, `frame ${frame}`);
  }
  return `rendered ${frames} frames`;
});

// Bytes go as base64; a whole result has what only it can say.
server.resource('studio://drawings/1', { name: 'a drawing', mimeType: 'image/png' }, () =>
  Buffer.from(pixel, 'base64'),
);

const client = await connectInMemory(server);
console.log((await client.callTool('draw', { what: 'a dot' })).content.map(({ type }) => type));
console.log((await client.callTool('measure')).structuredContent);
const onProgress = ({ progress, total }: { progress: number; total?: number }) =>
  console.log(`${progress} of ${total}`);
console.log(await client.callTool('render', { frames: 2 }, { onProgress }));
console.log((await client.callTool('render', { frames: 4 })).isError);
const [drawing] = (await client.readResource('studio://drawings/1')).contents;
console.log(drawing?.mimeType, client.instructions);
await client.close();
