/** Authlib, the library of Python with which programs are authorization servers. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { userCache } from '../../../scripts/made-folder.ts';
import { buildPython } from '../../harness/build-python.ts';
import { freePort, started, untilAnswered, type AuthorizationServer, type Guarded } from '../server.ts';

const sources = join(import.meta.dirname, '../peers/authlib');

/** Starts it with clients that register themselves. */
export async function authlib(guarded: Guarded): Promise<AuthorizationServer> {
  const { command } = await buildPython({ name: 'authlib', sources, cache: userCache('parley-interop') });
  const [port, secret] = [await freePort(), randomBytes(16).toString('hex')];
  const issuer = `http://127.0.0.1:${port}`;
  const words = [...command.slice(0, -1), join(sources, 'server.py'), String(port), guarded.url, secret];
  // It refuses what is not https, also on this machine.
  const server = started(words, { env: { AUTHLIB_INSECURE_TRANSPORT: '1' } });
  await untilAnswered(`${issuer}/.well-known/oauth-authorization-server`, server, 60_000);
  return {
    issuer,
    person: { name: 'ann', password: 'any' },
    scope: 'mcp:read',
    more: 'mcp:write',
    introspection: { clientId: 'resource-server', clientSecret: secret },
    jwt: true,
    close: server.close,
  };
}
