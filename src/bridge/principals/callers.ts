import type { AuthorizedRequest } from '../../auth/common/authorizer.ts';
import { AuthorizationError } from '../../auth/common/errors.ts';
import { callerKey } from '../../server/runtime/caller.ts';
import type { AuthInfo } from '../../server/runtime/endpoint.ts';

/** Limit of the callers of one principal that are told apart. */
const most = 32;

/** Callers of one principal: the newest speaks for what no request is sent for. */
export interface Callers {
  readonly latest: AuthInfo | undefined;
}

/** The caller who came last, but for one whose tokens cannot be exchanged here where those of the one before can. */
export function latestOf(before: AuthInfo | undefined, now: AuthInfo): AuthInfo {
  return now.exchange === undefined && before?.exchange !== undefined ? before : now;
}

/** Finds the caller in whose place a request is sent. */
export function senderOf({ caller }: AuthorizedRequest, { latest }: Callers): AuthInfo {
  // It is what the bridge gave with the request.
  const known = (caller ?? latest) as AuthInfo | undefined;
  if (known !== undefined) return known;
  throw new AuthorizationError('login-required', 'nobody is known in whose place the upstream could be asked');
}

/** Things that are kept for each caller: for one token, another one that says the same, and for no other. */
export class PerCaller<T> {
  readonly #kept = new Map<string, T>();
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }

  /** The thing that is kept for a caller; of too many, that which was used least recently makes way. */
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
