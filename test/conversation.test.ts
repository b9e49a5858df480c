/** One conversation, written once: the same tool gives the same answer to clients of every revision, over every transport. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect } from '../packages/parley/src/client.ts';
import { listen } from '../packages/parley/src/node.ts';
import { revisions } from '../packages/parley/src/protocol/revision.ts';
import { canCarry, openConnection, fixture, optionsAt, silence, wires } from './support/conversation.ts';

for (const [name, wire] of Object.entries(wires)) {
  describe(`one conversation over ${name}`, () => {
    for (const revision of revisions.filter((one) => canCarry(name, one))) {
      test(`gives the same answer at ${revision.date} [mrtr-027, mrtr-001]`, async () => {
        const host = fixture();
        const heard = silence();
        const { transport, close } = await wire(host.server);
        const client = await connect(transport, optionsAt(revision, heard));
        try {
          await openConnection(client, heard, host);
          assert.deepEqual(heard.questions, revision.elicitation === 'none' ? [] : ['Your name?']);
        } finally {
          await client.close();
          await close();
        }
      });
    }
  });
}

test('clients of every revision hold the conversation at once, over one endpoint', async () => {
  const { server } = fixture();
  const { url, close } = await listen(server, { port: 0, drainTimeoutMs: 0 });
  const spoken = revisions.filter(({ http }) => http !== 'sse-pair');
  const clients = await Promise.all(spoken.map((revision) => connect(url, optionsAt(revision, silence()))));
  const results = await Promise.all(clients.flatMap((client) => [client.callTool('book'), client.callTool('book')]));
  const names = results.map(
    ({ content: [block] }) => (JSON.parse(block?.type === 'text' ? block.text : '') as { name: string }).name,
  );
  assert.deepEqual(
    names,
    Array.from({ length: spoken.length * 2 }, () => 'Ann'),
  );
  await Promise.all(clients.map((client) => client.close()));
  await close();
});
