/** Programs that tests start in processes of their own. */

import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { spawn, type SpawnOptions } from '../../packages/parley/src/transports/stdio/client/transport.ts';

const cache = process.env['NODE_COMPILE_CACHE'];

/** Variables with which a program of Node starts quickly: there Node keeps what it compiled. */
export const quickly: Readonly<Record<string, string>> = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };

/** A transport to a server that Node runs. A client passes few variables on to a server, and not these. */
export function spawnNode(argv: readonly string[], options: SpawnOptions = {}): Transport {
  return spawn(process.execPath, argv, { ...options, env: { ...quickly, ...options.env } });
}
