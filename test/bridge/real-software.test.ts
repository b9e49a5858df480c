/** Official clients use servers that others wrote, through the bridge. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { officialClients } from '../../scripts/demo-clients.ts';
import { clientsOverStdio, front, realServers, type Fronted } from './real-servers.ts';
import { useEverything } from './visit.ts';

const clients = (await officialClients()).filter(({ name }) => name !== 'sdk 1.7.0');

for (const server of realServers) {
  for (const way of ['http', 'stdio'] as const) {
    if (server.ways[way] === undefined) continue;
    describe(
      `the bridge before ${server.name} over ${way}`,
      { concurrency: way === 'http' ? 4 : 2, timeout: 60_000 },
      () => {
        let fronted: Fronted;
        before(async () => {
          fronted = await front(server, way);
        });
        after(() => fronted.close());

        for (const client of clients) {
          if (way === 'stdio' && !clientsOverStdio.has(client.revision)) continue;
          test(`${client.name} at ${client.revision} lists, calls, reads and gets what it has`, async () => {
            await useEverything(client, fronted.door, server);
          });
        }

        test(`it is found to speak ${server.revision}`, () => {
          assert.equal(fronted.bridge.upstream.revision, server.revision);
        });
      },
    );
  }
}
