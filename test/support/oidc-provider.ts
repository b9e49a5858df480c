/** A certified authorization server on loopback (`oidc-provider`), and a person who signs in at its pages. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type ClientAuthMethod, type ResourceServer } from 'oidc-provider';
import type { RedirectHook } from '../../src/oauth.ts';

/** An authorization server that runs. */
export interface RunningProvider {
  readonly issuer: string;
  /** The requests to its token endpoint: the grant types. */
  readonly granted: string[];
  close(): Promise<void>;
}

/** What an authorization server lets clients do. */
export interface ProviderOptions {
  /** The methods of client authentication that it takes. */
  readonly methods?: readonly ClientAuthMethod[];
  /** How long access tokens are valid, in seconds. */
  readonly accessTokenSeconds?: number;
  readonly dpop?: boolean;
  /** The scopes of its resources, separated by spaces. */
  readonly scope?: string;
}

/** Starts an authorization server whose tokens are JWTs for the resource that is named. */
export async function startProvider({
  methods = ['none'],
  accessTokenSeconds = 3600,
  dpop = false,
  scope = 'mcp:basic mcp:write',
}: ProviderOptions = {}): Promise<RunningProvider> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resourceServer = (resource: string): ResourceServer => ({
    scope,
    audience: resource,
    accessTokenFormat: 'jwt',
    accessTokenTTL: accessTokenSeconds,
  });
  const provider = new Provider(issuer, {
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      dPoP: { enabled: dpop },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => resourceServer(resource),
        useGrantedResource: () => true,
      },
    },
    scopes: ['openid', 'offline_access'],
    clientAuthMethods: [...methods],
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    rotateRefreshToken: true,
    cookies: { keys: ['of a test'] },
  });
  const granted: string[] = [];
  provider.on('grant.success', ({ oidc }) => void granted.push(String(oidc.params?.['grant_type'])));
  server.on('request', provider.callback());
  return {
    issuer,
    granted,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/** The most pages of one login. */
const mostPages = 12;

/** A person who signs in and agrees, by the forms of the pages; with a browser's cookies, and no scripts. */
export function personAt(redirectUri: string): RedirectHook {
  return async ({ url }, signal) => {
    const cookies = new Map<string, string>();
    let next = new URL(url);
    let form: URLSearchParams | undefined;
    for (let page = 0; page < mostPages; page++) {
      const response: Response = await fetch(next, {
        redirect: 'manual',
        signal,
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(form === undefined ? {} : { method: 'POST', body: form }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const to = response.headers.get('location');
      if (to !== null) {
        next = new URL(to, next);
        form = undefined;
        if (next.href.startsWith(redirectUri)) return next.href;
        continue;
      }
      const html = await response.text();
      const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
      if (action === undefined) throw new Error(`a page without a form: ${html.slice(0, 500)}`);
      next = new URL(action, next);
      form = new URLSearchParams(
        [...html.matchAll(/<input[^>]*>/g)].map(([input]) => [
          /name="([^"]*)"/.exec(input)?.[1] ?? '',
          /value="([^"]*)"/.exec(input)?.[1] ?? 'anna',
        ]),
      );
    }
    throw new Error('the login has no end');
  };
}
