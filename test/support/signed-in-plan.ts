/** Plan of a server at which a person signs in, whose authorization server is played: requests about it reach nobody. */

import type { Fetch } from '../../packages/parley/src/jsonrpc/fetch.ts';
import { AuthorizationError } from '../../packages/parley/src/auth/common/errors.ts';
import type { PlannedLogin, ServerPlan, WaySettings } from '../../packages/cli/src/inspect/servers/shared.ts';
import type { LoginView } from '../../packages/cli/src/inspect/view.ts';

/** Values that are sent and given; each may be a secret to look for. */
export interface PlayedSecrets {
  readonly code: string;
  readonly code_verifier: string;
  readonly access_token: string;
  readonly refresh_token: string;
  /** The tokens that a renewal gives. */
  readonly renewed_access_token: string;
  readonly renewed_refresh_token: string;
}

/** Secrets that nobody looks for. */
const anySecrets: PlayedSecrets = {
  code: 'code-0123456789',
  code_verifier: 'verifier-0123456789',
  access_token: 'access-0123456789',
  refresh_token: 'refresh-0123456789',
  renewed_access_token: 'renewed-access-0123456789',
  renewed_refresh_token: 'renewed-refresh-0123456789',
};

const issuer = 'https://as.example';

/** Answers of the authorization server, and of the server that it guards. */
const answers: Readonly<Record<string, () => Response>> = {
  'https://mcp.example/mcp': () =>
    new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer scope="read offline_access"' } }),
  'https://mcp.example/.well-known/oauth-protected-resource/mcp': () =>
    Response.json({ resource: 'https://mcp.example/mcp', scopes_supported: ['read'] }),
};

/** The same plan, to be signed in to. */
export function signedInPlan(
  plan: ServerPlan,
  secrets: PlayedSecrets = anySecrets,
): ServerPlan & { login: PlannedLogin } {
  let kept: LoginView | undefined;
  const sending = (overheard: WaySettings['overheard'], given: object = {}): Fetch =>
    overheard((url) => Promise.resolve(answers[url]?.() ?? Response.json(given)));
  const login: PlannedLogin = {
    kept: () => Promise.resolve(kept),
    async signIn({ overheard, beforePage, signal }) {
      const { code, code_verifier, access_token, refresh_token } = secrets;
      const send = sending(overheard, { access_token, refresh_token });
      await read(send, 'https://mcp.example/mcp', { accept: 'text/event-stream', signal });
      await read(send, 'https://mcp.example/.well-known/oauth-protected-resource/mcp', { signal });
      await read(send, `${issuer}/.well-known/oauth-authorization-server`, { signal });
      await read(send, `${issuer}/register`, { body: '{"client_name":"Parley"}', signal });
      await beforePage(signal, 'https://as.example/authorize?state=1');
      const body = { grant_type: 'authorization_code', code, code_verifier };
      await read(send, `${issuer}/token`, { body: new URLSearchParams(body).toString(), signal });
      kept = { issuer, scopes: ['read'], person: 'ann', expiresAt: Date.now() + 300_000, isRenewable: true };
    },
    async renew({ overheard }) {
      const { refresh_token, renewed_access_token, renewed_refresh_token } = secrets;
      const send = sending(overheard, { access_token: renewed_access_token, refresh_token: renewed_refresh_token });
      const body = { grant_type: 'refresh_token', refresh_token };
      await read(send, `${issuer}/token`, { body: new URLSearchParams(body).toString() });
      if (kept !== undefined) kept = { ...kept, expiresAt: Date.now() + 600_000 };
      return kept !== undefined;
    },
    async signOut({ overheard }) {
      const body = new URLSearchParams({ token: secrets.renewed_refresh_token, token_type_hint: 'refresh_token' });
      await read(sending(overheard), `${issuer}/revoke`, { body: body.toString() });
      kept = undefined;
      return false;
    },
    forget() {
      kept = undefined;
      return Promise.resolve();
    },
  };
  return {
    ...plan,
    login,
    reach: (settings) =>
      kept === undefined
        ? Promise.reject(new AuthorizationError('login-required', 'the server wants a login'))
        : plan.reach(settings),
  };
}

async function read(
  send: Fetch,
  url: string,
  {
    accept = 'application/json',
    body,
    signal = AbortSignal.timeout(10_000),
  }: { readonly accept?: string; readonly body?: string; readonly signal?: AbortSignal },
): Promise<void> {
  const type = body?.startsWith('{') === true ? 'application/json' : 'application/x-www-form-urlencoded';
  const headers = { accept, ...(body === undefined ? {} : { 'content-type': type }) };
  const rest = { redirect: 'manual', credentials: 'omit', signal } as const;
  const response = await send(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...rest,
    ...(body === undefined ? {} : { body }),
  });
  const reader = response.body?.getReader();
  while ((await reader?.read())?.done === false);
}
