import type { Transport } from '../../jsonrpc/transport.ts';
import type { Verdict } from './negotiate.ts';
import { revisionOf } from '../../protocol/revision.ts';

/** How many servers are remembered. */
const most = 1000;
/** A server that needed `initialize` may have been upgraded since, and would never say so by itself. */
const handshakeAgeMs = 10 * 60_000;

interface Remembered {
  readonly verdict: Verdict;
  readonly since: number;
}

/** What this process found out about servers. */
export interface Verdicts {
  /**
   * What is known of a server, unless it is too old.
   *
   * @param now By the same clock as when it was remembered, which need not be that of the verdict.
   */
  of(transport: Transport, now: number): Verdict | undefined;
  remember(transport: Transport, verdict: Verdict, now: number): void;
}

/** Makes an empty memory: servers reached over HTTP are known by their URL, others by their transport object. */
export function createVerdicts(): Verdicts {
  const byUrl = new Map<string, Remembered>();
  const byTransport = new WeakMap<Transport, Remembered>();
  return {
    of(transport, now) {
      const known = transport.kind === 'http' ? byUrl.get(transport.description) : byTransport.get(transport);
      if (known === undefined) return undefined;
      const { verdict, since } = known;
      const old = revisionOf(verdict.revision)?.era === 'handshake' && now - since >= handshakeAgeMs;
      return old ? undefined : verdict;
    },
    remember(transport, { revision, at }, now) {
      // Only the era is kept: what a server offers may depend on who asks, and is fetched anew.
      const remembered = { verdict: at === undefined ? { revision } : { revision, at }, since: now };
      if (transport.kind !== 'http') return void byTransport.set(transport, remembered);
      byUrl.delete(transport.description);
      byUrl.set(transport.description, remembered);
      const oldest = byUrl.size > most ? byUrl.keys().next().value : undefined;
      if (oldest !== undefined) byUrl.delete(oldest);
    },
  };
}
