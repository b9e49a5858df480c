/**
 * Negotiation: the client finds out what a server speaks. A server that answers `server/discover` is stateless;
 * anything else that is no error of a stateless revision means `initialize`. (Spec 2026-07-28, Versioning; stdio:
 * Backward compatibility; Streamable HTTP: Backward compatibility.)
 */
import { ConnectionError, type Transport } from '../../jsonrpc/transport.ts';
import { factsOf } from '../../jsonrpc/transport-facts.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { Implementation } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import type { DiscoverResult } from '../../protocol/features/lifecycle.ts';
import { newestOf, revisionOf, type Revision, type RevisionDate } from '../../protocol/revision.ts';
import { OpenChannel, type Inbound } from './open-channel.ts';
import type { Self } from './request-meta.ts';
import { discover, inCommon, serverInfoOf, type Probe } from './discover.ts';
import { incompatible, supportedOf } from './incompatible.ts';
import { initialize } from './initialize.ts';

/** The knowledge of a server from an earlier connection; plain JSON that can be stored. */
export interface Negotiated {
  readonly revision: RevisionDate;
  /**
   * Time of the finding, in milliseconds since 1970: when the server was last asked what it speaks. That one needs `initialize`
   * is believed for a day from then on; without a time it is believed.
   */
  readonly at?: number;
  /**
   * True when the server was not asked whether it speaks a stateless revision, since none was allowed: where one is, this says
   * nothing.
   */
  readonly unasked?: true;
  /** Result of `server/discover`; with it nothing needs to be asked next time. */
  readonly discovered?: DiscoverResult;
}

/** Parts that a negotiation needs. */
export interface NegotiateOptions {
  readonly transport: Transport;
  /** The revisions that may be used, oldest first. */
  readonly revisions: readonly Revision[];
  self(): Self;
  readonly inbound: Inbound;
  /** Findings of an earlier connection; when it turns out wrong the server is asked after all. */
  readonly negotiated?: Negotiated | undefined;
  /** Time that a server may stay silent, where it may lose the probe, before it is taken for an older one. */
  readonly probeTimeoutMs: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The time, in milliseconds since 1970. */
  now(): number;
}

/** Outcome of a negotiation: what client and server agreed on, and the open channel. */
export interface Agreement {
  readonly channel: OpenChannel;
  readonly revision: Revision;
  readonly capabilities: ServerCapabilities;
  readonly server: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly negotiated: Negotiated;
  /** True when the server itself said so now; a stored finding alone is not confirmed. */
  readonly confirmed: boolean;
  /** True when the server was asked now what it speaks; a revision in which it was merely served says little of others. */
  readonly asked: boolean;
}

/**
 * Opens a channel and settles the revision; over `initialize` the server is told that the client is ready.
 *
 * @throws IncompatibleError when no revision is common.
 * @throws ConnectionError when the server is not reached, wants authorization, or answers nothing that is MCP.
 * @throws McpError when the server refuses with an error of its own.
 */
export async function negotiate(options: NegotiateOptions): Promise<Agreement> {
  const negotiated = revisionOf(options.negotiated?.revision);
  const usable = negotiated !== undefined && options.revisions.includes(negotiated) ? negotiated : undefined;
  if (usable?.era === 'stateless' && options.negotiated?.discovered !== undefined) {
    return agreed(await open(options), options.negotiated.discovered, options.negotiated, {
      revision: usable,
      confirmed: false,
      asked: false,
    });
  }
  const negotiation = new Negotiation(options);
  try {
    if (usable?.era !== 'handshake') return await negotiation.fromProbe();
    return await negotiation.fromPrior();
  } catch (error) {
    const explained = negotiation.explained(error);
    await negotiation.abandon();
    throw explained;
  }
}

const startedAgain =
  'it was started twice, since a server of an older revision may end at what a newer client asks first';
const remedy = 'its standard output is for messages alone, and what it logs belongs on standard error';

class Negotiation {
  readonly #options: NegotiateOptions;
  #channel: OpenChannel | undefined;
  /** First text that could not be read, in a channel that was left. */
  #printed: Error | undefined;
  #starts = 0;

  constructor(options: NegotiateOptions) {
    this.#options = options;
  }

  async fromProbe(): Promise<Agreement> {
    const { revisions } = this.#options;
    const stateless = newestOf(revisions, 'stateless');
    if (stateless === undefined) return await this.#initialize(newestOf(revisions, 'handshake'), undefined);
    const probe = await this.#probe(stateless, this.#probeTimeout());
    if (probe.kind === 'stateless') return await this.#agreed(probe);
    const offer = newestOf(probe.common ?? revisions, 'handshake');
    if (offer !== undefined) return await this.#initialize(offer, probe);
    // One that died just now, or was slow, speaks what it spoke before as far as anybody can tell.
    const isUnheard = this.#options.negotiated !== undefined && probe.cause instanceof ConnectionError;
    throw isUnheard ? probe.cause : incompatible(revisions, probe.supported, probe.cause);
  }

  /** A server that needed `initialize` before most likely still does; if it does not, it is asked. */
  async fromPrior(): Promise<Agreement> {
    const { revisions } = this.#options;
    try {
      return await this.#initialize(newestOf(revisions, 'handshake'), undefined);
    } catch (error) {
      if (newestOf(revisions, 'stateless') === undefined || isFinal(error)) throw error;
      await this.abandon();
      return await this.fromProbe();
    }
  }

  async abandon(): Promise<void> {
    const channel = this.#channel;
    this.#channel = undefined;
    await channel?.close();
  }

  /** Says of a program that was not heard in time why it was started again, and what it printed in place of messages. */
  explained(error: unknown): unknown {
    if (!(error instanceof ConnectionError) || this.#options.transport.ownsProcess !== true) return error;
    if (error.reason !== 'timeout' && error.reason !== 'closed' && error.reason !== 'exited') return error;
    const printed = this.#printed ?? this.#channel?.firstUnreadable;
    const more = [
      ...(this.#starts > 1 ? [startedAgain] : []),
      ...(printed === undefined ? [] : [`what it printed first is no message (${printed.message}): ${remedy}`]),
    ];
    if (more.length === 0) return error;
    return new ConnectionError(error.reason, [error.message, ...more].join('; '), { cause: error });
  }

  async #probe(revision: Revision, timeoutMs: number): Promise<Probe> {
    const channel = await this.#open();
    return await discover(channel, { ...this.#options, revision, timeoutMs });
  }

  /** @param probe What came of the probe before, where there was one. */
  async #initialize(offer: Revision | undefined, probe: Probe | undefined): Promise<Agreement> {
    if (offer === undefined) throw new TypeError('no revision to initialize with');
    const { revisions } = this.#options;
    try {
      return await this.#settled(offer, probe);
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const again = probe && this.#stateless(probe, error);
      if (again !== undefined) {
        const late = await this.#probe(again, this.#options.timeoutMs);
        if (late.kind === 'stateless') return await this.#agreed(late);
      }
      if (error.kind === 'unsupportedProtocolVersion') throw incompatible(revisions, supportedOf(error), error);
      if (probe === undefined || !this.#mayHaveBegun(error)) throw error;
      await this.abandon();
      return await this.#settled(offer, probe);
    }
  }

  async #settled(offer: Revision, probe: Probe | undefined): Promise<Agreement> {
    const settled = await this.#handshake(offer);
    const negotiated = this.#finding(settled.revision, probe !== undefined);
    return { ...settled, negotiated, confirmed: true, asked: probe !== undefined };
  }

  /** Tells whether a program may have taken the probe for the beginning of a session, as some gateways do. */
  #mayHaveBegun(refused: McpError): boolean {
    return this.#options.transport.ownsProcess === true && this.#starts === 1 && refused.kind !== 'methodNotFound';
  }

  /** Finding that a handshake is: only who asked for more knows that there is none, as of then. */
  #finding({ date: revision }: Revision, isAsked: boolean): Negotiated {
    const { revisions, negotiated, now } = this.#options;
    if (isAsked) return { revision, at: now() };
    const at = negotiated?.at ?? now();
    return newestOf(revisions, 'stateless') === undefined ? { revision, at, unasked: true } : { revision, at };
  }

  /** The revision to probe with once more: a slow server may still turn out to speak one, and one that was not ready says so. */
  #stateless(probe: Probe, refused: McpError): Revision | undefined {
    const { revisions } = this.#options;
    return newestOf(probe.kind === 'silent' ? revisions : inCommon(revisions, supportedOf(refused) ?? []), 'stateless');
  }

  async #handshake(offer: Revision): Promise<Omit<Agreement, 'negotiated' | 'confirmed' | 'asked'>> {
    // Some servers exit on an unknown first request: then the probe costs us the channel, perhaps only now.
    const probed = this.#channel;
    const channel = await this.#open();
    try {
      return await initialize(channel, offer, this.#options);
    } catch (error) {
      // One that was begun for this, and ended too, would end again.
      if (channel !== probed || channel.ended === undefined || !channel.facts.mayLoseTheProbe) throw error;
      return await initialize(await this.#open(), offer, this.#options);
    }
  }

  async #agreed({ revision, result }: Probe & { readonly kind: 'stateless' }): Promise<Agreement> {
    return agreed(
      await this.#open(),
      result,
      { revision: revision.date, at: this.#options.now(), discovered: result },
      { revision, confirmed: true, asked: true },
    );
  }

  /** The open channel, or a fresh one when the peer ended it. */
  async #open(): Promise<OpenChannel> {
    this.#printed ??= this.#channel?.firstUnreadable;
    if (this.#channel === undefined || this.#channel.ended !== undefined) {
      this.#channel = await open(this.#options);
      this.#starts++;
    }
    return this.#channel;
  }

  #probeTimeout(): number {
    const { transport, revisions, timeoutMs, probeTimeoutMs } = this.#options;
    // Silence means an older server only where an older server could be served.
    const mayBeOlder = factsOf(transport).mayLoseTheProbe && newestOf(revisions, 'handshake') !== undefined;
    return mayBeOlder ? probeTimeoutMs : timeoutMs;
  }
}

async function open({ transport, inbound, signal }: NegotiateOptions): Promise<OpenChannel> {
  throwIfAborted(signal);
  const channel = await OpenChannel.open(transport, inbound);
  try {
    throwIfAborted(signal);
    return channel;
  } catch (error) {
    await channel.close();
    throw error;
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new ConnectionError('aborted', 'connecting was aborted', { cause: signal.reason });
}

function agreed(
  channel: OpenChannel,
  result: DiscoverResult,
  negotiated: Negotiated,
  settled: Pick<Agreement, 'revision' | 'confirmed' | 'asked'>,
): Agreement {
  return {
    ...settled,
    channel,
    capabilities: result.capabilities,
    server: serverInfoOf(result),
    instructions: result.instructions,
    negotiated,
  };
}

/** Failures that say nothing of the revisions: to ask in another way would fail alike. */
function isFinal(error: unknown): boolean {
  // What is neither of the two is no word of the server: an authorization that did not come about, say.
  if (!(error instanceof ConnectionError)) return !(error instanceof McpError);
  const { reason, status } = error;
  return (
    reason === 'aborted' ||
    reason === 'unauthorized' ||
    reason === 'refused' ||
    reason === 'timeout' ||
    (reason === 'http' && (status === 403 || (status ?? 0) >= 500))
  );
}
