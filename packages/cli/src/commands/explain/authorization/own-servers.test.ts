import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { metadataRoutes } from '../../../../../parley/src/transports/node/server/metadata-routes.ts';
import { toNodeHandler } from '../../../../../parley/src/transports/node/server/http.ts';
import { protect } from '../../../../../parley/src/auth/server/protect.ts';
import { createServer } from '../../../../../parley/src/server/server.ts';
import { inThisProcess } from '../../../../../../test/support/cli-process.ts';
import type { Explanation } from '../report.ts';
import { guarded, healthy, paths } from '../../../../../../test/support/explain/guarded.ts';

test('a server that is protected here breaks no rule, and clients find its authorization server', async () => {
  await guarded(healthy, async (login) => {
    const http = createHttpServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => http.once('listening', resolve));
    // A TCP server that listens has an address with a port.
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const own = protect(createServer({ name: 'own', version: '1' }), {
      resource: `${origin}${paths.endpoint}`,
      scopes: ['mcp:basic'],
      verify: () => undefined,
      authorizationServers: [`${login}/tenant`],
    });
    const [handler, routes] = [toNodeHandler(own), metadataRoutes(own)];
    http.on('request', (request, response) => routes(request, response, () => handler(request, response)));
    try {
      const { stdout } = await inThisProcess(['explain', '--json', `${origin}${paths.endpoint}`]);
      const { authorization }: Explanation = JSON.parse(stdout);
      assert.deepEqual(authorization?.broken, []);
      assert.deepEqual(
        authorization.clients.map(({ outcome }) => outcome),
        ['found', 'found', 'found', 'perhaps', 'none'],
      );
      assert.equal(authorization.servers[0]?.issuer, `${login}/tenant`);
    } finally {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  });
});
