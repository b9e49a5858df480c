/** The options for accepted authorization servers. */

import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { shown } from '../../options/shown.ts';
import { isLoopback } from '../common/network.ts';
import { audienceOf, type Audience } from './audience.ts';

/** Identity of this server at an authorization server that it asks about tokens. */
export interface IntrospectionOptions {
  /** URL at which tokens are asked about; that of the metadata by default. */
  readonly endpoint?: string;
  /** The id of this server at the introspection endpoint. */
  readonly clientId: string;
  /** The secret of this server there. */
  readonly clientSecret: string;
  /** Place of id and secret; `client_secret_basic` by default. */
  readonly method?: 'client_secret_basic' | 'client_secret_post';
  /**
   * The beginning of its tokens, if they have one of their own. Only this issuer is asked about tokens that begin so, and about no others.
   * Set it where several issuers are asked: the first one that is asked sees a token of the others.
   */
  readonly prefix?: string;
}

/** An authorization server whose tokens are accepted. */
export interface IssuerOptions {
  /** Its identifier, as tokens and its metadata have it. */
  readonly issuer: string;
  /** Audience of its tokens, if it differs from the common one. */
  readonly audience?: string | readonly string[];
  /** The algorithms that its tokens are signed with; every asymmetric one by default. */
  readonly algorithms?: readonly string[];
  /** URL of its keys; by default from the metadata. */
  readonly jwksUri?: string;
  /** Asks it about each token, where they are no JWTs or may be revoked. (RFC 7662.) */
  readonly introspection?: IntrospectionOptions;
  /** Other values of `iss` in its tokens. */
  readonly issuerAliases?: readonly string[];
}

/** The options with their defaults. */
export interface IssuerSettings extends Omit<IssuerOptions, 'audience'> {
  readonly algorithms: readonly string[];
  readonly audience: Audience | undefined;
  /** The values of `iss` that are its own. */
  readonly names: ReadonlySet<string>;
}

const names: Names<IssuerOptions> = {
  issuer: 1,
  audience: 1,
  algorithms: 1,
  jwksUri: 1,
  introspection: 1,
  issuerAliases: 1,
};
const introspectionNames: Names<IntrospectionOptions> = {
  endpoint: 1,
  clientId: 1,
  clientSecret: 1,
  method: 1,
  prefix: 1,
};

/** Signatures that a key proves which is no secret of ours. (RFC 7518, section 3.1; RFC 8037; RFC 9864.) */
export const asymmetric: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** @throws TypeError for an invalid issuer. */
export function resolveIssuers(
  given: readonly (string | IssuerOptions)[],
  audienceClaim: string | undefined,
): readonly IssuerSettings[] {
  if (!Array.isArray(given)) throw new TypeError(`issuers must be a list, not ${shown(given)}`);
  return given.map((one: string | IssuerOptions) =>
    resolve(typeof one === 'string' ? { issuer: one } : one, audienceClaim),
  );
}

function resolve(options: IssuerOptions, audienceClaim: string | undefined): IssuerSettings {
  refuseUnknown('an issuer', options, names);
  refuseUnknown('introspection', options.introspection, introspectionNames);
  const { issuer, audience, algorithms = asymmetric, introspection, issuerAliases = [] } = options;
  const url = typeof issuer === 'string' && URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined || url.search !== '' || url.hash !== '')
    throw new TypeError(`an issuer is a URL such as 'https://login.example.com', not ${shown(issuer)}`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw new TypeError(`an issuer is an https: URL (http: on this machine alone), not ${shown(issuer)}`);
  const odd = algorithms.find((name) => !asymmetric.includes(name));
  if (odd !== undefined || algorithms.length === 0)
    throw new TypeError(`algorithms may hold ${asymmetric.join(', ')}; not ${shown(odd)}`);
  const secret = introspection === undefined || typeof introspection.clientSecret === 'string';
  if (!secret || (introspection !== undefined && typeof introspection.clientId !== 'string'))
    throw new TypeError('introspection needs clientId and clientSecret: only a known client may introspect tokens');
  if (introspection !== undefined && !/^(?:undefined|string)$/.test(typeof introspection.prefix))
    throw new TypeError(`prefix must be the beginning of tokens, not ${shown(introspection.prefix)}`);
  if (options.jwksUri !== undefined && !URL.canParse(String(options.jwksUri)))
    throw new TypeError(`jwksUri must be the URL of keys, not ${shown(options.jwksUri)}`);
  if (!Array.isArray(issuerAliases) || !issuerAliases.every((alias) => typeof alias === 'string'))
    throw new TypeError(`issuerAliases must be a list of other values of iss, not ${shown(issuerAliases)}`);
  // An issuer without a path has two spellings, which one document describes.
  const twin = url.pathname === '/' ? [url.origin, `${url.origin}/`] : [];
  return {
    ...options,
    algorithms,
    audience:
      audience === undefined ? undefined : audienceOf(issuer, { audience, ...(audienceClaim && { audienceClaim }) }),
    names: new Set([issuer, ...twin, ...issuerAliases]),
  };
}
