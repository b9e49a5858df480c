/**
 * Negotiation: the client finds out what a server speaks. A server that answers `server/discover` is stateless. Any
 * other answer means `initialize`, unless it is an error of a stateless revision. (Spec 2026-07-28, Versioning; stdio:
 * Backward compatibility; Streamable HTTP: Backward compatibility.)
 */
import type { Negotiated } from '../api/negotiated.ts';
import { ConnectionError, failedLoads, type Transport } from '../../jsonrpc/transport.ts';
import { factsOf } from '../../jsonrpc/transport-facts.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { Implementation } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import type { DiscoverResult } from '../../protocol/features/lifecycle.ts';
import { newestOf, revisionOf, type Revision } from '../../protocol/revision.ts';
import { OpenChannel, type Inbound } from './open-channel.ts';
import type { Self } from './request-meta.ts';
import { discover, inCommon, serverInfoOf, type Probe } from './discover.ts';
import { explainedConnect, warnOfProbe } from './explained.ts';
import { incompatible, supportedOf } from './incompatible.ts';
import { initialize, refusedLate, type Initialized } from './initialize.ts';
import { ConnectLimit, type StepLimits } from './connect-limit.ts';
import { isBareRefusal, isFinal, isRefusedOffer, type RefusedOffer } from './refusal.ts';

/** Parts that a negotiation needs. */
export interface NegotiateOptions {
  readonly transport: Transport;
  /** The revisions that may be used, oldest first. */
  readonly revisions: readonly Revision[];
  self(): Self;
  readonly inbound: Inbound;
  /** Called when the server answered `initialize`, before it is told that the session begins. */
  readonly begun?: (() => void) | undefined;
  /** Findings of an earlier connection; when it turns out wrong the server is asked after all. */
  readonly negotiated?: Negotiated | undefined;
  /** Time that a server may stay silent before `initialize` is sent. */
  readonly probeTimeoutMs: number;
  /** Time limit of the whole negotiation; 0 and Infinity mean no limit. */
  readonly connectTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The time, in milliseconds since 1970. */
  now(): number;
  /** The time by which waits are measured, in milliseconds. */
  clock(): number;
}

/** Outcome of a negotiation: what client and server agreed on, and the open channel. */
export interface NegotiatedConnection {
  readonly channel: OpenChannel;
  readonly revision: Revision;
  readonly capabilities: ServerCapabilities;
  readonly server: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly negotiated: Negotiated;
  /** True if the server itself confirmed it now; a stored finding alone is not confirmed. */
  readonly confirmed: boolean;
  /** True if the server was probed now. Being served in one revision says little about others. */
  readonly asked: boolean;
}

/**
 * Opens a channel and negotiates the revision. After `initialize` it sends `notifications/initialized`.
 *
 * @throws IncompatibleError if no revision is common.
 * @throws ConnectionError if the server cannot be reached, wants authorization, or its answers are not MCP.
 * @throws McpError if the server rejects with an error of its own.
 */
export async function negotiate(options: NegotiateOptions): Promise<NegotiatedConnection> {
  const negotiation = new Negotiation(options);
  try {
    return await negotiation.run();
  } catch (error) {
    const explained = negotiation.explained(error);
    // This does not wait for the end of a failed server: a process may take its time.
    negotiation
      .abandon()
      .catch((cause: unknown) => options.inbound.warning('a failed connection did not close', cause));
    throw explained;
  }
}

class Negotiation {
  readonly #options: NegotiateOptions;
  readonly #limit: ConnectLimit;
  readonly #isTimed: boolean;
  #channel: OpenChannel | undefined;
  /** First text that could not be read, in a channel that was left. */
  #printed: Error | undefined;
  #starts = 0;
  /** True if the probe was answered after it timed out. */
  #isLate = false;
  /** Gives `initialize` up, since a late answer to the probe came first. */
  readonly #stop = new AbortController();

  constructor(options: NegotiateOptions) {
    const { connectTimeoutMs, signal, clock, transport } = options;
    this.#options = options;
    this.#limit = new ConnectLimit(connectTimeoutMs, signal, clock);
    // A person who signs in while it opens takes the time that it takes.
    this.#isTimed = !factsOf(transport).signsIn;
  }

  async run(): Promise<NegotiatedConnection> {
    const { negotiated, revisions } = this.#options;
    const known = revisionOf(negotiated?.revision);
    const revision = known !== undefined && revisions.includes(known) ? known : undefined;
    if (revision?.era === 'stateless' && negotiated?.discovered !== undefined)
      return agreed(await this.#open(), negotiated.discovered, negotiated, {
        revision,
        confirmed: false,
        asked: false,
      });
    return revision?.era === 'handshake' ? await this.#fromPrior() : await this.#fromProbe();
  }

  async #fromProbe(isAgain = false): Promise<NegotiatedConnection> {
    const { revisions } = this.#options;
    const stateless = newestOf(revisions, 'stateless');
    if (stateless === undefined) return await this.#initialize(revisions, undefined);
    const probe = await this.#probe(stateless, this.#probeTimeout());
    if (probe.kind === 'stateless') return await this.#agreed(probe);
    const offers = probe.common ?? revisions;
    if (newestOf(offers, 'handshake') !== undefined) {
      try {
        return await this.#initializeOrLate(offers, probe);
      } catch (error) {
        // What signs in takes a second refusal without a challenge for a wish for authorization, and sees to it when it asks again.
        if (!isAgain && !this.#isTimed && isBareRefusal(error)) return await this.#fromProbe(true);
        const isDenied = probe.common === undefined && probe.supported !== undefined && isRefusedOffer(error);
        throw isDenied ? incompatible(revisions, probe.supported, error) : error;
      }
    }
    const { cause } = probe;
    const failure = cause instanceof ConnectionError ? cause : undefined;
    // A server that just died, or was slow, most likely speaks the same revision as before.
    const isUnheard =
      failure !== undefined && (this.#options.negotiated !== undefined || failure.reason === 'unauthorized');
    throw isUnheard || isUnsure(probe) ? cause : incompatible(revisions, probe.supported, cause);
  }

  /** Makes the handshake beside a probe that still waits; a late answer counts if it comes before that to `initialize`. */
  async #initializeOrLate(offers: readonly Revision[], probe: OlderProbe): Promise<NegotiatedConnection> {
    const late = probe.kind === 'silent' ? probe.late : undefined;
    if (late === undefined) return await this.#initialize(offers, probe);
    let found: StatelessProbe | undefined;
    const heard = late.answer.then(
      (answer) => {
        if (answer.kind !== 'stateless') return;
        found = answer;
        this.#stop.abort();
      },
      () => undefined,
    );
    try {
      return await this.#initialize(offers, probe);
    } catch (error) {
      // A server that refuses `initialize` may still answer the probe.
      if (found === undefined && !isFinal(error)) await heard;
      if (found === undefined) throw error;
      return await this.#agreed(found);
    } finally {
      late.giveUp();
    }
  }

  /** A server that needed `initialize` before most likely still does; if it does not, it is asked. */
  async #fromPrior(): Promise<NegotiatedConnection> {
    const { revisions } = this.#options;
    try {
      return await this.#initialize(revisions, undefined);
    } catch (error) {
      if (newestOf(revisions, 'stateless') === undefined || isFinal(error)) throw error;
      await this.#leave();
      return await this.#fromProbe();
    }
  }

  async abandon(): Promise<void> {
    const channel = this.#channel;
    this.#channel = undefined;
    await channel?.close();
  }

  /** Closes the channel before another one is opened. */
  async #leave(): Promise<void> {
    await this.#limit.wait(this.abandon(), 'closing the connection', 'done');
  }

  /** The failure, with the other known facts added. */
  explained(error: unknown): unknown {
    const { transport, connectTimeoutMs: limitMs } = this.#options;
    if (!(error instanceof ConnectionError)) return error;
    const program =
      transport.ownsProcess === true
        ? { starts: this.#starts, printed: this.#printed ?? this.#channel?.firstUnreadable }
        : undefined;
    return explainedConnect(error, { limitMs, program });
  }

  async #probe(revision: Revision, timeoutMs: number | undefined): Promise<Probe> {
    const limits = (): StepLimits => ({ ...this.#limit.step(timeoutMs), timeoutName: 'probeTimeoutMs' });
    return await discover(await this.#open(), {
      ...this.#options,
      revision,
      limits,
      late: () => (this.#isLate = true),
    });
  }

  /**
   * @param allowed The revisions to choose from, oldest first.
   * @param probe The outcome of the earlier probe, if there was one.
   */
  async #initialize(allowed: readonly Revision[], probe: OlderProbe | undefined): Promise<NegotiatedConnection> {
    const [offer, ...older] = allowed.filter(({ era }) => era === 'handshake').toReversed();
    if (offer === undefined) throw new TypeError('no revision to initialize with');
    try {
      return await this.#settled(offer, probe);
    } catch (error) {
      if (!isRefusedOffer(error)) throw error;
      const again = probe && this.#stateless(probe, error);
      if (again !== undefined) {
        const late = await this.#probe(again, this.#probeTimeout());
        if (late.kind === 'stateless') return await this.#agreed(late);
      }
      if (probe !== undefined && this.#mayHaveBegun(error)) {
        await this.#leave();
        return await this.#initialize(allowed, probe);
      }
      // A server that was not probed yet is probed first.
      const isAsked = probe !== undefined || newestOf(this.#options.revisions, 'stateless') === undefined;
      return await this.#initializeOlder(isAsked ? older : [], probe, error);
    }
  }

  /** Some servers refuse a revision that they do not know, in place of naming one that they do. */
  async #initializeOlder(
    older: readonly Revision[],
    probe: OlderProbe | undefined,
    refused: RefusedOffer,
  ): Promise<NegotiatedConnection> {
    const supported = supportedOf(refused);
    const kind = refused instanceof McpError ? refused.kind : undefined;
    const offers = kind === 'methodNotFound' ? [] : supported === undefined ? older : inCommon(older, supported);
    let last = refused;
    for (const offer of offers) {
      try {
        // The session and the headers of that `initialize` are of no use any more.
        if (refusedLate.has(last)) await this.#leave();
        const agreement = await this.#settled(offer, probe);
        if (refusedLate.has(refused)) this.#warnOfRefusal(agreement.revision, refused);
        return agreement;
      } catch (error) {
        if (!isRefusedOffer(error)) throw error;
        last = error;
      }
    }
    throw kind === 'unsupportedProtocolVersion' ? incompatible(this.#options.revisions, supported, refused) : refused;
  }

  async #settled(offer: Revision, probe: OlderProbe | undefined): Promise<NegotiatedConnection> {
    const settled = await this.#handshake(offer);
    const unsure = this.#isLate || isUnsure(probe);
    const asked = probe !== undefined && !unsure;
    if (unsure || probe?.kind === 'silent') this.#warn(settled.revision, probe?.cause);
    return { ...settled, negotiated: this.#finding(settled.revision, asked, unsure), confirmed: true, asked };
  }

  /** A revision that was chosen because no answer came is not a fact about the server. */
  #warn({ date }: Revision, cause: unknown): void {
    const { inbound, transport } = this.#options;
    warnOfProbe(inbound, { server: transport.description, date, cause, isLate: this.#isLate });
  }

  #warnOfRefusal({ date }: Revision, refused: Error): void {
    const { inbound, transport } = this.#options;
    inbound.warning(`${transport.description} is spoken to in ${date}: a newer revision failed (${refused.message})`);
  }

  /** Tells whether a program may have taken the probe for the beginning of a session, as some gateways do. */
  #mayHaveBegun(refused: RefusedOffer): boolean {
    const kind = refused instanceof McpError ? refused.kind : undefined;
    const isClear = kind === 'methodNotFound' || kind === 'unsupportedProtocolVersion';
    return this.#options.transport.ownsProcess === true && this.#starts === 1 && !isClear;
  }

  /**
   * The finding from a handshake. It proves that no stateless revision is supported only if the server answered a probe
   * for one.
   */
  #finding({ date: revision }: Revision, isAsked: boolean, unsure: boolean): Negotiated {
    const { revisions, negotiated, now } = this.#options;
    if (isAsked) return { revision, at: now() };
    const at = negotiated?.at ?? now();
    const unasked = unsure || newestOf(revisions, 'stateless') === undefined;
    return unasked ? { revision, at, unasked: true } : { revision, at };
  }

  /**
   * The revision for a second probe: a slow server may still turn out to speak one, and a server that was not ready
   * names it.
   */
  #stateless(probe: OlderProbe, refused: RefusedOffer): Revision | undefined {
    if (!(refused instanceof McpError)) return undefined;
    const { revisions } = this.#options;
    const isOver = probe.kind === 'silent' && probe.late === undefined;
    return newestOf(isOver ? revisions : inCommon(revisions, supportedOf(refused) ?? []), 'stateless');
  }

  async #handshake(offer: Revision): Promise<Initialized> {
    const limits = (): StepLimits => this.#limit.step();
    const { revisions, self, begun } = this.#options;
    const options = { revisions, self, limits, stop: this.#stop.signal, begun };
    // Some servers exit on an unknown first request: then the probe costs us the channel, perhaps only now.
    const probed = this.#channel;
    const channel = await this.#open();
    try {
      return await initialize(channel, offer, options);
    } catch (error) {
      // If a process was started for this and ended too, another start would end in the same way.
      const { ended, facts } = channel;
      if (channel !== probed || ended === undefined || failedLoads.has(ended) || !facts.mayLoseTheProbe) throw error;
      return await initialize(await this.#open(), offer, options);
    }
  }

  async #agreed({ revision, result }: StatelessProbe): Promise<NegotiatedConnection> {
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
    if (this.#channel !== undefined && this.#channel.ended === undefined) return this.#channel;
    const { transport, inbound, signal } = this.#options;
    if (signal?.aborted === true)
      throw new ConnectionError('aborted', 'connecting was aborted', { cause: signal.reason });
    const opening = OpenChannel.open(transport, inbound);
    try {
      this.#channel = await this.#limit.wait(opening, 'the connection', 'opened', this.#isTimed);
    } catch (error) {
      // A channel that opens afterwards is closed. No caller waits for it.
      opening.then((channel) => channel.close()).catch(() => {});
      throw error;
    }
    this.#starts++;
    return this.#channel;
  }

  #probeTimeout(): number | undefined {
    const { revisions, probeTimeoutMs } = this.#options;
    // Silence means an older server only where an older server could be served.
    return newestOf(revisions, 'handshake') === undefined ? undefined : probeTimeoutMs;
  }
}

type StatelessProbe = Probe & { readonly kind: 'stateless' };

/** Outcome of a probe that found no stateless server. */
type OlderProbe = Exclude<Probe, StatelessProbe>;

/** Tells whether the failure of a probe says nothing about the server. */
function isUnsure(probe: OlderProbe | undefined): boolean {
  return probe?.kind === 'handshake' && probe.unsure === true;
}

function agreed(
  channel: OpenChannel,
  result: DiscoverResult,
  negotiated: Negotiated,
  settled: Pick<NegotiatedConnection, 'revision' | 'confirmed' | 'asked'>,
): NegotiatedConnection {
  return {
    ...settled,
    channel,
    capabilities: result.capabilities,
    server: serverInfoOf(result),
    instructions: result.instructions,
    negotiated,
  };
}
