/** A recording of somebody else, looked at. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import type { RecordingEntry } from '../../packages/cli/src/recorder/entry.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { connected, inspecting, outcomeOf, planAt, served, type Endable } from '../support/inspected.ts';

const skip = noBrowser;

/** Records a call that works and one that does not. */
async function recording(t: Endable): Promise<readonly RecordingEntry[]> {
  const scene = await inspecting(t, [planAt(await served(t, createExampleServer()))]);
  await connected(scene);
  await outcomeOf(scene, { name: 'echo', text: '{"message":"hello"}' });
  await outcomeOf(scene, { name: 'nothing' });
  const { text } = await scene.json<{ readonly text: string }>('export', { what: 'recording' });
  const [, ...lines] = text.trimEnd().split('\n');
  // Each line but the first is an entry.
  return lines.map((line) => JSON.parse(line) as RecordingEntry);
}

for (const width of [360, 800, 1_600])
  for (const dark of [false, true])
    test(
      `a recording is opened at its wire, at ${width} px, ${dark ? 'dark' : 'light'}, and says what went wrong in it`,
      { skip },
      async (t) => {
        const plan = planAt('its file', { kind: 'recording', recorded: await recording(t) });
        const { page, accessible } = await openInspect(t, [plan], { width, height: 740, dark });
        const wire = page.getByRole('grid', { name: 'Messages' });
        const call = wire.getByRole('row').filter({ hasText: /^\d+.*tools\/call.*echo/ });
        await call.waitFor();
        // All of it is in view, and most of the page is for it.
        assert.ok(((await wire.boundingBox())?.height ?? 0) > 400);
        await accessible('the wire of a recording');
        await call.click();
        const pane = page.getByRole('complementary');
        await pane.getByRole('button', { name: 'Lens' }).click();
        const lens = page.getByRole('region', { name: 'Lens' });
        await lens.getByRole('button', { name: '2024-11-05' }).click();
        await lens.getByRole('figure', { name: 'a client of 2024-11-05 sends' }).waitFor();
        assert.equal(await lens.getByRole('region', { name: 'Try it' }).count(), 0);
        if (width < 1_000) await page.getByRole('button', { name: 'Wire', exact: true }).click();
        await pane.getByRole('button', { name: 'Close' }).click();
        if (width < 1_000) await page.getByRole('button', { name: 'Use', exact: true }).click();
        await accessible('a recording in words');
        await page.getByRole('button', { name: '1 answered with an error' }).click();
        await wire.getByText('unknown tool').waitFor();
        assert.equal(await call.count(), 0);
      },
    );
