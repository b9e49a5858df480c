/** A server for tests of what a handler may do during its call. */

import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import type { ToolContext } from '../../packages/parley/src/server/definition/tool-context.ts';

/** A server whose one tool does what the test says. */
export function served(run: (ctx: ToolContext) => unknown, options = {}): Server {
  const server = createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined, ...options });
  server.tool('run', {}, async (_, ctx) => {
    await run(ctx);
    return 'done';
  });
  return server;
}

export const call = { name: 'run' };
