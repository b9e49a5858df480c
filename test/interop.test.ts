/** The matrix of `npm run lab -- demo`, row by row. */

import assert from 'node:assert/strict';
import { describe, test, before, after } from 'node:test';
import { officialClients } from '../scripts/demo-clients.ts';
import { openBridge, openExample, type Open } from '../scripts/demo-doors.ts';
import { visit } from '../scripts/demo-visit.ts';

const clients = await officialClients();

for (const [name, open] of [
  ['the bridge before the official example server', openBridge],
  ['a Parley server', openExample],
] as const) {
  describe(name, { concurrency: true, timeout: 120_000 }, () => {
    let opened: Open;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());

    for (const client of clients) {
      test(`does everything for ${client.name} at ${client.revision}`, async () => {
        const { failures, revision, called, read, got, completed } = await visit(client, opened.door, opened.plan);
        assert.deepEqual(failures, []);
        assert.equal(revision, client.revision);
        const { calls, reads, prompts, completions } = opened.plan;
        const all = [calls, reads, prompts, completions].map(({ length }) => `${length}/${length}`);
        assert.deepEqual([called, read, got, completed], all);
      });
    }
  });
}

test('the official clients cover every revision', async () => {
  const { revisions } = await import('../packages/parley/src/protocol.ts');
  assert.deepEqual(
    [...new Set(clients.map(({ revision }) => revision))].toSorted(),
    revisions.map(({ date }) => date),
  );
});
