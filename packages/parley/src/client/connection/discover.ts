import { isObject } from '../../jsonrpc/message.ts';
import { isTransientStatus } from '../../jsonrpc/transient.ts';
import { ConnectionError, failedLoads, refusedCredentials } from '../../jsonrpc/transport.ts';
import type { Implementation, JsonObject } from '../../protocol/features/common.ts';
import { errorFromWire, McpError } from '../../protocol/error.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { discoverResultShape, type DiscoverResult } from '../../protocol/features/lifecycle.ts';
import { metaKey } from '../../protocol/meta.ts';
import { commonRevision, newestOf, type Revision } from '../../protocol/revision.ts';
import type { OpenChannel } from './open-channel.ts';
import { requestHeaders, selfMeta, withMeta, type Self } from './request-meta.ts';
import { either, type StepLimits } from './connect-limit.ts';
import { incompatible, supportedOf } from './incompatible.ts';

/** Answer of a server to `server/discover`. */
export type Probe =
  | { readonly kind: 'stateless'; readonly revision: Revision; readonly result: DiscoverResult }
  /** It wants `initialize`. `common` lists the common revisions if the server named any. */
  | {
      readonly kind: 'handshake';
      readonly common?: readonly Revision[];
      readonly supported?: readonly string[];
      readonly cause?: unknown;
      /** True if the failure says nothing about the server, and may not happen again. */
      readonly unsure?: boolean;
    }
  /** It did not answer in time. Some servers ignore unknown methods. */
  | {
      readonly kind: 'silent';
      readonly common?: undefined;
      readonly supported?: undefined;
      readonly cause: unknown;
      /** Present if the probe has an exchange of its own, which still waits for its answer. */
      readonly late?: LateProbe;
    };

/** A probe that took too long and still waits. */
export interface LateProbe {
  readonly answer: Promise<Probe>;
  giveUp(): void;
}

/** Parts that a probe needs. */
export interface DiscoverOptions {
  /** The stateless revision to ask in. */
  readonly revision: Revision;
  /** The revisions that may be used, oldest first. */
  readonly revisions: readonly Revision[];
  self(): Self;
  /** The limits of the next question. */
  limits(): StepLimits;
  /** Called if the answer came after the probe timed out. */
  readonly late?: (() => void) | undefined;
}

/** Options of a probe that can go on after its time. */
interface PatientOptions extends DiscoverOptions {
  readonly onOverdue?: ((error: ConnectionError) => void) | undefined;
  /** Gives the probe up. */
  readonly stop?: AbortSignal | undefined;
}

/**
 * Probes a server of unknown kind for its revision. A server that rejects the revision is probed once more in another
 * one.
 *
 * @throws IncompatibleError if the server names its revisions and none is common.
 * @throws McpError if a stateless server reports that the request is wrong.
 * @throws ConnectionError if it wants authorization, cannot be reached, or did not answer over HTTP in time.
 */
export async function discover(channel: OpenChannel, options: DiscoverOptions): Promise<Probe> {
  if (!channel.exchanges) return await probe(channel, options);
  const stop = new AbortController();
  return await new Promise((resolve, reject) => {
    const onOverdue = (cause: ConnectionError): void =>
      resolve({ kind: 'silent', cause, late: { answer, giveUp: () => stop.abort() } });
    const answer = probe(channel, { ...options, onOverdue, stop: stop.signal });
    answer.then(resolve, reject);
  });
}

async function probe(channel: OpenChannel, options: PatientOptions): Promise<Probe> {
  try {
    return await ask(channel, options);
  } catch (error) {
    const rejected = mcpErrorOf(error);
    const supported = supportedOf(rejected);
    if (supported === undefined) return negotiated(channel, error);
    const common = inCommon(options.revisions, supported);
    const other = newestOf(common, 'stateless');
    if (other === undefined) return handshakeOrNone(options, supported, rejected);
    return await askAgain(channel, { ...options, revision: other }, supported);
  }
}

async function ask(channel: OpenChannel, options: PatientOptions): Promise<Probe> {
  const { revision, self, limits, late, onOverdue, stop } = options;
  const { signal, ...times } = limits();
  const params = withMeta(undefined, selfMeta(revision, self()));
  const headers = channel.facts.carriesHeaders ? requestHeaders(revision, 'server/discover', params) : undefined;
  // An older server does not know cancellations before `initialize`. So a failed probe ends without a notification.
  const raw = await channel.connection.call('server/discover', params, {
    ...times,
    signal: either(signal, stop),
    onOverdue,
    revision,
    headers,
    tellCancelled: false,
    onLateAnswer: late && ((answer) => 'result' in answer && late()),
  }).answer;
  const result = readDiscover(revision, raw);
  const chosen = commonRevision(options.revisions, result.supportedVersions, 'stateless');
  if (chosen === undefined) return handshakeOrNone(options, result.supportedVersions, undefined);
  return { kind: 'stateless', revision: chosen, result };
}

/** One corrective probe. If the server still rejects a revision that it named, only its older revisions are used. */
async function askAgain(channel: OpenChannel, options: PatientOptions, supported: readonly string[]): Promise<Probe> {
  try {
    return await ask(channel, options);
  } catch (error) {
    const rejected = mcpErrorOf(error);
    if (rejected === undefined) throw error;
    return handshakeOrNone(options, supportedOf(rejected) ?? supported, rejected);
  }
}

function handshakeOrNone({ revisions }: DiscoverOptions, supported: readonly string[], cause: unknown): Probe {
  const common = inCommon(revisions, supported);
  if (newestOf(common, 'handshake') !== undefined) return { kind: 'handshake', common, supported, cause };
  // A result may list only stateless versions, and an empty list means nothing. A list in a version error is trusted.
  if (cause === undefined || supported.length === 0) return { kind: 'handshake', supported, cause };
  throw incompatible(revisions, supported, cause);
}

/**
 * Conclusion from a failed probe. Without evidence, the client tries `initialize`, which is answered or fails for the
 * same reason: some servers answer unknown methods with any status and any body.
 */
function negotiated(channel: OpenChannel, error: unknown): Probe {
  const rejected = mcpErrorOf(error);
  const failure = error instanceof ConnectionError ? error : undefined;
  if (rejected === undefined && failure === undefined) throw error;
  const status = channel.statusOf(error) ?? failure?.status;
  if (rejected?.kind === 'missingRequiredClientCapability') throw rejected;
  if (rejected?.kind === 'headerMismatch' && status === 400) throw rejected;
  if (failure !== undefined && isFinal(failure, channel)) throw failure;
  if (failure?.reason === 'timeout') return { kind: 'silent', cause: error };
  const unsure = !channel.facts.mayLoseTheProbe && (failure?.reason === 'closed' || isTransientStatus(status ?? 200));
  return { kind: 'handshake', cause: rejected ?? error, unsure };
}

/** Failures after which `initialize` would not help, or would reach a server that refused access. */
function isFinal(failure: ConnectionError, { facts }: OpenChannel): boolean {
  const { reason, challenge, status } = failure;
  if (reason === 'aborted' || reason === 'incompatible' || failedLoads.has(failure)) return true;
  if (reason === 'unauthorized') {
    // 403 with valid credentials may concern this method alone. A transport that signs in has already tried to fix it.
    return challenge !== undefined && (facts.signsIn || status !== 403 || !refusedCredentials.has(failure));
  }
  return !facts.mayLoseTheProbe && (reason === 'refused' || reason === 'timeout');
}

/** The protocol's error of a failed probe: over HTTP it may hide in the body of a refusal. */
function mcpErrorOf(error: unknown): McpError | undefined {
  if (error instanceof McpError) return error;
  if (!(error instanceof ConnectionError) || error.reason !== 'http' || error.body === undefined) return undefined;
  try {
    const body: unknown = JSON.parse(error.body);
    const inner = isObject(body) ? body['error'] : undefined;
    if (!isObject(inner)) return undefined;
    const { code, message, data } = inner;
    return typeof code === 'number' && typeof message === 'string' ? errorFromWire({ code, message, data }) : undefined;
  } catch {
    return undefined;
  }
}

/** Our revisions that a peer names too, oldest first. */
export function inCommon(ours: readonly Revision[], theirs: readonly string[]): readonly Revision[] {
  return ours.filter((revision) => theirs.includes(revision.date));
}

function readDiscover(revision: Revision, raw: JsonObject): DiscoverResult {
  const { resultType } = raw;
  if (resultType !== undefined && resultType !== 'complete')
    throw new ConnectionError('invalid-message', 'server/discover gave no DiscoverResult');
  try {
    return fromWire(revision, discoverResultShape, raw);
  } catch (cause) {
    throw new ConnectionError('invalid-message', 'server/discover gave no DiscoverResult', { cause });
  }
}

/**
 * Name that a stateless server gives itself: in `_meta` of any result, or at the top as servers of the drafts have it.
 * It is for display alone.
 */
export function serverInfoOf(result: object): Implementation | undefined {
  const { _meta, serverInfo }: { readonly _meta?: unknown; readonly serverInfo?: unknown } = result;
  const info = (isObject(_meta) ? _meta[metaKey.serverInfo] : undefined) ?? serverInfo;
  if (!isObject(info) || typeof info['name'] !== 'string' || typeof info['version'] !== 'string') return undefined;
  return info as unknown as Implementation; // The fields that Implementation requires were just checked.
}
