/** The page with a keyboard alone: nothing is out of reach, and the focus is never nowhere. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createExampleServer } from '../../src/cli/example/server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

/** Name of what has the focus: empty where nothing has, or where it cannot be seen. */
const holder = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body || !one.checkVisibility()) return '';
  const name = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent ?? '';
  return [one.getAttribute('role') ?? one.localName, name.trim()].join(' ');
})()`;

async function held(page: Page, words: RegExp): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  let found = '';
  while (!words.test((found = String(await page.evaluate(holder)))))
    assert.ok(!signal.aborted, `the focus is at ${JSON.stringify(found)}, and not at ${String(words)}`);
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Goes to something by the palette. */
async function goTo(page: Page, words: string): Promise<void> {
  await press(page, 'Control+k');
  await held(page, /^combobox Search/);
  await page.keyboard.type(words);
  await press(page, 'Enter');
}

for (const [width, height] of [
  [360, 740],
  [800, 900],
  [1_600, 1_000],
] as const) {
  test(`tools are chosen, filled in, called and left by keys, at ${width} px`, { skip }, async (t) => {
    const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))], { width, height });
    const grid = page.getByRole('grid', { name: 'tools', exact: true });
    await grid.getByRole('row').nth(3).waitFor();
    await press(page, '/', 'Tab', 'ArrowDown', 'ArrowDown', 'Home', 'ArrowDown');
    await held(page, /^grid tools$/);
    // Who goes through the list sees it.
    assert.equal(await grid.locator('.row.chosen').count(), 1);
    await press(page, 'Enter');
    await held(page, /^(input|textarea|select) /);
    await goTo(page, 'tools: echo');
    await held(page, /^(input|textarea) message/);
    await page.keyboard.type('by keys');
    await press(page, 'Control+Enter');
    await page.getByRole('region', { name: 'Result' }).getByText('by keys').first().waitFor();
    await held(page, /^(input|textarea) message/);
    if (width >= 700) {
      // What is chosen is called from its list too.
      await press(page, '/');
      const { length } = await page.getByRole('tab', { name: /^Calls/ }).innerText();
      assert.ok(length > 0);
      await press(page, 'Control+Enter');
      await page.getByRole('tab', { name: 'Calls 2' }).waitFor();
      return;
    }
    await page.getByRole('button', { name: '‹ all tools' }).focus();
    await press(page, 'Enter');
    await held(page, /^grid tools$/);
  });

  test(`messages are gone through, opened and closed by keys, at ${width} px`, { skip }, async (t) => {
    const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))], { width, height });
    const rows = page.getByRole('grid', { name: 'Messages' }).getByRole('row');
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
    await goTo(page, 'filter of the wire');
    await held(page, /^input Filter of the wire$/);
    await rows
      .filter({ hasText: /result of tools\/list/ })
      .first()
      .waitFor();
    await press(page, 'Tab', 'Tab', 'Tab', 'Tab');
    await held(page, /^grid Messages$/);
    await press(page, 'End', 'ArrowUp', 'ArrowUp', 'ArrowDown');
    await held(page, /^grid Messages$/);
    await press(page, 'Enter');
    await held(page, /^button Close$/);
    const pane = page.getByRole('complementary');
    const before = await pane.getAttribute('aria-label');
    await press(page, 'p');
    await page.locator(`aside:not([aria-label="${before}"])`).waitFor();
    await held(page, /^button Close$/);
    await press(page, 'Tab', 'Tab', 'Enter');
    await held(page, /^button HTTP$/);
    await press(page, 'Escape');
    await held(page, /^grid Messages$/);
    // It goes on where it was, and not at the beginning.
    if (width >= 700) await press(page, 'ArrowDown');
    await press(page, 'Enter');
    await held(page, /^button Close$/);
    assert.equal(await pane.getAttribute('aria-label'), before);
    await press(page, 'Enter');
    await held(page, /^grid Messages$/);
  });
}

test('what the filter hides is neither called by a key nor chosen in its place', { skip }, async (t) => {
  const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  const rows = page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row');
  await rows.filter({ hasText: 'echo' }).first().click();
  let posts = 0;
  page.on('request', (request) => void (new URL(request.url()).pathname.endsWith('/call') && posts++));
  const filter = page.getByRole('searchbox', { name: 'Filter of tools' });
  for (const words of ['nothing of the kind', 'book']) {
    await filter.fill(words);
    await rows.nth(3).waitFor({ state: 'detached' });
    await filter.press('Control+Enter');
    await filter.fill('');
    await rows.nth(3).waitFor();
    await held(page, /^input Filter of tools/);
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
  await server.getByRole('button', { name: 'Disconnect' }).focus();
  await press(page, 'Enter');
  await held(page, /^button Connect$/);
  await server.getByRole('button', { name: 'Remove' }).focus();
  await press(page, 'Enter');
  await server.waitFor({ state: 'detached' });
  await held(page, /^button A/);
});

test('an answer that is sent by a key leaves the focus beside it', { skip }, async (t) => {
  const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  await goTo(page, 'tools: book');
  await held(page, /city/);
  await page.keyboard.type('Oslo');
  await press(page, 'Control+Enter');
  const decline = page.locator('.question').getByRole('button', { name: 'Decline' });
  await decline.focus();
  await press(page, 'Enter');
  await decline.waitFor({ state: 'detached' });
  await held(page, /^tab Tools/);
});

test('what the palette is at is in view, and keys lead to the first and last tab', { skip }, async (t) => {
  const { page, until } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  await press(page, 'Control+k');
  await held(page, /^combobox/);
  await press(page, ...Array.from({ length: 40 }, () => 'ArrowDown'));
  await until(`(() => {
    const { top, bottom } = document.querySelector('[role=option][aria-selected=true]').getBoundingClientRect();
    const box = document.querySelector('dialog').getBoundingClientRect();
    return top >= box.top && bottom <= box.bottom;
  })()`);
  await press(page, 'Escape');
  await page.getByRole('tab', { name: /^Tools/ }).focus();
  await press(page, 'End');
  await held(page, /^tab About/);
  await press(page, 'ArrowRight');
  await held(page, /^tab Tools/);
  await press(page, 'ArrowLeft', 'Home');
  await held(page, /^tab Tools/);
});
