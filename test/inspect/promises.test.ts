/** What is promised of the page whatever is done there: whoever sees it how, with what, and at which width. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { noBrowser, openInspect, type OpenPage } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

/** Goes to a part of the page where only one is shown. */
async function at(page: Page, place: 'Servers' | 'Use' | 'Wire'): Promise<void> {
  const button = page.getByRole('group', { name: 'Part of the page' }).getByRole('button', { name: place });
  if (await button.isVisible()) await button.click();
}

/** Chooses something in a list, which stands beside what was chosen before or in its place. */
async function pick({ page, choose }: OpenPage, list: string, words: string): Promise<void> {
  await at(page, 'Use');
  await page.getByRole('tab', { name: new RegExp(list, 'i') }).click();
  const back = page.getByRole('button', { name: /^‹ all/ });
  if (await back.isVisible()) await back.click();
  await choose(list, words);
}

const call = (page: Page): Promise<void> => page.getByRole('button', { name: /^Call Ctrl/ }).click();

/** Calls the tool that has an app, and shows the source of the app. */
async function charted(page: Page, city: string): Promise<Locator> {
  await page.getByLabel('city').fill(city);
  await call(page);
  await page.getByRole('region', { name: 'Result' }).getByText('day 1').first().waitFor();
  const app = page.getByRole('region', { name: 'App' });
  await app.getByRole('button', { name: 'Show its source' }).click();
  await app.getByRole('button', { name: 'Run the app' }).waitFor();
  return app;
}

// A theme changes colours alone, and no width changes a colour: axe judges each place in both themes, with all parts side by side, and once where one part is shown at a time.
const looks = [
  { width: 360, dark: true, axe: 'all' },
  { width: 800, dark: false, axe: 'nothing' },
  { width: 1_600, dark: false, axe: 'both themes' },
] as const;

for (const { width, dark, axe } of looks)
  test(`questions, apps and what else there is fit at ${width} px; axe judges ${axe}`, { skip }, async (t) => {
    const url = await served(t, createExampleServer());
    const open = await openInspect(t, [planAt(url), planAt(url, { name: 'other' })], { width, height: 800, dark });
    const { page, accessible, readableInDark } = open;
    const fits = async (what: string): Promise<void> => {
      if (axe !== 'nothing') await accessible(what);
      if (axe === 'both themes') await readableInDark(what);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${what} is too wide`);
    };
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
    await pick(open, 'tools', 'Book a journey');
    await page.getByLabel('city').fill('Oslo');
    await call(page);
    const question = page.getByRole('region', { name: 'Question of server' });
    await question.getByLabel('Day').waitFor();
    await fits('a form that is asked for');
    await question.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('Nothing is noted: decline').waitFor();
    for (const [tool, words] of [
      ['Map', 'example.com'],
      ['Rhyme', 'Give me two lines'],
    ] as const) {
      await pick(open, 'tools', tool);
      await call(page);
      await question.getByText(words).first().waitFor();
      await fits(`the question of ${tool}`);
      await question.getByRole('button', { name: 'Cancel' }).click();
      await question.waitFor({ state: 'detached' });
    }
    await pick(open, 'tools', 'Chart');
    const app = await charted(page, 'Quito');
    await fits('the source of an app');
    await app.getByRole('button', { name: 'Run the app' }).click();
    await page.frameLocator('iframe').frameLocator('iframe').getByText('5 days, and nothing of it is true').waitFor();
    await fits('an app that runs');
    for (const [tab, name] of [
      ['prompts', 'Greet somebody'],
      ['resources', 'A city'],
      ['calls', 'rhyme'],
    ] as const) {
      await pick(open, tab, name);
      await fits(tab);
    }
    for (const tab of ['Log', 'About']) {
      await page.getByRole('tab', { name: new RegExp(tab) }).click();
      await fits(tab);
    }
    await at(page, 'Servers');
    await fits('servers');
    await page.getByRole('button', { name: 'Compare two' }).click();
    await page.getByRole('dialog').getByText('the same').first().waitFor();
    await fits('a comparison');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('wire');
    await fits('the palette');
  });

test('a dialog that is asked for while another one closes is shown', { skip }, async (t) => {
  const url = await served(t, createExampleServer());
  const { page } = await openInspect(t, [planAt(url)], {});
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  // A browser says that a dialog was closed in a task of its own, which may come after the next key.
  await page.evaluate(`document.querySelector('dialog').close();
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))`);
  await page.getByRole('combobox', { name: 'Search everything' }).fill('wire');
  await page.getByRole('button', { name: /^Close/ }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the palette opens again at once after it led somewhere', { skip }, async (t) => {
  const { page } = await openInspect(t, [planAt(await served(t, createExampleServer()))], {});
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('Go to about');
  // The one that closed is drawn no more, and says so later than the next key comes.
  await page.evaluate(`(async () => {
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    for (let turns = 0; turns < 9; turns++) await undefined;
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
  })()`);
  await page.getByRole('combobox', { name: 'Search everything' }).fill('wire');
});

test('the app of the example asks its host for more, and for a page to be opened', { skip }, async (t) => {
  const opened: string[] = [];
  const openPage = (url: string): Promise<void> => {
    opened.push(url);
    return Promise.resolve();
  };
  const { page, choose } = await openInspect(t, [planAt(await served(t, createExampleServer()))], {}, { openPage });
  await choose('tools', 'Chart');
  const app = await charted(page, 'Oslo');
  await app.getByRole('button', { name: 'Run the app' }).click();
  const shown = page.frameLocator('iframe').frameLocator('iframe');
  await shown.getByRole('button', { name: 'Seven days' }).click();
  await shown.getByText('7 days').waitFor();
  await shown.getByRole('button', { name: 'About the weather' }).click();
  await app.getByRole('button', { name: 'Refuse' }).click();
  await shown.getByText('does not want to open it').waitFor();
  assert.deepEqual(opened, []);
});

test('an app that speaks before the page was drawn is heard', { skip }, async (t) => {
  const { page, choose } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await choose('tools', 'Chart');
  const app = await charted(page, 'Quito');
  // As in a tab that nobody looks at, or where something else has the processor.
  await page.evaluate(`(() => {
    const { setTimeout: later } = window;
    window.requestAnimationFrame = () => 0;
    window.setTimeout = (then, ms = 0, ...more) => later(then, ms + 3000, ...more);
  })()`);
  await app.getByRole('button', { name: 'Run the app' }).click();
  await page.frameLocator('iframe').frameLocator('iframe').getByText('5 days, and nothing of it is true').waitFor();
});

test('at 400 % of 1,280 px everything can be done, and nothing is wider than the page', { skip }, async (t) => {
  const url = await served(t, createExampleServer());
  const open = await openInspect(t, [planAt(url)], { width: 320, height: 256 });
  const { page } = open;
  await pick(open, 'tools', 'Echo');
  await page
    .getByLabel(/^message/)
    .first()
    .fill('small');
  await call(page);
  await page.getByRole('region', { name: 'Result' }).getByText('small').waitFor();
  await at(page, 'Wire');
  await page.getByRole('grid', { name: 'Messages' }).getByRole('row').filter({ hasText: 'tools/call' }).first().click();
  await page.getByRole('complementary').getByRole('button', { name: 'Lens' }).click();
  await page
    .getByText(/gets the same|difference/)
    .first()
    .waitFor();
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
});

test('forced colours show what is chosen, and reduced motion has none', { skip }, async (t) => {
  const { page, choose } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await choose('tools', 'Echo');
  const outlines: unknown = await page.evaluate(
    `['.row.chosen', '.choice button[aria-pressed=true]', '.tabs button[aria-selected=true]'].map((one) => getComputedStyle(document.querySelector(one)).outlineStyle)`,
  );
  assert.deepEqual(outlines, ['solid', 'solid', 'solid']);
  const moving: unknown = await page.evaluate(
    `[...document.querySelectorAll('*')].filter((one) => { const { animationName, transitionDuration } = getComputedStyle(one); return animationName !== 'none' || /[1-9]/.test(transitionDuration); }).length`,
  );
  assert.equal(moving, 0);
});

test('the chosen row keeps the focus when it leaves the view and the document', { skip }, async (t) => {
  const { page, choose, until } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await choose('tools', 'Countdown');
  await page.getByLabel('from').fill('100');
  await page.getByLabel('pauseMs').fill('0');
  await call(page);
  await page.getByText('lift-off').waitFor();
  const grid = page.getByRole('grid', { name: 'Messages' });
  await grid.focus();
  await page.keyboard.press('Home');
  await until('document.querySelector(".wire .row.chosen")?.getAttribute("aria-rowindex") === "2"');
  // Rows may still arrive, and make the list longer.
  await until(
    `(() => {
      const list = document.querySelector('[role=grid][aria-label=Messages]');
      list.scrollTop = list.scrollHeight;
      return document.querySelector('.wire .row.chosen') === null;
    })()`,
  );
  assert.equal(await grid.getAttribute('aria-activedescendant'), null);
  assert.ok(await page.evaluate('document.activeElement?.getAttribute("aria-label") === "Messages"'));
  await page.keyboard.press('j');
  await until('document.querySelector(".wire .row.chosen")?.getAttribute("aria-rowindex") === "3"');
  assert.match((await grid.getAttribute('aria-activedescendant')) ?? '', /list-\d+-2$/);
});

test('a question waits in the title, the bar and the ears, and takes no focus', { skip }, async (t) => {
  const { page, choose, until } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await choose('tools', 'Rhyme');
  const filter = page.getByLabel('Filter of the wire');
  await filter.focus();
  await page.getByRole('button', { name: /^Call Ctrl/ }).dispatchEvent('click');
  await page.getByRole('button', { name: '1 question waits' }).waitFor();
  assert.equal(await page.title(), '(1) Parley');
  await until('/asks something/.test(document.querySelector("[aria-live=polite]")?.textContent ?? "")');
  assert.ok(await page.evaluate('document.activeElement?.getAttribute("aria-label") === "Filter of the wire"'));
  assert.equal(await page.locator('[aria-live]').count(), 1);
  await page.getByRole('region', { name: 'Question of server' }).getByRole('button', { name: 'Decline' }).click();
  await until('document.title === "Parley"');
});

test('what is empty says why, and what to do', { skip }, async (t) => {
  const { page, scene } = await openInspect(t, []);
  await page
    .getByText("No server yet: parley inspect -- node server.js, an address below, or your host's file")
    .waitFor();
  await page.getByText('No messages yet.').waitFor();
  await page.getByLabel('Add an address').fill(await served(t, createExampleServer()));
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('tab', { name: /Calls/ }).click();
  await page.getByText('No calls yet.').waitFor();
  await page.getByRole('tab', { name: /Log/ }).click();
  await page.getByText('Nothing was logged.').waitFor();
  await scene.line('server', ({ server }) => server.version > 0);
  await page.getByLabel('Filter of the wire').fill('nobody says this');
  await page.getByText(/^No matches\. \d+ messages are hidden\.$/).waitFor();
  await page.getByRole('button', { name: /hidden, show all/ }).click();
  await page.getByRole('grid', { name: 'Messages' }).waitFor();
});

test('the palette finds places, things, messages, and what can be done', { skip }, async (t) => {
  const { page, until } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.getByRole('grid', { name: 'Messages' }).getByText('result of resources/templates/list').waitFor();
  const goTo = async (words: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill(words);
    await page.keyboard.press('Enter');
  };
  await goTo('#2');
  await page.getByRole('complementary').getByRole('heading', { name: /^#2 / }).waitFor();
  await goTo('resources: A city');
  await page.getByRole('heading', { name: 'A city' }).waitFor();
  await goTo('theme dark');
  await until('document.documentElement.style.colorScheme === "dark"');
  await goTo('pause');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  const downloaded = page.waitForEvent('download');
  await goTo('save http archive');
  assert.match((await downloaded).suggestedFilename(), /\.har$/);
  await goTo('disconnect');
  await page.locator('.server[data-status=closed]').waitFor();
});
