import { SessionLost } from './verdict.ts';
import type { CallableTool, UncalledTool } from './allowed.ts';
import type { MadeCall } from './calls.ts';
import type { ServerOffer } from './offer.ts';
import type { ProbeClient } from './probe-client.ts';

/** Things that are found out once of a server in a revision, for all benches that speak to it. */
export class KnownServer {
  /** Time of each answer in milliseconds, if it is so long that independent requests run in parallel; else 0. */
  slowMs = 0;
  another: Promise<string | undefined> | undefined;
  stands: string | undefined;
  offer: Promise<ServerOffer> | undefined;
  allowed: Promise<readonly (CallableTool | UncalledTool)[]> | undefined;
  readonly kept: Map<string, Promise<unknown>> = new Map();
  readonly made: Partial<Record<'mute' | 'obliging', Promise<readonly MadeCall[]>>> = {};
  /** Conversations in which the harmless request was answered with a result. */
  served: WeakSet<ProbeClient> = new WeakSet();
  /** Number of cached outcomes that may be determined again. */
  #again = 20;

  /** Asks whether an outcome may be determined again. */
  mayAgain(): boolean {
    return this.#again-- > 0;
  }

  /** Waits for a cached action, and repeats it if the session was lost meanwhile. */
  async unlessLost<T>(doing: Promise<T>, forget: () => void): Promise<T> {
    try {
      return await doing;
    } catch (error) {
      if (error instanceof SessionLost && this.mayAgain()) forget();
      throw error;
    }
  }

  /** Forgets the cache, so that findings are checked again. */
  forget(): void {
    this.kept.clear();
    this.served = new WeakSet();
  }
}
