/** Our server as several processes behind a proxy that hands each request to the next, whoever asks. */

import { once } from 'node:events';
import { join } from 'node:path';
import { roundRobin } from '../../examples/cluster/proxy.ts';
import { missing } from '../../test/support/engines.ts';
import { startNode } from '../../test/support/redis-nodes.ts';
import { startProgram } from './program.ts';

/** What the processes have in common: a Redis, or nothing, and no sessions therefore. */
export type Service = 'shared' | 'alone';

/** Starts three processes; gives the URL of the proxy, and what ends all. */
export async function startService(
  service: Service,
  revisions: readonly string[],
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const reason = service === 'shared' && missing('redis-server');
  if (reason !== false) throw new Error(reason);
  const engine = service === 'shared' ? await startNode() : undefined;
  const words = engine === undefined ? [service] : [service, `redis://127.0.0.1:${engine.port}`];
  const program = join(import.meta.dirname, '../parley/serve-service.ts');
  const processes = await Promise.all(
    [1, 2, 3].map(() => startProgram([process.execPath, program, ...words, ...revisions])),
  );
  const proxy = roundRobin(processes.map(({ url }) => new URL(url))).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: async () => {
      proxy.close();
      proxy.closeAllConnections();
      await Promise.all(processes.map(({ stop }) => stop()));
      await engine?.stop();
    },
  };
}
