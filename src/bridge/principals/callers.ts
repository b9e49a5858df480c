import type { AuthorizedRequest } from '../../auth/authorizer.ts';
import { AuthorizationError } from '../../auth/errors.ts';
import type { AuthInfo } from '../../host/endpoint.ts';
import { canonical } from '../../peer/digest.ts';

/** Limit of the callers of one principal that are told apart. */
const most = 32;

/** Callers of one principal: the newest speaks for what no request is sent for. */
export interface Callers {
  readonly latest: AuthInfo | undefined;
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
  of({ claims = {}, clientId, scopes = [] }: AuthInfo): T {
    const { exp: _, iat: __, nbf: ___, jti: ____, ...lasting } = claims;
    const key = canonical([clientId ?? null, scopes.toSorted(), lasting]);
    const kept = this.#kept.get(key) ?? this.#make();
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > most && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }
}
