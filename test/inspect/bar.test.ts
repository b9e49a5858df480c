/** The bar of a page that shows one part at a time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

for (const width of [360, 800])
  test(`at ${width} px a bar leads to servers, use, wire, lens and questions`, { skip }, async (t) => {
    const url = await served(t, createExampleServer());
    const plans = [planAt(url), planAt(url, { name: 'other' })];
    const { page, choose, accessible } = await openInspect(t, plans, { width, height: 740, dark: width === 360 });
    const fits = async (what: string): Promise<void> => {
      await accessible(what);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${what} is too wide`);
    };
    const bar = page.getByRole('group', { name: 'Part of the page' });
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
    assert.deepEqual(await bar.getByRole('button').allTextContents(), ['Servers', 'Use', 'Wire', 'Lens', 'Questions']);
    // Without a message it tells of the whole server.
    await bar.getByRole('button', { name: 'Lens' }).click();
    const lens = page.getByRole('region', { name: 'Lens' });
    await lens.getByText('No message is chosen').waitFor();
    await lens.getByRole('region', { name: 'Clients of other revisions' }).getByText('refused').first().waitFor();
    await fits('the lens without a message');
    await bar.getByRole('button', { name: 'Wire' }).click();
    const rows = page.getByRole('grid', { name: 'Messages' }).getByRole('row');
    await rows.filter({ hasText: 'result of tools/list' }).first().click();
    await bar.getByRole('button', { name: 'Lens' }).click();
    await lens.getByText('a client of 2024-11-05 gets').waitFor();
    await fits('the lens over a message');
    await bar.getByRole('button', { name: 'Questions' }).click();
    const questions = page.getByRole('region', { name: 'Questions' });
    await questions.getByText('No question waits').waitFor();
    await bar.getByRole('button', { name: 'Use' }).click();
    await choose('tools', 'Rhyme');
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    await bar.getByRole('button', { name: 'Questions 1' }).click();
    // Those of a server are there whichever is chosen.
    await bar.getByRole('button', { name: 'Servers' }).click();
    await page.getByRole('region', { name: 'Server B' }).getByRole('button', { name: /other/ }).click();
    await bar.getByRole('button', { name: 'Questions 1' }).click();
    await fits('the questions');
    await questions.getByRole('button', { name: 'Decline' }).click();
    await questions.getByText('No question waits').waitFor();
  });

test('the lens without a message is that of the chosen server, and of no other', { skip }, async (t) => {
  const plans = [
    planAt(await served(t, createExampleServer()), { name: 'near' }),
    planAt('http://127.0.0.1:1/mcp', { name: 'away' }),
  ];
  const { page } = await openInspect(t, plans, { width: 800, height: 740 });
  const bar = page.getByRole('group', { name: 'Part of the page' });
  const lens = page.getByRole('region', { name: 'Lens' });
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  await bar.getByRole('button', { name: 'Lens' }).click();
  await lens.getByRole('region', { name: 'Clients of other revisions' }).waitFor();
  // The palette chooses a server and stays where one is.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('server b:');
  await page.keyboard.press('Enter');
  await lens.getByRole('heading', { name: 'away' }).waitFor();
  await lens.getByText('It is not connected, so the losses are not known.').waitFor();
  assert.equal(await lens.getByRole('region', { name: 'Clients of other revisions' }).count(), 0);
});

test('names in the words of the lens are code, and stand in no ticks', { skip }, async (t) => {
  const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  const rows = page.getByRole('grid', { name: 'Messages' }).getByRole('row');
  await rows.filter({ hasText: 'subscriptions/listen' }).first().click();
  const pane = page.getByRole('complementary');
  await pane.getByRole('button', { name: 'Lens', exact: true }).click();
  await page.getByRole('button', { name: '2025-03-26', exact: true }).click();
  await page.locator('.lens code').getByText('resources/subscribe', { exact: true }).waitFor();
});
