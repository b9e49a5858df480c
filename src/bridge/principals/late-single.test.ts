/** A server behind a bridge that answers nobody, as one principal has it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeSettingsOf } from '../options.ts';
import { lateSingle } from './late-single.ts';

test('who gives a server up that does not answer waits for it no longer', async (t) => {
  // No time passes.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const closing = new AbortController();
  const reasons: unknown[] = [];
  const opening = lateSingle({
    settings: bridgeSettingsOf({}),
    signal: closing.signal,
    open: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push('given up');
          reject(new Error('given up'));
        });
      }),
  });
  closing.abort();
  const single = await opening;
  await single.close();
  assert.deepEqual(reasons, ['given up']);
});
