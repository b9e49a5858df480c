/** Keycloak, whole: a server of Java with a database of its own, which is started anew for each run. */

import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, userCache } from '../../../scripts/made-folder.ts';
import { ran } from '../../../scripts/toolchains/command.ts';
import { freePort, started, untilAnswered, type AuthorizationServer, type Guarded } from '../server.ts';

const version = '26.4.7';
const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;

/** Fetches Keycloak into the cache of the user. */
async function distribution(): Promise<string> {
  const place = join(userCache('parley-interop'), `keycloak-${version}`);
  await makeFolder(place, async (folder) => {
    const out = [`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
    await ran(['mvn', '-q', '-B', 'dependency:copy', ...out], { timeoutMs: 600_000 });
    const zip = join(folder, `keycloak-quarkus-dist-${version}.zip`);
    await ran(['jar', 'xf', zip], { cwd: folder, timeoutMs: 120_000 });
    rmSync(zip);
  });
  return join(place, `keycloak-${version}`);
}

/** Starts it with one realm, whose tokens are for a server. */
export async function keycloak(guarded: Guarded, folder: string): Promise<AuthorizationServer> {
  const home = join(folder, 'keycloak');
  cpSync(await distribution(), home, { recursive: true });
  const realm = join(home, 'data', 'import');
  mkdirSync(realm, { recursive: true });
  const secret = randomBytes(16).toString('hex');
  writeFileSync(join(realm, 'mcp.json'), JSON.stringify(realmOf(guarded, secret)));
  const port = await freePort();
  const words = ['start-dev', '--import-realm', '--http-host=127.0.0.1', `--http-port=${port}`];
  const env = { JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx700m' };
  const server = started(['bash', join(home, 'bin', 'kc.sh'), ...words], { env });
  const issuer = `http://127.0.0.1:${port}/realms/mcp`;
  await untilAnswered(`${issuer}/.well-known/openid-configuration`, server, 240_000);
  return {
    issuer,
    person: { name: 'ann', password: 'ann-of-the-tests' },
    client: { id: 'parley', issuer },
    scope: 'mcp:read',
    more: 'mcp:write',
    introspection: { clientId: 'resource-server', clientSecret: secret },
    jwt: true,
    close: server.close,
  };
}

/** One realm: a person, a public client, two scopes of which each adds the audience, and who may introspect. */
function realmOf({ url }: Guarded, secret: string): object {
  const audience = {
    name: 'audience',
    protocol: 'openid-connect',
    protocolMapper: 'oidc-audience-mapper',
    config: { 'included.custom.audience': url, 'access.token.claim': 'true', 'introspection.token.claim': 'true' },
  };
  const scope = (name: string): object => ({
    name,
    protocol: 'openid-connect',
    attributes: { 'include.in.token.scope': 'true', 'display.on.consent.screen': 'true' },
    protocolMappers: [audience],
  });
  return {
    realm: 'mcp',
    enabled: true,
    sslRequired: 'none',
    accessTokenLifespan: 300,
    revokeRefreshToken: true,
    refreshTokenMaxReuse: 0,
    users: [
      {
        username: 'ann',
        enabled: true,
        realmRoles: ['default-roles-mcp'],
        email: 'ann@example.com',
        emailVerified: true,
        firstName: 'Ann',
        lastName: 'Example',
        credentials: [{ type: 'password', value: 'ann-of-the-tests', temporary: false }],
      },
    ],
    clientScopes: [scope('mcp:read'), scope('mcp:write')],
    clients: [
      {
        clientId: 'parley',
        publicClient: true,
        consentRequired: true,
        standardFlowEnabled: true,
        redirectUris: ['http://127.0.0.1/*', 'http://localhost/*'],
        attributes: { 'pkce.code.challenge.method': 'S256' },
        optionalClientScopes: ['mcp:read', 'mcp:write', 'offline_access'],
      },
      {
        clientId: 'resource-server',
        publicClient: false,
        secret,
        serviceAccountsEnabled: true,
        standardFlowEnabled: false,
      },
    ],
  };
}
