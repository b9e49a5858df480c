/**
 * A real authorization server on this machine: `oidc-provider`, which is certified for OpenID Connect. It signs people in on
 * pages, registers clients, and gives tokens for resources that are JWTs. A refresh token is good once: one that comes a second
 * time takes everything with it that came of the same login.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import Provider, { type ProviderContext, type ProviderHttpContext } from 'oidc-provider';

/** Settings of an authorization server; everything has a default. */
export interface AuthorizationServerOptions {
  /** The scopes of its resources; `read` and `write`. */
  readonly scopes?: readonly string[];
  /** How long a token is valid, in seconds; 300. A function is asked for each one. */
  readonly tokenSeconds?: number | (() => number);
  /** Whether refresh tokens are replaced by each use; true. */
  readonly rotates?: boolean;
  /** Whether it speaks OpenID Connect's `offline_access`, without which it gives no refresh token then; false. */
  readonly offlineAccess?: boolean;
  /** Whether clients may register themselves; true. */
  readonly registration?: boolean;
  /** Whether proofs of keys must have a nonce of its own; false. */
  readonly proofNonces?: boolean;
  /** The pause between the token requests of a device that it tells, in seconds; it tells none by default, which means 5. */
  readonly deviceInterval?: number;
  /** Clients that are known already, in the words of RFC 7591. */
  readonly clients?: readonly Readonly<Record<string, unknown>>[];
  /** Is awaited before a request is answered; it may answer by itself, which it says by true. */
  before?(request: IncomingMessage, response: ServerResponse): Promise<boolean | void> | boolean | void;
  /** Is awaited before an answer leaves, when all is done that was asked for. */
  answering?(request: IncomingMessage): Promise<void> | void;
  /** Overrides anything in the words of oidc-provider. */
  readonly configuration?: object;
}

/** A token request that was answered. */
export interface SeenTokenRequest {
  readonly client: string | undefined;
  readonly grantType: string;
  readonly refreshToken: string | undefined;
  readonly resource: unknown;
  /** The error that it was answered with. */
  readonly error: string | undefined;
}

/** An authorization server that runs. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** `POST /token`, `GET /auth` and the like, in the order in which they came. */
  readonly requests: string[];
  /** The token requests, in the order in which they were answered. */
  readonly tokenRequests: SeenTokenRequest[];
  /** How often everything that came of one login was revoked. */
  readonly revokedGrants: () => number;
  /** Everything that nobody but the client may read: tokens, codes, verifiers, secrets. */
  readonly secrets: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Starts an authorization server, which ends with the test. */
export async function authorizationServer(
  t: Pick<TestContext, 'after'>,
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens at a port, so that the address is one of those.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configuration = { ...(await configurationOf(options)), ...options.configuration };
  const provider = quietly(() => new Provider(issuer, configuration));
  const { deviceInterval: interval } = options;
  if (interval !== undefined)
    provider.use(async (context, next) => {
      await next();
      if (context.path === '/device/auth' && context.status === 200) Object.assign(Object(context.body), { interval });
    });
  const answer = provider.callback();
  const requests: string[] = [];
  const { tokenRequests, revoked, secrets } = watched(provider);
  server.on('request', (request, response) => {
    requests.push(`${request.method} ${new URL(request.url ?? '/', issuer).pathname}`);
    void (async () => {
      if ((await options.before?.(request, response)) === true || letPagesRegister(request, response)) return;
      if (options.answering !== undefined) holdAnswer(response, () => options.answering?.(request));
      answer(request, response);
    })();
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    })());
  t.after(close);
  return { issuer, requests, tokenRequests, revokedGrants: () => revoked.count, secrets, close };
}

/** The one endpoint for which it does not let pages of other origins in by itself. */
function letPagesRegister({ method, url }: IncomingMessage, response: ServerResponse): boolean {
  if (url !== '/reg') return false;
  response.setHeader('access-control-allow-origin', '*');
  if (method !== 'OPTIONS') return false;
  response
    .writeHead(204, { 'access-control-allow-headers': 'content-type', 'access-control-allow-methods': 'POST' })
    .end();
  return true;
}

function holdAnswer(response: ServerResponse, until: () => Promise<void> | void): void {
  const end = response.end.bind(response) as (...all: readonly unknown[]) => ServerResponse;
  const held = (...all: readonly unknown[]): ServerResponse => {
    void Promise.resolve(until()).then(() => end(...all));
    return response;
  };
  Object.assign(response, { end: held });
}

/** The members of requests and answers that are secret. */
const secretNames = [
  'access_token',
  'refresh_token',
  'id_token',
  'code',
  'code_verifier',
  'client_secret',
  'registration_access_token',
  'device_code',
  'token',
];

interface Watched {
  readonly tokenRequests: SeenTokenRequest[];
  readonly revoked: { count: number };
  readonly secrets: Set<string>;
}

function watched(provider: Provider): Watched {
  const tokenRequests: SeenTokenRequest[] = [];
  const revoked = { count: 0 };
  const secrets = new Set<string>();
  const note = (...sources: readonly unknown[]): void => {
    for (const source of sources) {
      const fields = Object(source) as Readonly<Record<string, unknown>>;
      for (const name of secretNames) if (typeof fields[name] === 'string') secrets.add(fields[name]);
    }
  };
  const seen = (
    { oidc: { params = {}, client }, body }: ProviderContext,
    error?: { readonly error?: string },
  ): void => {
    const { refresh_token: refreshToken, grant_type: grantType, resource } = params;
    note(params, body);
    tokenRequests.push({
      client: client?.clientId,
      grantType: String(grantType),
      refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
      resource,
      error: error === undefined ? undefined : (error.error ?? 'server_error'),
    });
  };
  provider.on('grant.success', seen);
  provider.on('grant.error', seen);
  provider.on('grant.revoked', () => revoked.count++);
  provider.on('authorization.success', (_: ProviderContext, out: unknown) => note(out));
  provider.on('registration_create.success', ({ body }: ProviderContext) => note(body));
  return { tokenRequests, revoked, secrets };
}

async function configurationOf({
  scopes = ['read', 'write'],
  tokenSeconds = 300,
  rotates = true,
  offlineAccess = false,
  registration = true,
  proofNonces = false,
  clients = [],
}: AuthorizationServerOptions): Promise<object> {
  const seconds = (): number => (typeof tokenSeconds === 'number' ? tokenSeconds : tokenSeconds());
  return {
    clients,
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    jwks: { keys: [await signingKey()] },
    cookies: { keys: ['of a test'] },
    scopes: ['openid', ...(offlineAccess ? ['offline_access'] : [])],
    claims: { openid: ['sub', 'name'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `${id} of the tests` }),
    }),
    pkce: { required: () => true },
    rotateRefreshToken: rotates,
    issueRefreshToken: (
      _: unknown,
      client: { grantTypeAllowed(type: string): boolean },
      source: { readonly scopes: ReadonlySet<string> },
    ) => client.grantTypeAllowed('refresh_token') && (!offlineAccess || source.scopes.has('offline_access')),
    expiresWithSession: () => false,
    clientBasedCORS: () => true,
    ttl: {
      AccessToken: seconds,
      AuthorizationCode: 60,
      ClientCredentials: seconds,
      DeviceCode: 120,
      Grant: 3600,
      IdToken: 300,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
    features: {
      devInteractions: { enabled: true },
      dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => proofNonces },
      registration: { enabled: registration },
      revocation: { enabled: true, allowedPolicy: () => true },
      introspection: { enabled: true, allowedPolicy: () => true },
      deviceFlow: { enabled: true, ...devicePages },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: scopes.join(' '),
          audience: resource,
          accessTokenTTL: seconds(),
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  };
}

/** The pages of the device flow; its own print a warning each. */
const devicePages = {
  userCodeInputSource: (context: ProviderHttpContext, form: string) => void (context.body = `Enter a code ${form}`),
  userCodeConfirmSource: (context: ProviderHttpContext, form: string) => void (context.body = `Confirm ${form}`),
  successSource: (context: ProviderHttpContext) => void (context.body = 'Signed in'),
};

async function signingKey(): Promise<object> {
  const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  return {
    ...(await crypto.subtle.exportKey('jwk', privateKey)),
    kid: crypto.randomUUID(),
    use: 'sig',
    alg: 'ES256',
    key_ops: undefined,
  };
}

/** It warns on the console of what a server on the internet must not have, such as its pages, which are for developers. */
function quietly<Result>(run: () => Result): Result {
  const { warn, info } = console;
  console.warn = console.info = () => {};
  try {
    return run();
  } finally {
    Object.assign(console, { warn, info });
  }
}
