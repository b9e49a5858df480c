import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldScene } from '../../../../../../test/support/held-scene.ts';
import { connect } from '../../../client.ts';
import { listen } from '../../../node.ts';

test('a server over HTTP holds nothing of a request that is over, nor of a session that is gone', async (t) => {
  const scene = heldScene({ givesUpQuestions: false });
  const listening = await listen(scene.server, { port: 0 });
  t.after(() => listening.close());
  const open = () => connect(listening.url, { revisions: ['2025-11-25'], ...scene.client });
  assert.deepEqual(await scene.heldOf(open), []);
});
