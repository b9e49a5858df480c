import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import { implementationShape, type Implementation } from '../../protocol/features/common.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { readableRevision, type Revision } from '../../protocol/revision.ts';
import { shown } from '../../options/shown.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import type { OpenChannel } from './open-channel.ts';
import { declaredBy, type Self } from './request-meta.ts';
import { incompatible } from './incompatible.ts';
import { waitFor } from '../api/wait-for.ts';
import { either, type StepLimits } from './connect-limit.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { initializeResultShape } from '../../protocol/features/lifecycle.ts';

/** Parts that the handshake needs. */
export interface InitializeOptions {
  /** The revisions that may be used, oldest first. */
  readonly revisions: readonly Revision[];
  self(): Self;
  /** The limits of the next step: of `initialize`, and of the notification after it. */
  limits(): StepLimits;
  /** Gives `initialize` up as long as it is not answered. */
  readonly stop?: AbortSignal | undefined;
  /** Called when the server chose a revision that is used, before it is told so. */
  readonly begun?: (() => void) | undefined;
}

/** Outcome of the handshake. */
export interface Initialized {
  readonly channel: OpenChannel;
  readonly revision: Revision;
  readonly capabilities: ServerCapabilities;
  readonly server: Implementation;
  readonly instructions: string | undefined;
}

/**
 * Makes the handshake: `initialize`, and `notifications/initialized` once the server's choice is accepted.
 * (Spec, Lifecycle, until 2025-11-25.)
 *
 * @param offer The revision that is asked for.
 * @throws IncompatibleError when the server chose a revision that may not be used; then the channel is good for nothing.
 */
export async function initialize(
  channel: OpenChannel,
  offer: Revision,
  options: InitializeOptions,
): Promise<Initialized> {
  const self = options.self();
  const params = {
    protocolVersion: offer.date,
    capabilities: declaredBy(self, offer),
    clientInfo: toWire(offer, implementationShape, self.info),
  };
  const limits = options.limits();
  const raw = await channel.connection.call('initialize', params, {
    ...limits,
    signal: either(limits.signal, options.stop),
    revision: offer,
    tellCancelled: false,
  }).answer;
  const revision = chosen(raw, options.revisions);
  if (revision === undefined) throw incompatible(options.revisions, [named(raw['protocolVersion'])]);
  const result = read(revision, raw);
  if (revision.versionHeader === 'after-initialize') channel.setHeaders({ 'MCP-Protocol-Version': revision.date });
  options.begun?.();
  const { timeoutMs, maxTotalTimeoutMs, signal } = options.limits();
  const method = 'notifications/initialized';
  const taken = channel.notify(method, undefined, { revision }).catch((error: unknown) => {
    throw refusedInitialized(error);
  });
  await waitFor(taken, { method, until: 'taken', signal, ms: maxTotalTimeoutMs ?? timeoutMs });
  // The stream stays open as long as the connection, so this does not wait for it.
  void channel.listen();
  return {
    channel,
    revision,
    capabilities: result.capabilities,
    server: result.serverInfo,
    instructions: result.instructions,
  };
}

/** Refusals that came after the answer to `initialize`. */
export const refusedLate: WeakSet<Error> = new WeakSet();

/** The failure of the notification, which names it: a server that took `initialize` may refuse it. */
function refusedInitialized(error: unknown): unknown {
  if (!(error instanceof ConnectionError) || error.reason === 'aborted') return error;
  const { reason, cause } = error;
  // A session that has not begun cannot be lost. The refusal is the better error.
  const failure = reason === 'session-lost' && cause instanceof ConnectionError ? cause : error;
  failure.message = `initialize was answered, but notifications/initialized was not taken: ${failure.message}`;
  refusedLate.add(failure);
  return failure;
}

/**
 * The server's choice, if it can be used. A stateless revision has no `initialize`, so a server cannot choose one here.
 */
function chosen(raw: JsonObject, allowed: readonly Revision[]): Revision | undefined {
  const revision = readableRevision(raw['protocolVersion']);
  return revision !== undefined && revision.era === 'handshake' && allowed.includes(revision) ? revision : undefined;
}

/** The version as text for an error message: a server may send any value. */
function named(version: unknown): string {
  return typeof version === 'string' ? version : shown(version);
}

function read(
  revision: Revision,
  raw: JsonObject,
): { readonly capabilities: ServerCapabilities; readonly serverInfo: Implementation; readonly instructions?: string } {
  try {
    return fromWire(revision, initializeResultShape, raw);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : '';
    throw new ConnectionError('invalid-message', `the answer to initialize is malformed: ${why}`, { cause });
  }
}
