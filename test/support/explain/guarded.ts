/** Servers that want authorization, as tests make them: what they answer is data. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer that is no JSON document with status 200. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A document, or another answer. */
export type Published = { readonly document: Readonly<Record<string, unknown>> } | Answer;

/** A server with what it publishes, by path; it has nothing elsewhere. */
export interface Guarded {
  /** Answer to whoever asks at its endpoint. */
  readonly refusal: Answer;
  readonly published: Readonly<Record<string, Published>>;
}

export const paths = {
  endpoint: '/mcp',
  resource: '/.well-known/oauth-protected-resource/mcp',
  resourceAtRoot: '/.well-known/oauth-protected-resource',
  server: '/.well-known/oauth-authorization-server/tenant',
  openId: '/.well-known/openid-configuration/tenant',
  root: '/.well-known/oauth-authorization-server',
};

/** The header by which the healthy server challenges. */
export function challengeAt(origin: string): string {
  return `Bearer resource_metadata="${origin}${paths.resource}", scope="mcp:basic"`;
}

/** The metadata of a healthy authorization server. */
export function metadataOf(issuer: string): Readonly<Record<string, unknown>> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    scopes_supported: ['mcp:basic', 'files:read', 'files:write', 'offline_access'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    dpop_signing_alg_values_supported: ['ES256', 'EdDSA'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  };
}

/** A server at which nothing is wrong, for clients of any revision that knows authorization. */
export function healthy(origin: string): Guarded {
  return {
    refusal: { status: 401, headers: { 'www-authenticate': challengeAt(origin) } },
    published: {
      [paths.resource]: {
        document: {
          resource: `${origin}${paths.endpoint}`,
          authorization_servers: [`${origin}/tenant`],
          scopes_supported: ['mcp:basic', 'files:read', 'files:write'],
          bearer_methods_supported: ['header'],
        },
      },
      [paths.server]: { document: metadataOf(`${origin}/tenant`) },
      [paths.root]: { document: metadataOf(origin) },
    },
  };
}

/** One request that a server got. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Serves such a server on loopback while something runs. */
export async function guarded<Result>(
  make: (origin: string) => Guarded,
  use: (origin: string, asked: readonly Asked[]) => Promise<Result>,
): Promise<Result> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    const { refusal, published } = make(origin());
    const found = pathname === paths.endpoint ? refusal : (published[pathname] ?? { status: 404 });
    const {
      status,
      headers,
      body = '',
    }: Answer = 'document' in found
      ? { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(found.document) }
      : found;
    response.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  // A TCP server that listens has an address with a port.
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    return await use(origin(), asked);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
