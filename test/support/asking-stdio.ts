/** A server on stdio whose tool logs, and asks. */

import { createServer } from '../../packages/parley/src/server.ts';
import { serveStdio } from '../../packages/parley/src/stdio.ts';

const server = createServer({ name: 'asking', version: '1.0.0' });
server.tool('ask', {}, async (_, ctx) => {
  ctx.log('info', 'hello');
  const schema = { type: 'object', properties: { name: { type: 'string' } } } as const;
  const { action } = await ctx.elicit({ message: 'who?', schema });
  return action;
});
serveStdio(server);
