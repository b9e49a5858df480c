/** A process that is a bridge: its server is another process, which speaks one revision and is reached over a network of its own. */

import type { Fetch } from '../../../packages/parley/src/jsonrpc/fetch.ts';
import { createBridge, type Bridge } from '../../../packages/parley/src/bridge.ts';
import { httpTransport } from '../../../packages/parley/src/http.ts';
import { createHttpHandler, type HttpHandler } from '../../../packages/parley/src/transports/http/server/handler.ts';
import type { Store } from '../../../packages/parley/src/storage/store.ts';
import type { Process } from '../world.ts';
import { knowing, roundMs } from './node.ts';

/** What a bridge is made with beside its way to its server. */
export interface BridgeParts {
  readonly fetch: Fetch;
  /** What its processes share, where there are several. */
  readonly store?: Store | undefined;
  readonly knowsClients: boolean;
  /** Tells its server from those of other schedules: what is remembered of a server is by its URL. */
  readonly seed: number;
}

/** A bridge that serves; it is made when it first listens. */
export class BridgeNode {
  readonly process: Process;
  handler: HttpHandler | undefined;
  draining = false;
  readonly #begun: Promise<Bridge>;

  constructor(process: Process, parts: BridgeParts) {
    this.process = process;
    this.#begun = this.#begin(parts);
  }

  async close(drainTimeoutMs: number): Promise<void> {
    this.draining = true;
    const bridge = await this.#begun;
    await this.handler?.close({ drainTimeoutMs });
    await bridge.close();
  }

  /** Begins, again and again where its server cannot be reached, as a platform starts it anew. */
  async #begin(parts: BridgeParts): Promise<Bridge> {
    const { fetch, store, knowsClients, seed } = parts;
    const bridge = await createBridge({
      upstream: httpTransport(`http://localhost/mcp?seed=${seed}`, { fetch }),
      rounds: { keys: [new Uint8Array(32).fill(7)], ttlMs: roundMs },
      ...(store && { store }),
      onError: () => undefined,
      onWarning: () => undefined,
    }).catch(() => undefined);
    if (bridge === undefined) {
      await new Promise<void>((resolve) => void setTimeout(resolve, 500));
      return await this.#begin(parts);
    }
    this.handler = createHttpHandler(bridge, {
      path: '/mcp',
      ssePair: { sse: '/sse', messages: '/messages' },
      retryMs: 100,
      ...(knowsClients && knowing),
      onError: () => undefined,
    });
    return bridge;
  }
}
