/**
 * Sender of a request: the user, no credentials (`nobody`), no header of the user at all (`stranger`), other users
 * whose tokens were given, or invalid credentials.
 */
export type Sender =
  | 'own'
  | 'nobody'
  | 'stranger'
  | 'another'
  | 'foreign'
  /** `shown` replaces the credentials in reports. */
  | { readonly authorization: string; readonly shown: string; readonly proof?: string };

/** Credentials that the user gave. They are secrets, which are sent but never reported. */
export interface UserCredentials {
  /** Headers of every request, except those of `nobody` and of others, which lack the authorizing headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the headers that authorize a request, if they are not fixed. */
  readonly authorize?: (request: {
    readonly method: string;
    readonly url: URL;
  }) => Promise<Readonly<Record<string, string>>>;
  /** Token of another user for the same server. */
  readonly another?: string;
  /** Token that is for another server. */
  readonly foreign?: string;
}

/** A token, and a proof of the key that it is bound to. (RFC 9449.) */
export interface ProvenToken {
  readonly token: string;
  readonly proof: string;
}

/** Headers that each sender of requests has. */
export class Senders {
  readonly #url: URL;
  readonly #credentials: UserCredentials;

  constructor(url: URL, credentials: UserCredentials) {
    this.#url = url;
    this.#credentials = credentials;
  }

  /** Tells whether there are credentials of a sender. */
  knows(who: 'own' | 'another' | 'foreign'): boolean {
    const { headers = {}, authorize } = this.#credentials;
    if (who !== 'own') return this.#credentials[who] !== undefined;
    return authorize !== undefined || Object.keys(headers).some(isAuthorization);
  }

  /** The token of the user, where what authorizes is one. */
  async token(): Promise<string | undefined> {
    const own = await this.headers({ method: 'POST' });
    const [, value = ''] = Object.entries(own).find(([name]) => isAuthorization(name)) ?? [];
    return /^(?:bearer|dpop) +([\x21-\x7e]+)$/i.exec(value)?.[1];
  }

  /** The token of the user and a proof that goes with it, for another request too; `undefined` where the token is bound to no key. */
  async proven(method: string, path?: string): Promise<ProvenToken | undefined> {
    const { authorize } = this.#credentials;
    const url = path === undefined ? this.#url : new URL(path, this.#url);
    const made = Object.entries((await authorize?.({ method, url })) ?? {});
    const valueOf = (wanted: string): string => made.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';
    const [, token] = /^dpop +([\x21-\x7e]+)$/i.exec(valueOf('authorization')) ?? [];
    const proof = valueOf('dpop');
    return token === undefined || proof === '' ? undefined : { token, proof };
  }

  /** Headers of the user that go with a request. */
  async headers({
    method,
    path,
    as = 'own',
  }: {
    readonly method: string;
    readonly path?: string;
    readonly as?: Sender;
  }): Promise<Readonly<Record<string, string>>> {
    const { headers = {}, authorize, another, foreign } = this.#credentials;
    if (as === 'own') {
      const url = path === undefined ? this.#url : new URL(path, this.#url);
      return { ...headers, ...(await authorize?.({ method, url })) };
    }
    if (as === 'stranger') return {};
    const others = Object.fromEntries(Object.entries(headers).filter(([name]) => !isAuthorization(name)));
    if (as === 'nobody') return others;
    if (typeof as === 'object')
      return { ...others, authorization: as.authorization, ...(as.proof === undefined ? {} : { dpop: as.proof }) };
    return { ...others, authorization: `Bearer ${as === 'another' ? another : foreign}` };
  }
}

/** Header of a sender in reports, unless it is the user. The user's tokens are never reported. */
export function shownSender(as: Sender | undefined): Readonly<Record<string, string>> {
  if (as === undefined || as === 'own' || as === 'nobody' || as === 'stranger') return {};
  if (typeof as === 'object') return { authorization: as.shown };
  return { authorization: as === 'another' ? 'Bearer … (of another user)' : 'Bearer … (for another server)' };
}

/** Tells whether a header carries authorization, or belongs to it: a proof uses the same key. */
function isAuthorization(name: string): boolean {
  return ['authorization', 'dpop', 'cookie', 'proxy-authorization'].includes(name.toLowerCase());
}

/** Headers with changes, whatever the spelling of their names. */
export function withChanges(
  headers: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const changed = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !changed.has(name.toLowerCase()));
  const set = Object.entries(changes).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries([...kept, ...set]);
}
