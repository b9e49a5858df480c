import { sameIssuer } from '../../../../../parley/src/auth/client/discovery.ts';
import { textField, textsField, type JsonDocument } from './document.ts';
import { fieldMistakes, type FieldTypes } from './field-types.ts';
import type { FoundServer } from './findings.ts';
import { withoutQuery } from './look.ts';
import { cited, type PublishedRule } from './rule.ts';

const types: FieldTypes = {
  issuer: 'text',
  authorization_endpoint: 'text',
  token_endpoint: 'text',
  registration_endpoint: 'text',
  scopes_supported: 'texts',
  response_types_supported: 'texts',
  grant_types_supported: 'texts',
  code_challenge_methods_supported: 'texts',
  token_endpoint_auth_methods_supported: 'texts',
  dpop_signing_alg_values_supported: 'texts',
  client_id_metadata_document_supported: 'flag',
  authorization_response_iss_parameter_supported: 'flag',
};

/** A rule of each authorization server. */
function ofServer(rule: Omit<PublishedRule, 'test'>, test: (server: FoundServer) => readonly string[]): PublishedRule {
  return { ...rule, test: ({ servers }) => servers.flatMap(test) };
}

/** A rule of the metadata of each authorization server that has some. */
function ofDocument(
  rule: Omit<PublishedRule, 'test'>,
  test: (document: JsonDocument, issuer: string) => string | undefined,
): PublishedRule {
  return ofServer(rule, ({ document, issuer }) => {
    const words = document === undefined ? undefined : test(document, withoutQuery(issuer));
    return words === undefined ? [] : [words];
  });
}

/** True where people sign in: by the grant types, which are those of codes where they are not listed. */
function givesCodes(document: JsonDocument): boolean {
  return textsField(document, 'grant_types_supported')?.includes('authorization_code') ?? true;
}

/** Rules of the metadata of authorization servers. */
export const serverRules: readonly PublishedRule[] = [
  ofServer(
    {
      id: 'metadata-at-root',
      stops: true,
      client: 'never looks there: the root may have another owner',
      source: 'RFC 8414, section 3.1; spec 2025-11-25, Authorization, Authorization Server Metadata Discovery',
    },
    ({ issuer, looked }) =>
      looked.flatMap(({ url, outcome, beyond, document: there }) =>
        outcome === 'found' && beyond === true
          ? [
              `the issuer ${withoutQuery(issuer)} has a path, and metadata are at the root alone: ${url}, of the issuer ${cited(withoutQuery(textField(there, 'issuer') ?? ''))}`,
            ]
          : [],
      ),
  ),
  ofServer(
    {
      id: 'server-metadata-nowhere',
      stops: true,
      client: 'gives up; what they would say can be given by --issuer <issuer> --as-metadata <json>',
      source: 'spec 2025-11-25, Authorization, Authorization Server Metadata Discovery',
    },
    ({ issuer, looked, document }) =>
      document === undefined && looked.length > 0 && looked.every(({ outcome }) => outcome === 'absent')
        ? [`${withoutQuery(issuer)} publishes no metadata`]
        : [],
  ),
  ofDocument(
    { id: 'issuer-missing', stops: true, client: 'uses nothing of the metadata', source: 'RFC 8414, section 2' },
    (document, issuer) =>
      textField(document, 'issuer') === undefined ? `the metadata of ${issuer} name no issuer` : undefined,
  ),
  ofServer(
    {
      id: 'issuer-of-another',
      stops: true,
      client: 'refuses: it uses nothing of the metadata',
      source:
        'RFC 8414, section 3.3; spec 2026-07-28, Authorization Server Discovery, Authorization Server Metadata Discovery',
    },
    ({ document, issuer }) => {
      const own = textField(document, 'issuer');
      if (own === undefined || sameIssuer(own, issuer)) return [];
      const isSpelling = URL.canParse(own) && URL.canParse(issuer) && trimmed(own) === trimmed(issuer);
      return [
        `the metadata of ${withoutQuery(issuer)} say that they are those of ${cited(withoutQuery(own))}${isSpelling ? ', another spelling of it, which counts as another issuer' : ''}`,
      ];
    },
  ),
  ofServer(
    {
      id: 'issuer-slash',
      stops: false,
      client:
        'takes either, since the issuer has no path, and holds iss against the spelling of the metadata; strict ones refuse',
      source:
        'RFC 8414, section 3.3; spec 2026-07-28, Authorization Server Discovery, Authorization Server Metadata Discovery',
    },
    ({ document, issuer }) => {
      const own = textField(document, 'issuer');
      return own === undefined || own === issuer || !sameIssuer(own, issuer)
        ? []
        : [`the issuer is ${issuer} in the resource metadata and ${own} in its own`];
    },
  ),
  ofDocument(
    {
      id: 'authorization-endpoint-missing',
      stops: true,
      client: 'cannot sign anybody in',
      source: 'RFC 8414, section 2',
    },
    (document, issuer) =>
      givesCodes(document) && textField(document, 'authorization_endpoint') === undefined
        ? `the metadata of ${issuer} have no authorization_endpoint`
        : undefined,
  ),
  ofDocument(
    { id: 'token-endpoint-missing', stops: true, client: 'gets no token', source: 'RFC 8414, section 2' },
    (document, issuer) =>
      textField(document, 'token_endpoint') === undefined
        ? `the metadata of ${issuer} have no token_endpoint`
        : undefined,
  ),
  ofDocument(
    {
      id: 'no-s256',
      stops: true,
      client:
        'refuses to sign in; an operator who knows better says so with --issuer <issuer> --as-metadata \'{"code_challenge_methods_supported":["S256"]}\'',
      source: 'spec 2025-11-25, Authorization, Authorization Code Protection',
    },
    (document, issuer) => {
      const methods = textsField(document, 'code_challenge_methods_supported');
      if (!givesCodes(document) || methods?.includes('S256') === true) return undefined;
      return `code_challenge_methods_supported of ${issuer} ${methods === undefined ? 'is missing' : `is ${cited(JSON.stringify(methods))}, without S256`}`;
    },
  ),
  ofDocument(
    {
      id: 'response-types-missing',
      stops: false,
      client: 'takes code for granted',
      source: 'RFC 8414, section 2',
    },
    (document, issuer) =>
      textsField(document, 'response_types_supported') === undefined
        ? `the metadata of ${issuer} have no response_types_supported`
        : undefined,
  ),
  ofDocument(
    {
      id: 'iss-unnamed',
      stops: false,
      client:
        'cannot tell answers of this authorization server from those of another by iss, and relies on state alone',
      source: 'spec 2026-07-28, Authorization, Authorization Response Validation; RFC 9207, section 3',
    },
    (document, issuer) =>
      document['authorization_response_iss_parameter_supported'] === true
        ? undefined
        : `${issuer} does not say that its answers name it (authorization_response_iss_parameter_supported)`,
  ),
  ofDocument(
    {
      id: 'metadata-documents-not-taken',
      stops: false,
      client: 'registers dynamically where it can, or has to be registered by hand',
      source: 'spec 2025-11-25, Authorization, Client ID Metadata Documents',
    },
    (document, issuer) =>
      document['client_id_metadata_document_supported'] === true
        ? undefined
        : `${issuer} does not take the URL of a document as a client id (client_id_metadata_document_supported)`,
  ),
  ofDocument(
    {
      id: 'dpop-symmetric',
      stops: false,
      client: 'signs proofs with ES256 or not at all',
      source: 'RFC 9449, section 5.1',
    },
    (document, issuer) => {
      const wrong = textsField(document, 'dpop_signing_alg_values_supported')?.filter((name) =>
        /^(?:none|HS\d+)$/i.test(name),
      );
      return wrong === undefined || wrong.length === 0
        ? undefined
        : `dpop_signing_alg_values_supported of ${issuer} has ${cited(wrong.join(', '))}`;
    },
  ),
  {
    id: 'dpop-required-not-offered',
    stops: true,
    client: 'gets no token that the server takes',
    source: 'RFC 9728, section 2; RFC 9449, section 5.1',
    test: ({ resource, servers }) =>
      resource.document?.['dpop_bound_access_tokens_required'] === true
        ? servers.flatMap(({ document, issuer }) =>
            document !== undefined && textsField(document, 'dpop_signing_alg_values_supported') === undefined
              ? [
                  `the server takes no tokens but those that are bound to a key, and ${withoutQuery(issuer)} names no dpop_signing_alg_values_supported`,
                ]
              : [],
          )
        : [],
  },
  ofServer(
    {
      id: 'server-field-type',
      stops: false,
      client: 'takes the field for absent',
      source: 'RFC 8414, section 2',
    },
    ({ document }) => fieldMistakes(document, types),
  ),
];

/** An issuer as a URL parser spells it, without a slash at its end. */
function trimmed(issuer: string): string {
  return new URL(issuer).href.replace(/\/$/, '');
}
