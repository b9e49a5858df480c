import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'reports', version: '1.0.0' });
server.tool('publish', {}, async (_, ctx) => {
  // The server asks for a task, in a call as in a task of its own.
  const request = { message: 'Publish?', schema: z.object({ title: z.string() }) };
  const answer = await ctx.elicit(request, { task: { ttlMs: 86_400_000 } });
  return answer.action === 'accept' ? `published ${answer.content.title}` : 'not published';
});

// The client says that it hosts tasks. Its handlers are those of plain questions.
const client = await connectInMemory(server, {
  revision: '2025-11-25',
  onElicit: () => ({ action: 'accept', content: { title: 'Figures' } }),
  hostTasks: { elicitation: true },
});
console.log((await client.callTool('publish')).content);
await client.close();
await server.close();
