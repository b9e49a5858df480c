import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'notes', version: '1.0.0' });

server.tool('summarize', { input: z.object({ note: z.string() }) }, async ({ note }, ctx) => {
  const { content } = await ctx.sample({
    messages: [{ role: 'user', content: { type: 'text', text: `Summarize in one line: ${note}` } }],
    maxTokens: 100,
  });
  const [block] = [content].flat();
  return block?.type === 'text' ? block.text : 'The model returned no text.';
});

const client = await connectInMemory(server, {
  onSample: () => ({ role: 'assistant', model: 'a-model', content: { type: 'text', text: 'Buy milk.' } }),
});
console.log((await client.callTool('summarize', { note: 'We need milk.' })).content);
await client.close();
