/** Options that all ways of being authorized share. */

import type { Fetch } from '../../jsonrpc/fetch.ts';
import { hasFields } from '../common/fields.ts';
import { networkRules, type NetworkOptions } from '../common/network.ts';
import { isScope } from '../common/scopes.ts';
import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseOther } from '../../options/known-values.ts';
import type { OAuthEvent } from './events.ts';

/** Options that every way of being authorized takes; all of them have defaults. */
export interface AuthorizationOptions {
  /** Scopes to request in addition to those that the server wants; none by default. */
  readonly scopes?: readonly string[];
  /**
   * The allowed issuers of authorization servers; any by default. A function chooses one of those that the server
   * names, or none by `undefined`.
   */
  readonly issuers?:
    | readonly string[]
    | ((issuers: readonly string[]) => string | undefined | Promise<string | undefined>);
  /**
   * Metadata of authorization servers that do not publish it, by issuer and in the form of RFC 8414, such as
   * `{ code_challenge_methods_supported: ['S256'] }`. It overrides published metadata.
   */
  readonly servers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The identifier of the server as a protected resource, if it publishes none; by default its URL. */
  readonly resource?: string;
  /** Choice of naming the resource in requests (RFC 8707): `send` by default, `omit` for authorization servers that refuse it. */
  readonly resourceParameter?: 'send' | 'omit';
  /** Parameters of requests beside those of OAuth, such as `audience`. */
  readonly parameters?: {
    /** Parameters of the authorization request. */
    readonly authorization?: Readonly<Record<string, string>>;
    /** Of every token request. */
    readonly token?: Readonly<Record<string, string>>;
  };
  /**
   * Condition under which tokens are bound to a key (RFC 9449): `auto` if the server asks for it, or `always`; never by
   * default. With `always`, an authorization server without such tokens is an error.
   */
  readonly dpop?: 'auto' | 'always';
  /** Limits of where requests about authorization may go. */
  readonly network?: NetworkOptions;
  /** Function that sends the requests about authorization; the one that sends those of the conversation by default. */
  readonly fetch?: Fetch;
  /** Receives events. They contain no token or secret. */
  readonly onEvent?: (event: OAuthEvent) => void;
  /** The time, in milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
}

/** The names of these options. */
export const authorizationOptionNames: Names<AuthorizationOptions> = {
  scopes: 1,
  issuers: 1,
  servers: 1,
  resource: 1,
  resourceParameter: 1,
  parameters: 1,
  dpop: 1,
  network: 1,
  fetch: 1,
  onEvent: 1,
  now: 1,
};

/** The parameters that are OAuth's own. (RFC 6749, 7636, 7521, 8693, 8707, 9101, 9126; JARM.) */
const owned: ReadonlySet<string> = new Set([
  'response_type',
  'response_mode',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'redirect_uri',
  'scope',
  'state',
  'code',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'grant_type',
  'refresh_token',
  'assertion',
  'subject_token',
  'subject_token_type',
  'requested_token_type',
  'actor_token',
  'actor_token_type',
  'resource',
  'request',
  'request_uri',
  'dpop_jkt',
]);

/**
 * Rejects invalid options.
 *
 * @param what The owner of the options, for the error.
 * @param known The names of all its options.
 * @throws TypeError
 */
export function checkAuthorizationOptions(what: string, options: AuthorizationOptions, known: object): void {
  // In JavaScript nothing may be given.
  const given: unknown = options;
  if (!hasFields(given)) throw new TypeError(`${what} needs an object of options`);
  refuseUnknown(what, options, known);
  const { scopes = [], resource, resourceParameter, dpop, parameters, network, issuers, servers = {} } = options;
  refuseUnknown('network', network, { allow: 1 } satisfies Names<NetworkOptions>);
  refuseUnknown('parameters', parameters, { authorization: 1, token: 1 });
  if (!hasFields(servers) || !Object.values(servers).every(hasFields))
    throw new TypeError('servers must have an object of metadata for each issuer');
  if (!Array.isArray(scopes) || !scopes.every(isScope))
    throw new TypeError('scopes must be an array of texts, each one scope');
  if (issuers !== undefined && typeof issuers !== 'function' && !Array.isArray(issuers))
    throw new TypeError('issuers must be an array of issuers, or a function that chooses one');
  if (resource !== undefined && (!URL.canParse(resource) || resource.includes('#')))
    throw new TypeError('resource must be an absolute URI without fragment');
  if (![undefined, 'send', 'omit'].includes(resourceParameter))
    throw new TypeError("resourceParameter must be 'send' or 'omit'");
  if (![undefined, 'auto', 'always'].includes(dpop)) throw new TypeError("dpop must be 'auto' or 'always'");
  for (const [of, more = {}] of Object.entries(parameters ?? {}))
    for (const [name, value] of Object.entries(more)) {
      if (owned.has(name)) throw new TypeError(`parameters.${of} must not have ${name}, which is OAuth's own`);
      refuseOther('string', `parameters.${of}.${name}`, value);
    }
  for (const name of ['fetch', 'onEvent', 'now'] as const) refuseOther('function', name, options[name]);
  if (!Array.isArray(network?.allow ?? [])) throw new TypeError('network.allow must be an array of hosts');
  // It rejects invalid hosts.
  networkRules(new URL('https://host.invalid'), network);
}
