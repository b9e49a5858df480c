import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldScene } from '../../../../test/support/held-scene.ts';
import { connectInMemory } from '../testing.ts';

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  test(`a server holds nothing of a request that is over, nor of a client that is gone, in ${revision}`, async () => {
    const scene = heldScene();
    assert.deepEqual(await scene.heldOf(() => connectInMemory(scene.server, { revision, ...scene.client })), []);
  });
