/** What can be seen of the page without moving anything: nothing is cut off, covered, or pushed out of view. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';
import { isSeen } from '../support/seen.ts';

const skip = noBrowser;

const longName = 'a_name_of_one_word_'.repeat(6);

/** A server with a name that breaks nowhere, and a form that is longer than any page. */
function long(): Server {
  const server = createServer({ name: 'long', version: '1' });
  const names = Array.from({ length: 40 }, (_, at) => `field${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' } as const]));
  server.tool('form', { input: { type: 'object', properties, required: names } }, () => 'filled in');
  server.tool(longName, {}, () => 'x'.repeat(2_000));
  return server;
}

for (const width of [360, 800, 1_600]) {
  test(
    `a long form, long names and what they are compared by make no page longer or wider, at ${width} px`,
    { skip },
    async (t) => {
      const plans = [
        planAt(await served(t, long())),
        planAt(await served(t, createExampleServer()), { name: 'other' }),
      ];
      const { page, choose } = await openInspect(t, plans, { width, height: 800 });
      const fits = async (what: string): Promise<void> => {
        const found: unknown = await page.evaluate(
          `({ page: [document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollHeight <= innerHeight],
           wide: [...document.querySelectorAll('.tool > h2, dialog, dialog li')].filter((one) => one.scrollWidth > one.clientWidth).length })`,
        );
        assert.deepEqual(found, { page: [true, true], wide: 0 }, what);
      };
      await choose('tools', 'form');
      await page.getByLabel(/^field39/).scrollIntoViewIfNeeded();
      await fits('a long form');
      const back = page.getByRole('button', { name: '‹ all tools' });
      if (await back.isVisible()) await back.click();
      await choose('tools', 'a_name');
      await page.getByRole('button', { name: /^Call Ctrl/ }).click();
      await page.getByRole('region', { name: 'Result' }).getByText('xxx').waitFor();
      await fits('a long name');
      if (width < 1_200) await page.getByRole('button', { name: 'Servers', exact: true }).click();
      await page.getByRole('button', { name: 'Compare two' }).click();
      await page.getByRole('dialog').getByText('only A').first().waitFor();
      await fits('a comparison');
    },
  );

  test(`what answers a question is in view however long it is, at ${width} px`, { skip }, async (t) => {
    const plans = [planAt(await served(t, createExampleServer()))];
    const { page, choose } = await openInspect(t, plans, { width, height: 740 });
    await choose('tools', 'Book a journey');
    await page.getByLabel('city').fill('Oslo');
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    const question = page.getByRole('region', { name: 'Question of server' });
    await question.getByText('With a bicycle').waitFor();
    await page
      .getByRole('button', { name: /question/ })
      .first()
      .click();
    // The bar on top is one line where there is room for it.
    const top = await page.locator('header.top').boundingBox();
    assert.ok(width < 700 || (top?.height ?? 0) <= 45, `the bar is ${top?.height} px high`);
    for (const name of ['Send', 'Decline', 'Cancel'])
      assert.ok(await isSeen(question.getByRole('button', { name, exact: true })), name);
  });
}

for (const width of [800, 1_800])
  test(`the lens shows two texts from where they differ, and enough of them, at ${width} px`, { skip }, async (t) => {
    const plans = [planAt(await served(t, createExampleServer()))];
    const { page, choose, accessible } = await openInspect(t, plans, { width, height: 1_000 });
    await choose('tools', 'Forecast');
    await page.getByLabel('city').fill('Oslo');
    await page.getByLabel('days').fill('7');
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    await page.getByRole('region', { name: 'Result' }).getByRole('button', { name: /^#/ }).click();
    await page.getByRole('complementary').waitFor();
    // By a key, from whatever view of the message.
    await page.keyboard.press('2');
    const headers = page.getByRole('table', { name: 'Headers over HTTP' });
    assert.match((await headers.getByRole('row', { name: /mcp-name/ }).textContent()) ?? '', /forecast.*not sent/);
    await accessible('a lens with headers');
    await page.keyboard.press('p');
    const crossed = page.getByRole('grid', { name: 'As it crossed in 2026-07-28' });
    const first = crossed.getByRole('row').filter({ hasText: 'only here: ' }).first();
    await first.waitFor();
    assert.ok(await isSeen(first));
    assert.match((await first.textContent()) ?? '', /structuredContent/);
    const sides = [crossed, page.getByRole('grid', { name: 'For a client of 2025-03-26' })];
    const lines = await Promise.all(
      sides.map(async (side) => {
        const rows = await side.getByRole('row').all();
        const seen = (await Promise.all(rows.map(isSeen))).filter(Boolean).length;
        return { seen, all: Number(await side.getAttribute('aria-rowcount')) };
      }),
    );
    // A text may begin above, where both are alike.
    for (const { seen, all } of lines)
      assert.ok(all > 5 && seen >= Math.min(all - 1, 12), `${seen} of ${all} lines are seen`);
    await accessible('a lens that begins where texts differ');
  });

for (const width of [360, 800])
  test(`keys lead to what is shown where one part is shown at a time, at ${width} px`, { skip }, async (t) => {
    const plans = [planAt(await served(t, createExampleServer()))];
    const { page, until } = await openInspect(t, plans, { width, height: 740 });
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
    const focused = (label: string): Promise<void> =>
      until(`document.activeElement?.getAttribute('aria-label') === ${JSON.stringify(label)}`);
    await page.keyboard.press('/');
    await focused('Filter of tools');
    await page.getByRole('button', { name: 'Wire', exact: true }).click();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('/');
    await focused('Filter of the wire');
    await page.keyboard.press('Escape');
    const rows = page.getByRole('grid', { name: 'Messages' }).getByRole('row');
    await rows.filter({ hasText: 'result of tools/list' }).first().click();
    await page.getByRole('button', { name: 'Lens', exact: true }).first().click();
    await page.keyboard.press('3');
    await page.getByRole('region', { name: 'Lens' }).getByText('a client of 2025-06-18 gets').waitFor();
  });

test('the palette closes with one press whatever was typed, and gives the focus back', { skip }, async (t) => {
  const plans = [planAt(await served(t, createExampleServer()))];
  const { page, until, choose } = await openInspect(t, plans);
  await choose('tools', 'Forecast');
  const isBack = (): Promise<void> => until(`document.activeElement?.getAttribute('aria-label') === 'tools'`);
  const palette = page.getByRole('combobox', { name: 'Search everything' });
  await page.getByRole('grid', { name: 'tools', exact: true }).focus();
  await page.keyboard.press('Control+k');
  await palette.fill('fore');
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  await isBack();
  await page.keyboard.press('Control+k');
  await palette.fill('pause the wire');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
  await isBack();
});
