/** The conversation through a bridge: every revision before every other, over every transport before every other. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { revisions, type Revision } from '../../packages/parley/src/protocol/revision.ts';
import { canCarry, openConnection, fixture, optionsAt, silence, wires, type Wire } from '../support/conversation.ts';

interface Cell {
  readonly down: Revision;
  readonly up: Revision;
  readonly downWire: Wire;
  readonly upWire: Wire;
}

/** Holds the conversation once, with everything opened for it alone. */
async function hold(t: TestContext, { down, up, downWire, upWire }: Cell): Promise<void> {
  const host = fixture({ revisions: [up.date] });
  const heard = silence();
  const upstream = await upWire(host.server);
  const warnings: string[] = [];
  const bridge = await createBridge({
    upstream: upstream.transport,
    onWarning: (message) => warnings.push(message),
    onError: (error) => warnings.push(String(error)),
  });
  const reached = await downWire(bridge);
  t.after(async () => {
    await reached.close();
    await bridge.close();
    await upstream.close();
  });
  const client = await connect(reached.transport, optionsAt(down, heard));
  try {
    assert.deepEqual([client.revision, bridge.upstream.revision], [down.date, up.date]);
    await openConnection(client, heard, host);
    // Where one of the two has no elicitation, the handler knows, and does what it does then.
    assert.deepEqual(heard.questions, asksUsers(down) && asksUsers(up) ? ['Your name?'] : []);
  } finally {
    await client.close();
  }
  assert.deepEqual(warnings, []);
}

function asksUsers({ elicitation }: Revision): boolean {
  return elicitation !== 'none';
}

for (const [downName, downWire] of Object.entries(wires)) {
  for (const [upName, upWire] of Object.entries(wires)) {
    describe(`a client over ${downName} before a server over ${upName}`, { concurrency: 6, timeout: 60_000 }, () => {
      for (const down of revisions.filter((one) => canCarry(downName, one))) {
        for (const up of revisions.filter((one) => canCarry(upName, one))) {
          test(`at ${down.date} holds the conversation with it at ${up.date}`, async (t) => {
            await hold(t, { down, up, downWire, upWire });
          });
        }
      }
    });
  }
}
