/**
 * Situations for the check of an authorized client: each is a separate MCP server, with its own authorization servers.
 */

/** Situation, as data. */
export interface Scenario {
  readonly name: string;
  /** Instructions for the user of the client. */
  readonly words: string;
  /** True where a client that is right gets in; false where it has to refuse. */
  readonly isOpen: boolean;
  /** TrailPlace of the metadata of the resource: one that the challenge names, that of the root alone, or none. */
  readonly metadata: 'named' | 'root' | 'none';
  /** Scope that the challenge names. */
  readonly challenged?: string;
  /** Scopes that the metadata of the resource say. */
  readonly supported?: readonly string[];
  /** Resource that the metadata say, made of the right one, which they say by default. */
  readonly resource?: (own: string) => string;
  /** Path of the issuer, and where its metadata are: as RFC 8414 says, or as OpenID Connect does, before or after its path. */
  readonly issuer: { readonly path: string; readonly at: 'oauth' | 'openid' | 'appended' | 'none' };
  /** Ways of a client to say who it is at the token endpoint. */
  readonly methods?: readonly string[];
  /** Odd things that the metadata of the issuer say: another issuer, nothing of PKCE, that it sends `iss`. */
  readonly saysIssuer?: string;
  readonly hidesPkce?: true;
  readonly promisesIss?: true;
  /** The `iss` that the browser comes back with, made of the right one; none by default. */
  readonly iss?: (issuer: string, second: string) => string;
  /** True where there is a second issuer. */
  readonly hasSecond?: true;
  /** True if the resource metadata names the second issuer once a user has opened the page of the first. */
  readonly movesMeanwhile?: true;
  /** True where the URL of a metadata document serves as the id of a client. */
  readonly takesDocuments?: true;
  /** True if tokens are bound to the key of a client that sends proofs, each with a nonce. */
  readonly takesProofs?: true;
  /** True if no user is sent to a page: for clients that act for themselves. */
  readonly isMachine?: true;
  /** True where every registration is refused for its redirect URIs, and so is every assertion. */
  readonly refusesRegistration?: true;
  /** True where the browser comes back with another `state`. */
  readonly altersState?: true;
  /** True where there are no tokens by which others are got. */
  readonly keepsNoRefresh?: true;
  /** True where a client may stop, by one text that is in force, and go on by another. */
  readonly mayStop?: true;
  /** Tools, in the order in which they are called. */
  readonly tools: readonly string[];
  /** True for what clients of the first revision with authorization alone can do. */
  readonly isFirst?: true;
}

/**
 * Scopes: the challenged one, the one that `more` needs, one that is never granted, and one that no operation needs.
 */
export const scopes = {
  first: 'files:read',
  more: 'files:write',
  never: 'files:never',
  unneeded: 'files:admin',
} as const;

/** A client that was registered by hand, at every issuer but the second of `moved`. */
export const knownClient = 'parley-check';

const right = {
  isOpen: true,
  metadata: 'named',
  issuer: { path: '/tenant', at: 'oauth' },
  tools: ['echo'],
} as const;
const wrong = { ...right, isOpen: false } as const;

/** All of them. The order is that in which they are tried. */
export const scenarios: readonly Scenario[] = [
  {
    ...right,
    name: 'right',
    words:
      'sign in, and call the tools in their order: more wants another scope, expire ends the token, never is always refused',
    challenged: scopes.first,
    supported: [scopes.unneeded, scopes.more],
    promisesIss: true,
    iss: (issuer) => issuer,
    methods: ['none', 'client_secret_post'],
    tools: ['echo', 'more', 'expire', 'again', 'never'],
  },
  {
    ...right,
    name: 'plain',
    words: 'sign in, and call the tools in their order; there is less to go by',
    metadata: 'root',
    supported: [scopes.first, scopes.more],
    issuer: { path: '', at: 'openid' },
    methods: ['client_secret_basic'],
    keepsNoRefresh: true,
    tools: ['echo', 'expire', 'again'],
  },
  { ...right, name: 'openid', words: 'sign in, and call echo', issuer: { path: '/tenant', at: 'appended' } },
  {
    ...right,
    name: 'moved',
    hasSecond: true,
    words: 'sign in, call move, and then echo, for which one has to sign in elsewhere',
    tools: ['move', 'echo'],
  },
  {
    ...right,
    name: 'document',
    words: 'sign in, by the URL of a metadata document where the client has one, and call echo',
    takesDocuments: true,
  },
  {
    ...right,
    name: 'capitals',
    words: 'sign in, and call echo',
    resource: (own) => own.replace(/^http:/, 'HTTP:'),
    mayStop: true,
  },
  {
    ...right,
    name: 'proofs',
    words: 'sign in, with proofs of possession (DPoP) where the client has them, and call the tools in their order',
    takesProofs: true,
    tools: ['echo', 'expire', 'again'],
  },
  {
    ...right,
    name: 'machine',
    words: 'sign in without a person, where the client can, and call echo',
    isMachine: true,
    methods: ['private_key_jwt', 'client_secret_basic', 'client_secret_post'],
  },
  {
    ...right,
    name: 'own',
    words: 'sign in as clients of 2025-03-26 do: without metadata',
    metadata: 'none',
    issuer: { path: '', at: 'none' },
    isFirst: true,
  },
  {
    ...wrong,
    name: 'mixed-up',
    words: 'try to sign in',
    hasSecond: true,
    promisesIss: true,
    movesMeanwhile: true,
    iss: (_, second) => second,
  },
  { ...wrong, name: 'no-iss', words: 'try to sign in', promisesIss: true },
  { ...wrong, name: 'foreign-iss', words: 'try to sign in', iss: () => 'https://issuer.invalid/tenant' },
  { ...wrong, name: 'alike-iss', words: 'try to sign in', iss: (issuer) => `${issuer}/` },
  { ...wrong, name: 'altered-state', words: 'try to sign in', altersState: true },
  { ...wrong, name: 'other-issuer', words: 'try to sign in', saysIssuer: 'https://issuer.invalid/tenant' },
  { ...wrong, name: 'other-resource', words: 'try to sign in', resource: () => 'https://resource.invalid/mcp' },
  { ...wrong, name: 'no-pkce', words: 'try to sign in', hidesPkce: true },
  { ...wrong, name: 'unregistered', words: 'try to sign in', refusesRegistration: true },
];
