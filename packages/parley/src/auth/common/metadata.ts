/** Metadata of protected resources and of authorization servers, as they are read. */

import { AuthorizationError } from './errors.ts';
import { hasFields } from './fields.ts';
import { scopesOf } from './scopes.ts';

/** The part of the metadata of a protected resource that is used. (RFC 9728, section 2.) */
export interface ResourceMetadata {
  /** The identifier of the resource, unchanged byte for byte. */
  readonly resource: string;
  /** The issuers of its authorization servers, as they came; at least one. */
  readonly authorizationServers: readonly string[];
  /** The supported scopes; `undefined` if it lists none. */
  readonly scopesSupported: readonly string[] | undefined;
  readonly name: string | undefined;
  readonly dpopBoundAccessTokensRequired: boolean;
}

/** The part of the metadata of an authorization server that is used. (RFC 8414, section 2, and what extends it.) */
export interface ServerMetadata {
  /** The issuer, unchanged byte for byte. */
  readonly issuer: string;
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string | undefined;
  readonly registrationEndpoint: string | undefined;
  readonly revocationEndpoint: string | undefined;
  readonly introspectionEndpoint: string | undefined;
  readonly deviceAuthorizationEndpoint: string | undefined;
  readonly jwksUri: string | undefined;
  readonly scopesSupported: readonly string[] | undefined;
  readonly grantTypesSupported: readonly string[] | undefined;
  readonly codeChallengeMethodsSupported: readonly string[] | undefined;
  readonly tokenEndpointAuthMethodsSupported: readonly string[] | undefined;
  readonly dpopSigningAlgValuesSupported: readonly string[] | undefined;
  /** The profiles of assertion grants that it takes (ID-JAG). */
  readonly authorizationGrantProfilesSupported: readonly string[] | undefined;
  /** True when it takes the URL of a document as a client id. */
  readonly clientIdMetadataDocumentSupported: boolean;
  /** True when its authorization responses name the issuer. (RFC 9207, section 3.) */
  readonly authorizationResponseIssParameterSupported: boolean;
  /** True when it is a provider of OpenID Connect. */
  readonly isOpenIdProvider: boolean;
}

/**
 * Reads the metadata of a protected resource.
 *
 * @param url Its URL, for errors.
 * @throws AuthorizationError `discovery` if it lacks a required field.
 */
export function readResourceMetadata(value: unknown, url: string): ResourceMetadata {
  const where = placeOf(url);
  const fields = fieldsOf(value, where);
  const named = fields.text('resource');
  const resource = named !== undefined && isShowable(named) ? named : undefined;
  const authorizationServers = fields
    .texts('authorization_servers')
    ?.filter((issuer) => isShowable(issuer) && URL.canParse(issuer));
  if (resource === undefined)
    throw new AuthorizationError('discovery', `the resource metadata at ${where} has no resource`);
  if (authorizationServers === undefined || authorizationServers.length === 0)
    throw new AuthorizationError('discovery', `the resource metadata at ${where} names no authorization server`, {
      resource,
    });
  return {
    resource,
    authorizationServers,
    scopesSupported: fields.scopes('scopes_supported'),
    name: fields.text('resource_name'),
    dpopBoundAccessTokensRequired: fields.flag('dpop_bound_access_tokens_required'),
  };
}

/**
 * Reads the metadata of an authorization server, without a comparison with the expected issuer.
 *
 * @param url Its URL, for errors.
 * @throws AuthorizationError `discovery` if it names no issuer.
 */
export function readServerMetadata(value: unknown, url: string): ServerMetadata {
  const where = placeOf(url);
  const fields = fieldsOf(value, where);
  const issuer = fields.text('issuer');
  if (issuer === undefined)
    throw new AuthorizationError('discovery', `the authorization server metadata at ${where} names no issuer`);
  return {
    issuer,
    authorizationEndpoint: fields.text('authorization_endpoint'),
    tokenEndpoint: fields.text('token_endpoint'),
    registrationEndpoint: fields.text('registration_endpoint'),
    revocationEndpoint: fields.text('revocation_endpoint'),
    introspectionEndpoint: fields.text('introspection_endpoint'),
    deviceAuthorizationEndpoint: fields.text('device_authorization_endpoint'),
    jwksUri: fields.text('jwks_uri'),
    scopesSupported: fields.scopes('scopes_supported'),
    grantTypesSupported: fields.texts('grant_types_supported'),
    codeChallengeMethodsSupported: fields.texts('code_challenge_methods_supported'),
    tokenEndpointAuthMethodsSupported: fields.texts('token_endpoint_auth_methods_supported'),
    dpopSigningAlgValuesSupported: fields.texts('dpop_signing_alg_values_supported'),
    authorizationGrantProfilesSupported: fields.texts('authorization_grant_profiles_supported'),
    clientIdMetadataDocumentSupported: fields.flag('client_id_metadata_document_supported'),
    authorizationResponseIssParameterSupported: fields.flag('authorization_response_iss_parameter_supported'),
    isOpenIdProvider: fields.texts('subject_types_supported') !== undefined,
  };
}

/** The longest identifier that is taken. */
const mostCharacters = 2_048;

/** True for an identifier that can be shown as it is: parsers of URLs pass over characters around one, but identifiers stay as they came. */
function isShowable(text: string): boolean {
  return text.length <= mostCharacters && !/[\p{C}\p{Z}]/u.test(text);
}

/** A URL without its query, in which there may be a key. */
function placeOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}

/** The most members of one list. */
const maxMembers = 256;

interface Fields {
  text(name: string): string | undefined;
  texts(name: string): readonly string[] | undefined;
  scopes(name: string): readonly string[] | undefined;
  flag(name: string): boolean;
}

/** The fields of a document. A field that is `null` or has a wrong type counts as absent. */
function fieldsOf(value: unknown, where: string): Fields {
  if (!hasFields(value)) throw new AuthorizationError('discovery', `the metadata at ${where} is not a JSON object`);
  const fields = new Map(Object.entries(value));
  const texts = (name: string): readonly string[] | undefined => {
    const list: unknown = fields.get(name);
    if (!Array.isArray(list)) return undefined;
    return list.slice(0, maxMembers).filter((member) => typeof member === 'string');
  };
  return {
    text: (name) => {
      const text: unknown = fields.get(name);
      return typeof text === 'string' && text !== '' ? text : undefined;
    },
    texts,
    scopes: (name) => {
      const list = texts(name);
      return list === undefined ? undefined : scopesOf(list);
    },
    flag: (name) => fields.get(name) === true,
  };
}
