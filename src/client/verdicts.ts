import type { Transport } from '../jsonrpc/transport.ts';
import type { Verdict } from '../peer/negotiate.ts';
import { revisionOf } from '../protocol/revision.ts';

/** How many servers are remembered. */
const most = 1000;
/** A server that needed `initialize` may have been upgraded since, and would never say so by itself. */
const handshakeAgeMs = 10 * 60_000;

/** What this process found out about servers. */
export interface Verdicts {
  /** What is known of a server, unless it is too old. */
  of(transport: Transport, now: number): Verdict | undefined;
  remember(transport: Transport, verdict: Verdict): void;
}

/** Makes an empty memory: servers reached over HTTP are known by their URL, others by their transport object. */
export function createVerdicts(): Verdicts {
  const byUrl = new Map<string, Verdict>();
  const byTransport = new WeakMap<Transport, Verdict>();
  return {
    of(transport, now) {
      const verdict = transport.kind === 'http' ? byUrl.get(transport.description) : byTransport.get(transport);
      const old = revisionOf(verdict?.revision)?.era === 'handshake' && now - (verdict?.at ?? 0) >= handshakeAgeMs;
      return old ? undefined : verdict;
    },
    remember(transport, { revision, at }) {
      // Only the era is kept: what a server offers may depend on who asks, and is fetched anew.
      const verdict = at === undefined ? { revision } : { revision, at };
      if (transport.kind !== 'http') return void byTransport.set(transport, verdict);
      byUrl.delete(transport.description);
      byUrl.set(transport.description, verdict);
      const oldest = byUrl.size > most ? byUrl.keys().next().value : undefined;
      if (oldest !== undefined) byUrl.delete(oldest);
    },
  };
}
