/** A server with one tool that never answers. It tells its parent its URL, and each time the tool runs. */

import { listen } from '../../packages/parley/src/node.ts';
import { createServer } from '../../packages/parley/src/server.ts';

const server = createServer({ name: 's', version: '1' });
server.tool('waits', {}, async (_, ctx) => {
  ctx.progress(1, 2);
  process.send?.('runs');
  return await new Promise<string>(() => undefined);
});
const { url } = await listen(server, { port: 0 });
process.send?.(url);
