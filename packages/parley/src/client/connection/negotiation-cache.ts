import { setNewest } from '../../jsonrpc/newest.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import type { Negotiated } from '../api/negotiated.ts';
import { revisionOf } from '../../protocol/revision.ts';

/** Limit of servers that are remembered. */
const most = 1000;
/** Lifetime of a finding that a server needs `initialize`. The server may be upgraded, and would not announce it. */
const handshakeAgeMs = 10 * 60_000;
/** The lifetime of a stored finding. A probe may delay each start of a program, so it is longer. */
const storedAgeMs = 24 * 60 * 60_000;

interface Remembered {
  readonly negotiated: Negotiated;
  readonly since: number;
}

/**
 * A stored finding, if it is still valid. A finding that a server needs `initialize` is valid for a day, if the server
 * was probed at all. An impossible time counts as expired.
 *
 * @param now In milliseconds since 1970.
 */
export function believable(stored: Negotiated | undefined, now: number): Negotiated | undefined {
  if (stored === undefined || revisionOf(stored.revision)?.era !== 'handshake') return stored;
  const { at, unasked } = stored;
  return unasked !== true && (at === undefined || Math.abs(now - at) < storedAgeMs) ? stored : undefined;
}

/** Findings of this process about servers. */
export interface NegotiationCache {
  /**
   * Findings about a server, unless they are too old.
   *
   * @param now By the clock that `remember` used, which need not be the clock of the finding itself.
   */
  of(transport: Transport, now: number): Negotiated | undefined;
  /** Remembers the answer of a probed server. Being served in one revision says nothing about others. */
  remember(transport: Transport, negotiated: Negotiated, now: number): void;
}

/** Makes an empty memory. It identifies a server by its address, or by its transport object. */
export function createKnownServers(): NegotiationCache {
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
      // Only the era is kept. Capabilities may depend on the caller, and are fetched again.
      const remembered = { negotiated: at === undefined ? { revision } : { revision, at }, since: now };
      const { address } = transport;
      if (address === undefined) return void byTransport.set(transport, remembered);
      setNewest(byAddress, most, [address, remembered]);
    },
  };
}
