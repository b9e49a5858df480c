import type { AuthorizedRequest } from '../../auth/common/authorizer.ts';
import { AuthorizationError } from '../../auth/common/errors.ts';
import { callerKey } from '../../server/runtime/caller.ts';
import type { AuthInfo } from '../../server/runtime/request-handler.ts';

/** Limit of the callers of one principal that are kept apart. */
const most = 32;

/** Callers of one principal: the newest speaks for what no request is sent for. */
export interface Callers {
  readonly latest: AuthInfo | undefined;
}

/** The most recent caller. If only the previous caller's tokens can be exchanged, the previous one. */
export function latestOf(before: AuthInfo | undefined, now: AuthInfo): AuthInfo {
  return now.exchange === undefined && before?.exchange !== undefined ? before : now;
}

/** Finds the caller for whom a request is sent. */
export function senderOf({ caller }: AuthorizedRequest, { latest }: Callers): AuthInfo {
  // The bridge itself set this value on the request.
  const known = (caller ?? latest) as AuthInfo | undefined;
  if (known !== undefined) return known;
  throw new AuthorizationError('login-required', 'no caller is known on whose behalf the upstream could be called');
}

/** Data for each caller. Two tokens with equal claims share an entry; others do not. */
export class PerCaller<T> {
  readonly #kept = new Map<string, T>();
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }

  /** The entry of a caller. Beyond the limit, the least recently used one is dropped. */
  of(caller: AuthInfo): T {
    const key = callerKey(caller);
    const kept = this.#kept.get(key) ?? this.#make();
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > most && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }
}
