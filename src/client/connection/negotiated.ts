import { setNewest } from '../../jsonrpc/newest.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import type { Negotiated } from './negotiate.ts';
import { revisionOf } from '../../protocol/revision.ts';

/** Limit of servers that are remembered. */
const most = 1000;
/** A server that needed `initialize` may have been upgraded since, and would never say so by itself. */
const handshakeAgeMs = 10 * 60_000;
/** The same for a finding that was stored, where the question may cost each start of a program. */
const storedAgeMs = 24 * 60 * 60_000;

interface Remembered {
  readonly negotiated: Negotiated;
  readonly since: number;
}

/**
 * A finding that was stored, where it still says something: that a server needed `initialize` is believed for a day, if it was
 * asked for more at all. A time that no clock gives is as good as a long time ago.
 *
 * @param now In milliseconds since 1970.
 */
export function believable(stored: Negotiated | undefined, now: number): Negotiated | undefined {
  if (stored === undefined || revisionOf(stored.revision)?.era !== 'handshake') return stored;
  const { at, unasked } = stored;
  return unasked !== true && (at === undefined || Math.abs(now - at) < storedAgeMs) ? stored : undefined;
}

/** Findings of this process about servers. */
export interface KnownServers {
  /**
   * Findings about a server, unless they are too old.
   *
   * @param now By the same clock as when it was remembered, which need not be that of the finding.
   */
  of(transport: Transport, now: number): Negotiated | undefined;
  /** Remembers what a server answered when it was asked; in what it was merely served says nothing of others. */
  remember(transport: Transport, negotiated: Negotiated, now: number): void;
}

/** Makes an empty memory: servers are known by their address, and where there is none by their transport object. */
export function createKnownServers(): KnownServers {
  const byAddress = new Map<string, Remembered>();
  const byTransport = new WeakMap<Transport, Remembered>();
  return {
    of(transport, now) {
      const { address } = transport;
      const known = address === undefined ? byTransport.get(transport) : byAddress.get(address);
      if (known === undefined) return undefined;
      const { negotiated, since } = known;
      const old = revisionOf(negotiated.revision)?.era === 'handshake' && now - since >= handshakeAgeMs;
      return old ? undefined : negotiated;
    },
    remember(transport, { revision, at }, now) {
      // Only the era is kept: what a server offers may depend on who asks, and is fetched anew.
      const remembered = { negotiated: at === undefined ? { revision } : { revision, at }, since: now };
      const { address } = transport;
      if (address === undefined) return void byTransport.set(transport, remembered);
      setNewest(byAddress, most, [address, remembered]);
    },
  };
}
