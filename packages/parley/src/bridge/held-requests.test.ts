import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeBefore, clientOf } from '../../../../test/support/bridged.ts';
import { heldScene } from '../../../../test/support/held-scene.ts';

// Towards older servers a session, and the answers of a client that may come back, are kept for a while by design.
test('a bridge holds nothing of a request that is over, nor of a client that is gone', async (t) => {
  const scene = heldScene({ revisions: ['2026-07-28'] });
  const bridge = await bridgeBefore(t, scene.server);
  assert.deepEqual(await scene.heldOf(() => clientOf(t, bridge, '2025-11-25', scene.client)), []);
});
