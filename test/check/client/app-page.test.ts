/** The app of the door in a real browser: nothing is found in `parley inspect` as its host. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkClient } from '../../../packages/cli/src/check/client/run/check-client.ts';
import { noBrowser, openInspect } from '../../support/inspect-page.ts';
import { planAt } from '../../support/inspected.ts';
import { stuckAfterMs } from '../../support/stuck.ts';

test(
  'nothing is found in the host of our own, and all that the app tells is judged',
  { skip: noBrowser },
  async (t) => {
    let isOver = false;
    const { findings, rows } = await checkClient({
      door: { port: 0 },
      info: { name: 'parley-check', version: '1.0.0' },
      only: ['tools', 'security'],
      limitMs: 120_000,
      signal: t.signal,
      async onOpen(origin) {
        const { page, choose } = await openInspect(t, [planAt(`${origin}/mcp`)]);
        await choose('tools', 'app');
        await page.getByLabel('city').fill('Oslo');
        await page.getByRole('button', { name: /^Call Ctrl/ }).click();
        const app = page.getByRole('region', { name: 'App' });
        await page.getByRole('region', { name: 'Result' }).getByText('looks at its host').waitFor();
        await app.getByRole('button', { name: 'Show its source' }).click();
        await app.getByRole('button', { name: 'Run the app' }).click();
        const signal = AbortSignal.timeout(stuckAfterMs);
        for (;;) {
          signal.throwIfAborted();
          const frame = page.frames().find((one) => /^http:\/\/[^/]+\/app\//.test(one.url()));
          if (/has told/.test((await frame?.locator('#seen').textContent()) ?? '')) break;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        isOver = true;
      },
    });
    assert.ok(isOver, 'the app came to its end');
    assert.deepEqual(findings, []);
    const held = rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id);
    for (const row of ['security-036', 'security-037', 'tools-045', 'tools-047', 'tools-048'])
      assert.ok(held.includes(row), `${row}: ${held.join()}`);
  },
);
