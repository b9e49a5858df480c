/** The page with a keyboard alone: nothing is out of reach, and the focus is never nowhere. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { focusHeld, goByPalette, pressKeys } from '../support/by-keys.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

for (const [width, height] of [
  [360, 740],
  [800, 900],
  [1_600, 1_000],
] as const) {
  test(`tools are chosen, filled in, called and left by keys, at ${width} px`, { skip }, async (t) => {
    const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))], { width, height });
    const grid = page.getByRole('grid', { name: 'tools', exact: true });
    await grid.getByRole('row').nth(3).waitFor();
    await pressKeys(page, '/', 'Tab', 'ArrowDown', 'ArrowDown', 'Home', 'ArrowDown');
    await focusHeld(page, /^grid tools$/);
    // Who goes through the list sees it.
    assert.equal(await grid.locator('.row.chosen').count(), 1);
    await pressKeys(page, 'Enter');
    await focusHeld(page, /^(input|textarea|select) /);
    await goByPalette(page, 'tools: echo');
    await focusHeld(page, /^(input|textarea) message/);
    await page.keyboard.type('by keys');
    await pressKeys(page, 'Control+Enter');
    await page.getByRole('region', { name: 'Result' }).getByText('by keys').first().waitFor();
    await focusHeld(page, /^(input|textarea) message/);
    if (width >= 700) {
      // What is chosen is called from its list too.
      await pressKeys(page, '/');
      const { length } = await page.getByRole('tab', { name: /^Calls/ }).innerText();
      assert.ok(length > 0);
      await pressKeys(page, 'Control+Enter');
      await page.getByRole('tab', { name: 'Calls 2' }).waitFor();
      return;
    }
    await page.getByRole('button', { name: '‹ all tools' }).focus();
    await pressKeys(page, 'Enter');
    await focusHeld(page, /^grid tools$/);
  });

  test(`messages are gone through, opened and closed by keys, at ${width} px`, { skip }, async (t) => {
    const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))], { width, height });
    const rows = page.getByRole('grid', { name: 'Messages' }).getByRole('row');
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
    await goByPalette(page, 'filter of the wire');
    await focusHeld(page, /^input Filter of the wire$/);
    await rows
      .filter({ hasText: /result of tools\/list/ })
      .first()
      .waitFor();
    await pressKeys(page, 'Tab', 'Tab', 'Tab', 'Tab', 'Tab');
    await focusHeld(page, /^grid Messages$/);
    await pressKeys(page, 'End', 'ArrowUp', 'ArrowUp', 'ArrowDown');
    await focusHeld(page, /^grid Messages$/);
    await pressKeys(page, 'Enter');
    await focusHeld(page, /^button Close$/);
    const pane = page.getByRole('complementary');
    const before = await pane.getAttribute('aria-label');
    await pressKeys(page, 'p');
    await page.locator(`aside:not([aria-label="${before}"])`).waitFor();
    await focusHeld(page, /^button Close$/);
    await pressKeys(page, 'Tab', 'Tab', 'Enter');
    await focusHeld(page, /^button HTTP$/);
    await pressKeys(page, 'Escape');
    await focusHeld(page, /^grid Messages$/);
    // It goes on where it was, and not at the beginning.
    if (width >= 700) await pressKeys(page, 'ArrowDown');
    await pressKeys(page, 'Enter');
    await focusHeld(page, /^button Close$/);
    assert.equal(await pane.getAttribute('aria-label'), before);
    await pressKeys(page, 'Enter');
    await focusHeld(page, /^grid Messages$/);
  });
}

test('what the filter hides is neither called by a key nor chosen in its place', { skip }, async (t) => {
  const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  const rows = page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row');
  await rows.filter({ hasText: 'echo' }).first().click();
  await page.getByRole('textbox', { name: 'message' }).fill('hello');
  let posts = 0;
  page.on('request', (request) => void (new URL(request.url()).pathname.endsWith('/call') && posts++));
  const filter = page.getByRole('searchbox', { name: 'Filter of tools' });
  for (const words of ['nothing of the kind', 'book']) {
    await filter.fill(words);
    await rows.nth(3).waitFor({ state: 'detached' });
    await filter.press('Control+Enter');
    await filter.fill('');
    await rows.nth(3).waitFor();
    await focusHeld(page, /^input Filter of tools/);
  }
  await filter.press('Control+Enter');
  await page.getByRole('tab', { name: 'Calls 1' }).waitFor();
  assert.equal(posts, 1);
});

test('a server that is let go by a key is not removed by the next one', { skip }, async (t) => {
  const url = await served(t, createExampleServer());
  const { page } = await openInspect(t, [planAt(url), planAt(url, { name: 'other' })]);
  const server = page.getByRole('region', { name: 'Server B' });
  await server.getByText('connected').waitFor();
  await server.getByRole('button', { name: /other/ }).click();
  await server.getByRole('button', { name: 'Disconnect' }).focus();
  await pressKeys(page, 'Enter');
  await focusHeld(page, /^button Connect$/);
  await server.getByRole('button', { name: 'Remove' }).focus();
  await pressKeys(page, 'Enter');
  await server.waitFor({ state: 'detached' });
  await focusHeld(page, /^button A/);
});

test('an answer that is sent by a key leaves the focus beside it', { skip }, async (t) => {
  const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  await goByPalette(page, 'tools: book');
  await focusHeld(page, /city/);
  await page.keyboard.type('Oslo');
  await pressKeys(page, 'Control+Enter');
  const decline = page.locator('.question').getByRole('button', { name: 'Decline' });
  await decline.focus();
  await pressKeys(page, 'Enter');
  await decline.waitFor({ state: 'detached' });
  await focusHeld(page, /city/);
});

test('what the palette is at is in view, and keys lead to the first and last tab', { skip }, async (t) => {
  const { page, until } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  await pressKeys(page, 'Control+k');
  await focusHeld(page, /^combobox/);
  await pressKeys(page, ...Array.from({ length: 40 }, () => 'ArrowDown'));
  await until(`(() => {
    const { top, bottom } = document.querySelector('[role=option][aria-selected=true]').getBoundingClientRect();
    const box = document.querySelector('dialog').getBoundingClientRect();
    return top >= box.top && bottom <= box.bottom;
  })()`);
  await pressKeys(page, 'Escape');
  await page.getByRole('tab', { name: /^Tools/ }).focus();
  await pressKeys(page, 'End');
  await focusHeld(page, /^tab About/);
  await pressKeys(page, 'ArrowRight');
  await focusHeld(page, /^tab Tools/);
  await pressKeys(page, 'ArrowLeft', 'Home');
  await focusHeld(page, /^tab Tools/);
});

test('a revision that is gone past by keys is not spoken, the one that is left is', { skip }, async (t) => {
  const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  const connects: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/connect')) connects.push(request.postDataJSON());
  });
  const choice = page.getByLabel('Protocol version');
  await choice.focus();
  await pressKeys(page, 'ArrowDown', 'ArrowDown', 'ArrowDown');
  await page.getByText(/^connected, 2025-06-18/).waitFor();
  assert.deepEqual(connects, [{ server: 'A', revision: '2025-06-18' }]);
  assert.equal(await choice.inputValue(), '2025-06-18');
});
