import { isObject } from '../../../../../jsonrpc/message.ts';
import { readSessionRecord, type SessionRecord } from '../../../../../server/runtime/session-record.ts';
import type { AuthInfo } from '../../../../../server/runtime/request-handler.ts';
import type { Revision } from '../../../../../protocol/revision.ts';

/** A session as it stands in the store. */
export interface KeptSession {
  /** Hash of the owning principal; null without authentication. */
  readonly owner: string | null;
  readonly record: SessionRecord;
}

/** The key of a session's record, and the channel of its copies. */
export function keyOf(session: string): string {
  return `session ${session}`;
}

/** Reads a stored session; `undefined` for an invalid record, or one of an unsupported revision. */
export function readKeptSession(text: string, spoken: readonly Revision[]): KeptSession | undefined {
  const value = parsed(text);
  if (!isObject(value)) return undefined;
  const { owner } = value;
  const record = readSessionRecord(value['record'], spoken);
  return record === undefined || (owner !== null && typeof owner !== 'string') ? undefined : { owner, record };
}

/** The hash of a principal, under which the store knows it; null without one. */
export async function hashedOwner(auth: AuthInfo | undefined): Promise<string | null> {
  if (auth === undefined) return null;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(auth.principal));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
