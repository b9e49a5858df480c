/** A server whose tool asks its client for tasks; run as a program it serves stdio. */

import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { serveStdio } from '../../packages/parley/src/stdio.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** Adds a tool that asks the user and the model, each by a task of the client. */
export function askingServer(server: Server, task: 'optional' | 'required' = 'optional'): void {
  server.tool('ask', { task }, async (_, ctx) => {
    const wish = { task: { ttlMs: 600_000 } };
    const named = await ctx.elicit({ message: 'Name?', schema }, wish);
    const { content } = await ctx.sample(
      { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 9 },
      wish,
    );
    return JSON.stringify([named, content]);
  });
}

if (import.meta.main) {
  const server = createServer({ name: 's', version: '1' });
  askingServer(server);
  serveStdio(server);
}
