/** Nothing is found in a bridge, whatever revision the server behind it speaks: each revision of clients is judged before each of servers. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createExercise } from '../../interop/parley/server.ts';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { memoryTransport } from '../../packages/parley/src/testing.ts';
import { takeViolations } from '../support/sent-wrong.ts';
import { judgedAt } from './judging.ts';

const calls = ['add', 'echo', 'count', 'speak', 'ask', 'think', 'look'].map((name) => ({ name }));

describe('a bridge is right in every revision', { concurrency: 4 }, () => {
  for (const { date } of revisions)
    test(`before a server that speaks ${date} alone`, async (t) => {
      const upstream = memoryTransport(createExercise({ revisions: [date] }));
      const bridge = await createBridge({ upstream, onWarning: () => undefined });
      t.after(() => bridge.close());
      const { url, close } = await listen(bridge, { port: 0, drainTimeoutMs: 0 });
      t.after(() => close());
      const found = await judgedAt(t, url, { calls });
      assert.deepEqual(
        found.revisions.map(({ spoken }) => spoken),
        revisions.map(() => true),
      );
      assert.deepEqual(
        found.findings.filter(({ severity }) => severity !== 'note'),
        [],
      );
      // A bridge passes on what its client asks for, be it no URI: who has the resource refuses it.
      assert.deepEqual(
        takeViolations().filter((one) => !one.includes('"method":"resources/read"') || !one.includes('<none>')),
        [],
      );
      assert.ok(found.counts.judged > 100, `${found.counts.judged} rows were judged`);
    });
});
