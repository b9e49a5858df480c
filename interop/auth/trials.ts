/** The authorization servers and programs of others, and what each needs to be used with ours. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exercise } from './exercise.ts';
import { fastmcpServer, pythonClient, pythonServer } from './programs.ts';
import { freePort, type AuthorizationServer, type Guarded } from './server.ts';
import { authlib } from './servers/authlib.ts';
import { keycloak } from './servers/keycloak.ts';
import { workers } from './servers/workers.ts';
import type { Step } from './step.ts';

/** One of them. */
export interface Trial {
  readonly name: string;
  readonly title: string;
  readonly needs: string;
  /** The steps that fail for a reason of theirs, with the reason. */
  readonly faults?: Readonly<Record<string, string>>;
  run(): Promise<readonly Step[]>;
}

export const trials: readonly Trial[] = [
  {
    name: 'keycloak',
    title: 'Keycloak 26.4.7',
    needs:
      'It ignores `resource`: a client scope with an audience mapper puts the URL of the server into `aud`. It does not register unknown clients: use `client`, or `--client-id` and `--issuer`. It lists `offline_access`, so users need that role.',
    run: () => guarding(keycloak),
  },
  {
    name: 'workers',
    title: '@cloudflare/workers-oauth-provider 1.2.3 in workerd',
    needs:
      'Nothing at the client. Its tokens are not JWTs: the worker has a separate endpoint that returns the result of `validateToken`, and `protect` uses `introspection`.',
    run: () => guarding(workers),
  },
  {
    name: 'authlib',
    title: 'Authlib 1.7.2 behind Flask',
    needs: 'It ignores `resource`: the program sets the audience of its JWTs with `get_audiences`.',
    run: () => guarding(authlib),
  },
  {
    name: 'python-client',
    title: 'the client of mcp 2.3.0 (Python), our server, oidc-provider 9.13.3',
    needs: 'Nothing.',
    faults: {
      'its client steps up':
        'it registers with the scopes that it knows at that time, and oidc-provider then refuses other scopes',
      'its client closes': 'the previous step ended the connection that it runs in',
    },
    run: pythonClient,
  },
  {
    name: 'python-server',
    title: 'our client, a server of mcp 2.3.0 (Python), oidc-provider 9.13.3',
    needs: 'Nothing at the client.',
    run: pythonServer,
  },
  {
    name: 'fastmcp-server',
    title: 'our client, a server of fastmcp 4.1.2 (Python) that is its own authorization server',
    needs: 'Nothing at the client.',
    faults: {
      'our client logs out':
        'its revocation endpoint requires `client_secret` in the body, even from clients registered for HTTP Basic (RFC 6749, section 2.3, allows one method per request)',
    },
    run: fastmcpServer,
  },
];

/** Has an authorization server guard a server of ours. */
async function guarding(
  start: (guarded: Guarded, folder: string) => Promise<AuthorizationServer>,
): Promise<readonly Step[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-interop-auth-'));
  const port = await freePort();
  const guarded = { url: `http://127.0.0.1:${port}/mcp`, port };
  try {
    const server = await start(guarded, folder);
    try {
      return await exercise(server, guarded, folder);
    } finally {
      await server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
