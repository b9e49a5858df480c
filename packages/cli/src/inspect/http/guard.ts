/** Access control of the local process. */

import { timingSafeEqual } from 'node:crypto';

/** Facts that identify callers. */
export interface Door {
  /** The one value of `Host` that is ours, such as `127.0.0.1:6280`. */
  readonly host: string;
}

/** A request, as far as the guard reads it. */
export interface Knock {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** DoorRefusal of a request. */
export interface DoorRefusal {
  readonly status: 401 | 403 | 405 | 415;
  /** Message for the caller, without secrets. */
  readonly message: string;
}

/**
 * Judges where a request comes from: the host must be exactly ours, so that no name that was made to point here is served
 * (DNS rebinding), and a page of another origin reaches nothing, not even a file.
 */
export function refusedAtDoor({ headers }: Knock, { host }: Door): DoorRefusal | undefined {
  if (headers['host'] !== host) return { status: 403, message: `this is ${host} alone` };
  const origin = headers['origin'];
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, message: 'pages of other origins are not served' };
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return { status: 403, message: 'pages of other sites are not served' };
  return undefined;
}

/** Judges a request to a verb: it is posted, as JSON, which no form of another page can send, with a token of this run. */
export function refusedAtVerb({ method, headers }: Knock, tokens: readonly string[]): DoorRefusal | undefined {
  if (method !== 'POST') return { status: 405, message: 'verbs are posted' };
  const given = headers['authorization'];
  if (typeof given !== 'string' || !tokens.some((token) => isSame(given, `Bearer ${token}`)))
    return {
      status: 401,
      message: 'the token of this run is missing or another; open the address that parley inspect printed',
    };
  const type = headers['content-type'];
  if (typeof type !== 'string' || !/^application\/json *(?:;|$)/i.test(type))
    return { status: 415, message: 'the body of a verb is application/json' };
  return undefined;
}

function isSame(one: string, another: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(another)];
  return a.length === b.length && timingSafeEqual(a, b);
}
