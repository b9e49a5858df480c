import { canonicalResource, speaksFor } from '../../../../../parley/src/auth/common/resource-url.ts';
import { scopesOf } from '../../../../../parley/src/auth/common/scopes.ts';
import { resourceMetadataUrls } from '../../../../../parley/src/auth/common/well-known.ts';
import { textField, textsField, type JsonDocument } from './document.ts';
import { fieldMistakes, type FieldTypes } from './field-types.ts';
import type { Findings } from './findings.ts';
import { withoutQuery } from './look.ts';
import { cited, type PublishedRule } from './rule.ts';

const types: FieldTypes = {
  resource: 'text',
  authorization_servers: 'texts',
  jwks_uri: 'text',
  scopes_supported: 'texts',
  bearer_methods_supported: 'texts',
  resource_name: 'text',
  dpop_signing_alg_values_supported: 'texts',
  dpop_bound_access_tokens_required: 'flag',
};

/** A rule of the resource metadata, where there are some. */
function ofDocument(
  rule: Omit<PublishedRule, 'test'>,
  test: (document: JsonDocument, findings: Findings) => string | undefined,
): PublishedRule {
  return {
    ...rule,
    test: (findings) => {
      const { document } = findings.resource;
      const words = document === undefined ? undefined : test(document, findings);
      return words === undefined ? [] : [words];
    },
  };
}

/** The resource identifiers that metadata may have, by where they were found. (RFC 9728, section 3.3) */
function identifiersOf({ server, resource: { foundBy, looked } }: Findings): readonly string[] {
  const own = canonicalResource(server);
  const [ofPath] = resourceMetadataUrls(server);
  const at = looked.find(({ outcome }) => outcome === 'found')?.url;
  const expected =
    foundBy === 'challenge' || (ofPath !== undefined && at === withoutQuery(ofPath)) ? own : server.origin;
  return expected === server.origin ? [server.origin, `${server.origin}/`] : [expected];
}

/** Rules of protected resource metadata. */
export const resourceRules: readonly PublishedRule[] = [
  {
    id: 'resource-metadata-not-there',
    stops: true,
    client: 'asks nothing beside what the challenge names, and gives up',
    source: 'RFC 9728, section 5.1; spec 2025-11-25, Authorization, Protected Resource Metadata Discovery Requirements',
    test: ({ resource: { named, looked } }) => {
      const [first] = looked;
      return named !== undefined && first?.outcome === 'absent'
        ? [
            `the challenge names ${first.url}, where no resource metadata are (${first.problem ?? `HTTP ${first.status}`})`,
          ]
        : [];
    },
  },
  ofDocument(
    {
      id: 'resource-missing',
      stops: true,
      client: 'uses nothing of the resource metadata',
      source: 'RFC 9728, section 2',
    },
    (document) =>
      textField(document, 'resource') === undefined ? 'the resource metadata have no resource' : undefined,
  ),
  ofDocument(
    {
      id: 'resource-of-another',
      stops: true,
      client: 'refuses: it sends nothing to an authorization server that another resource names',
      source:
        'RFC 9728, section 3.3; spec 2026-07-28, Authorization Server Discovery, Protected Resource Metadata Discovery Requirements',
    },
    (document, { server }) => {
      const resource = textField(document, 'resource');
      if (resource === undefined || speaksFor(resource, server)) return undefined;
      const isNear = URL.canParse(resource) && new URL(resource).origin === server.origin;
      return `resource is ${cited(withoutQuery(resource))}, ${isNear ? 'which is no beginning of the path of' : 'another origin than'} ${server.origin}${server.pathname}`;
    },
  ),
  ofDocument(
    {
      id: 'resource-spelling',
      stops: false,
      client: 'takes it, and sends it byte for byte; strict ones refuse',
      source: 'RFC 9728, section 3.3; spec 2025-11-25, Authorization, Canonical Server URI',
    },
    (document, findings) => {
      const resource = textField(document, 'resource');
      const expected = identifiersOf(findings);
      if (resource === undefined || !speaksFor(resource, findings.server) || expected.includes(resource))
        return undefined;
      return `resource is ${cited(withoutQuery(resource))}, and where it was found it has to be ${withoutQuery(expected[0] ?? '')}`;
    },
  ),
  ofDocument(
    {
      id: 'authorization-servers-missing',
      stops: true,
      client: 'does not know where to sign in, and gives up',
      source: 'spec 2025-06-18, Authorization, Authorization Server Location',
    },
    (document) =>
      textsField(document, 'authorization_servers')?.some((issuer) => URL.canParse(issuer)) === true
        ? undefined
        : 'the resource metadata name no authorization server in authorization_servers',
  ),
  ofDocument(
    {
      id: 'offline-access-advertised',
      stops: false,
      client: 'asks for it where its authorization server knows it, and never counts it as missing',
      source: 'spec 2026-07-28, Authorization, Refresh Tokens',
    },
    (document) =>
      scopesOf(document['scopes_supported']).includes('offline_access')
        ? 'scopes_supported of the resource metadata has offline_access, which is between client and authorization server'
        : undefined,
  ),
  ofDocument(
    {
      id: 'header-not-taken',
      stops: false,
      client: 'sends the token in the header Authorization all the same: no other way is allowed',
      source: 'spec 2025-11-25, Authorization, Token Requirements',
    },
    (document) => {
      const methods = textsField(document, 'bearer_methods_supported');
      return methods === undefined || methods.includes('header')
        ? undefined
        : `bearer_methods_supported is ${cited(JSON.stringify(methods))}, without header`;
    },
  ),
  {
    id: 'resource-field-type',
    stops: false,
    client: 'takes the field for absent',
    source: 'RFC 9728, section 2; RFC 9449, section 5',
    test: ({ resource: { document } }) => fieldMistakes(document, types),
  },
];
