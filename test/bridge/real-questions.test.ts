/** Servers that others wrote ask official clients in the middle of a call, through the bridge. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { officialClients } from '../../scripts/demo-clients.ts';
import { clientsOverStdio, eraOf, front, realServers, type Fronted } from './real-servers.ts';
import { answerMidCall, refusedMidCall } from './visit.ts';

const clients = (await officialClients()).filter(({ name }) => name !== 'sdk 1.7.0');

for (const server of realServers) {
  for (const way of ['http', 'stdio'] as const) {
    if (server.ways[way] === undefined) continue;
    const title = `${server.name} over ${way}, a ${eraOf(server)} server,`;
    describe(title, { concurrency: way === 'http' ? 4 : 2, timeout: 60_000 }, () => {
      let fronted: Fronted;
      before(async () => {
        fronted = await front(server, way);
      });
      after(() => fronted.close());

      for (const client of clients) {
        if (way === 'stdio' && !clientsOverStdio.has(client.revision)) continue;
        test(`is answered in the middle of a call by ${client.name} at ${client.revision}`, async () => {
          assert.ok((await answerMidCall(client, fronted.door, server)) > 0);
        });
        if (way === 'stdio') continue;
        test(`has it told to ${client.name} that it declared no answers`, async () => {
          await refusedMidCall(client, fronted.door, server);
        });
      }
    });
  }
}
