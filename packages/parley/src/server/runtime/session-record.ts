import { isObject } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { initializeRequestParamsShape } from '../../protocol/features/lifecycle.ts';
import { loggingLevels, type LoggingLevel } from '../../protocol/features/logging-level.ts';
import { revisionOf, type Revision, type RevisionDate } from '../../protocol/revision.ts';
import type { ClientView } from './call.ts';
import type { ParsedMessage } from './parsed-message.ts';

/** The data that another process needs to continue a session. It is JSON. */
export interface SessionRecord {
  readonly revision: RevisionDate;
  readonly client: ClientView;
  /** The server's capabilities as `initialize` returned them. */
  readonly offered: ServerCapabilities;
  /** True if the client sent `notifications/initialized`. */
  readonly isReady: boolean;
  readonly level: LoggingLevel;
  /** The resources that the client is subscribed to. */
  readonly watched: readonly string[];
}

/**
 * The record of a session to continue. If it lacks the capabilities that the server declared, the current ones apply.
 */
export type KnownSession = Omit<SessionRecord, 'offered'> & Partial<Pick<SessionRecord, 'offered'>>;

/** A change that a client made to its session. */
export type SessionChange =
  | { readonly kind: 'ready' }
  | { readonly kind: 'level'; readonly level: LoggingLevel }
  | { readonly kind: 'watch' | 'unwatch'; readonly uri: string };

/** The methods by which a client changes its session. */
const changingMethods: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** Tells whether a message changes facts of its session. */
export function changesSession(judged: ParsedMessage | undefined): boolean {
  if (judged === undefined || judged.kind === 'malformed' || !('method' in judged.message)) return false;
  return changingMethods.has(judged.message.method);
}

/** A record after a change. Applying a change twice has no further effect. */
export function changedRecord(record: SessionRecord, change: SessionChange): SessionRecord {
  switch (change.kind) {
    case 'ready':
      return { ...record, isReady: true };
    case 'level':
      return { ...record, level: change.level };
    case 'watch':
      return { ...record, watched: [...new Set([...record.watched, change.uri])] };
    case 'unwatch':
      return { ...record, watched: record.watched.filter((uri) => uri !== change.uri) };
  }
}

/**
 * Reads a record that came from outside this process.
 *
 * @param spoken The revisions of this server: the record may name one that this server does not support.
 * @returns `undefined` if the value is not a valid record.
 */
export function readSessionRecord(value: unknown, spoken: readonly Revision[]): SessionRecord | undefined {
  if (!isObject(value)) return undefined;
  const { revision: date, client, offered, isReady, level, watched } = value;
  const revision = spoken.find((one) => one === revisionOf(typeof date === 'string' ? date : undefined));
  const isWhole =
    revision !== undefined &&
    isObject(client) &&
    isObject(offered) &&
    typeof isReady === 'boolean' &&
    Array.isArray(watched) &&
    watched.every((uri) => typeof uri === 'string');
  const known = loggingLevels.find((one) => one === level);
  if (!isWhole || known === undefined) return undefined;
  try {
    const given = { protocolVersion: date, clientInfo: client['info'], capabilities: client['capabilities'] };
    const { clientInfo, capabilities } = fromWire(revision, initializeRequestParamsShape, given);
    const view: ClientView = { info: clientInfo, capabilities };
    return { revision: revision.date, client: view, offered, isReady, level: known, watched };
  } catch {
    return undefined;
  }
}
