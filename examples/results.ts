import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer(
  { name: 'studio', version: '2.1.0', title: 'The studio', websiteUrl: 'https://studio.example.com' },
  { instructions: 'Look for a drawing before you make a new one.' },
);
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==';

// Content blocks. Images and audio are base64. A link names a resource that the client can read.
server.tool('draw', { input: z.object({ what: z.string() }) }, ({ what }) => [
  { type: 'text', text: `Here is ${what}.` },
  { type: 'image', data: pixel, mimeType: 'image/png', annotations: { audience: ['user'] } },
  { type: 'resource_link', uri: 'studio://drawings/1', name: 'drawing', mimeType: 'image/png' },
]);

// With `output`, Parley validates the returned value and sends it as structured content. Older clients read its text.
const output = z.object({ width: z.int(), height: z.int() });
server.tool('measure', { output, annotations: { readOnlyHint: true } }, () => ({ width: 1, height: 1 }));

// Parley encodes bytes as base64.
server.resource('studio://drawings/1', { name: 'drawing', mimeType: 'image/png' }, () => Buffer.from(pixel, 'base64'));

const client = await connectInMemory(server);
console.log((await client.callTool('draw', { what: 'a dot' })).content.map(({ type }) => type));
console.log((await client.callTool('measure')).structuredContent);
const [drawing] = (await client.readResource('studio://drawings/1')).contents;
console.log(drawing?.mimeType, client.instructions);
await client.close();
