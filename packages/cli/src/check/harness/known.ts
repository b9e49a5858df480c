import { SessionLost } from '../verdict.ts';
import type { CallableTool, UncalledTool } from './allowed.ts';
import type { MadeCall } from './calls.ts';
import type { ServerOffer } from './offer.ts';
import type { Prober } from './prober.ts';

/** Things that are found out once of a server in a revision, for all benches that speak to it. */
export class Known {
  /** Time that each answer takes, in milliseconds, where it is so long that what needs none of the others is sent beside them; else 0. */
  slowMs = 0;
  another: Promise<string | undefined> | undefined;
  stands: string | undefined;
  offer: Promise<ServerOffer> | undefined;
  allowed: Promise<readonly (CallableTool | UncalledTool)[]> | undefined;
  readonly kept: Map<string, Promise<unknown>> = new Map();
  readonly made: Partial<Record<'mute' | 'obliging', Promise<readonly MadeCall[]>>> = {};
  /** Conversations in which the harmless request was answered with a result. */
  served: WeakSet<Prober> = new WeakSet();
  /** Number of times that what was to be found out once is begun anew. */
  #again = 20;

  /** Asks whether something may be found out anew. */
  mayAgain(): boolean {
    return this.#again-- > 0;
  }

  /** Waits for what is done once, and has it done anew where the session was lost meanwhile. */
  async unlessLost<T>(doing: Promise<T>, forget: () => void): Promise<T> {
    try {
      return await doing;
    } catch (error) {
      if (error instanceof SessionLost && this.mayAgain()) forget();
      throw error;
    }
  }

  /** Forgets what was kept: what was found is looked at once more. */
  forget(): void {
    this.kept.clear();
    this.served = new WeakSet();
  }
}
