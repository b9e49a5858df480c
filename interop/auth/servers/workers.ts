/** The library with which workers of Cloudflare are authorization servers, in the runtime that they have. */

import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, userCache } from '../../../scripts/made-folder.ts';
import { ran } from '../../../scripts/toolchains/command.ts';
import { freePort, started, untilAnswered, type AuthorizationServer, type Guarded } from '../server.ts';

const sources = join(import.meta.dirname, '../peers/workers');
const versions = 'provider-1.2.3-miniflare-4.20260730.0';

/** Starts a worker that signs people in and answers about its tokens. */
export async function workers(guarded: Guarded): Promise<AuthorizationServer> {
  const place = join(userCache('parley-interop'), `workers-${versions}`);
  await makeFolder(place, async (folder) => {
    copyFileSync(join(sources, 'package.json'), join(folder, 'package.json'));
    await ran(['npm', 'install', '--no-audit', '--no-fund', '--silent'], { cwd: folder, timeoutMs: 300_000 });
  });
  // Its imports are those of the folder that it lies in.
  copyFileSync(join(sources, 'start.mjs'), join(place, 'start.mjs'));
  copyFileSync(join(sources, 'worker.js'), join(place, 'worker.js'));
  const port = await freePort();
  const [issuer, secret] = [`http://127.0.0.1:${port}`, randomBytes(16).toString('hex')];
  const options = JSON.stringify({ port, ISSUER: issuer, RESOURCE: guarded.url, SECRET: secret });
  const server = started([process.execPath, join(place, 'start.mjs'), join(place, 'worker.js'), options]);
  await untilAnswered(`${issuer}/.well-known/oauth-authorization-server`, server, 60_000);
  return {
    issuer,
    person: { name: 'ann', password: 'any' },
    scope: 'mcp:read',
    more: 'mcp:write',
    introspection: { endpoint: `${issuer}/introspect`, clientId: 'resource-server', clientSecret: secret },
    jwt: false,
    close: server.close,
  };
}
