import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'reports', version: '1.0.0' });
server.tool('publish', {}, async (_, ctx) => {
  // Asks the client to answer in a task. This works in a plain call and in a task.
  const request = { message: 'Publish?', schema: z.object({ title: z.string() }) };
  const answer = await ctx.elicit(request, { task: { ttlMs: 86_400_000 } });
  return answer.action === 'accept' ? `published ${answer.content.title}` : 'not published';
});

// `clientTasks` declares that the client can run tasks. Its handlers stay the same.
const client = await connectInMemory(server, {
  revision: '2025-11-25',
  onElicit: () => ({ action: 'accept', content: { title: 'Figures' } }),
  clientTasks: { elicitation: true },
});
console.log((await client.callTool('publish')).content);
await client.close();
await server.close();
