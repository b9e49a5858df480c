/** The names by which a person is asked to sign in. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signingIn } from '../../../../../test/support/signing-in.ts';

test('a person is told the names of the server and of the bridge, at the client and on the page', async (t) => {
  const scene = signingIn(t);
  await scene.bridge({ info: { name: 'front', title: 'The Front', version: '1' } });
  const ann = await scene.as('ann', '2025-11-25', {
    onElicitUrl: async ({ message, url }) => {
      assert.equal(message, 'Sign in at The Files, so that The Front can use it for you.');
      const { text } = await scene.browser('ann').request(url);
      assert.match(text, /The Front/);
      assert.match(text, /as\.example/);
      return { action: 'decline' };
    },
  });
  const [tool] = await ann.listTools();
  assert.match(tool?.description ?? '', /at The Files, so that The Front can use it for them/);
  const { content } = await ann.callTool('read', {});
  assert.match(JSON.stringify(content), /the user did not agree to go there/);
});
