/** The focus of who has no mouse goes where a way leads, and stays in view. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { focusHeld, goByPalette, isFocusSeen, pressKeys } from '../support/by-keys.ts';
import { noBrowser, openInspect, type OpenPage } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';
import { signedInPlan } from '../support/signed-in-plan.ts';

const skip = noBrowser;

/** Calls the tool that asks about a journey, and waits for its question. */
async function asked({ page, scene }: OpenPage): Promise<void> {
  await goByPalette(page, 'tools: book');
  await focusHeld(page, /city/);
  await page.keyboard.type('Oslo');
  await pressKeys(page, 'Control+Enter');
  await scene.line('question');
  await page.getByRole('button', { name: /^1 question/ }).waitFor();
}

for (const [width, height] of [
  [360, 740],
  [1_280, 800],
] as const) {
  test(`what the palette leads to has the focus, at ${width} px`, { skip }, async (t) => {
    const url = await served(t, createExampleServer());
    const opened = await openInspect(t, [planAt(url), planAt(url, { name: 'other' })], { width, height });
    const { page } = opened;
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').nth(3).waitFor();
    await goByPalette(page, 'Go to about');
    await focusHeld(page, /^tab About/);
    await goByPalette(page, 'Server B');
    await focusHeld(page, /^tab About/);
    await page.getByRole('tablist', { name: 'What other has' }).waitFor();
    await goByPalette(page, 'Server A');
    await asked(opened);
    await goByPalette(page, 'Server B');
    await goByPalette(page, 'Question of A');
    await focusHeld(page, /^(input|textarea) Day/);
    await goByPalette(page, '#3');
    await focusHeld(page, /^button Close/);
    await goByPalette(page, 'Lens: a client of 2025-03-26');
    await focusHeld(page, /^button 2025-03-26/);
    assert.equal(await page.locator('.lens').getByRole('button', { pressed: true }).innerText(), '2025-03-26');
  });

  test(`what waits, and the number of a message, lead to it with the focus, at ${width} px`, { skip }, async (t) => {
    const plan = planAt(await served(t, createExampleServer()));
    const opened = await openInspect(t, [plan, signedInPlan({ ...plan, name: 'guarded' })], { width, height });
    const { page, scene } = opened;
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').nth(3).waitFor();
    await asked(opened);
    await page.getByRole('button', { name: /^1 question/ }).focus();
    await pressKeys(page, 'Enter');
    await focusHeld(page, /^(input|textarea) Day/);
    await page.locator('.question h2 button').focus();
    await pressKeys(page, 'Enter');
    await focusHeld(page, /^button Close/);
    await scene.post('pause-sign-in', { server: 'B', on: true });
    await goByPalette(page, 'Sign in at B');
    const waits = page.getByRole('button', { name: /^sign-in/ });
    await waits.waitFor();
    await waits.focus();
    await pressKeys(page, 'Enter');
    await focusHeld(page, /^button Go on/);
  });

  test(`a question that comes hides nothing that has the focus, at ${width} px`, { skip }, async (t) => {
    const opened = await openInspect(t, [planAt(await served(t, createExampleServer()))], { width, height });
    const { page } = opened;
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').nth(3).waitFor();
    await asked(opened);
    // What was typed in is covered: the question has the focus, and no key answers it.
    await focusHeld(page, /^section Question of server/);
    assert.ok(await isFocusSeen(page), 'the question');
    await goByPalette(page, 'Question of A');
    await focusHeld(page, /^(input|textarea) Day/);
    // What answers it stands over the end of its form.
    for (let fields = 0; fields < 12; fields++) {
      assert.ok(await isFocusSeen(page), await page.evaluate<string>('document.activeElement.outerHTML.slice(0, 120)'));
      await pressKeys(page, 'Tab');
    }
  });
}

for (const width of [360, 1_280])
  test(`a kind of file is chosen by arrows, and saved by a key of its own, at ${width} px`, { skip }, async (t) => {
    const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))], { width, height: 740 });
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').nth(3).waitFor();
    const saved: string[] = [];
    page.on('download', (file) => saved.push(file.suggestedFilename()));
    await goByPalette(page, 'filter of the wire');
    await focusHeld(page, /^input Filter/);
    await pressKeys(page, 'Tab', 'Tab');
    await focusHeld(page, /^select /);
    await pressKeys(page, 'ArrowDown', 'Tab');
    await focusHeld(page, /^button Save$/);
    assert.deepEqual(saved, []);
    const file = page.waitForEvent('download');
    await pressKeys(page, 'Enter');
    assert.equal((await file).suggestedFilename(), 'transcript.txt');
    await focusHeld(page, /^button Save$/);
    const [bar, clear] = [
      await page.locator('.wire-bar').boundingBox(),
      await page.locator('.wire-bar button').last().boundingBox(),
    ];
    assert.ok(
      (bar?.height ?? 0) < 110 && (clear?.x ?? 0) + (clear?.width ?? 0) <= width,
      JSON.stringify({ bar, clear }),
    );
  });
