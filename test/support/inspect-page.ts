/** The page of `parley inspect` in a real browser, watched: what it asks for, what it complains about, what axe finds. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { InspectOptions } from '../../packages/cli/src/inspect/serve.ts';
import type { ServerPlan } from '../../packages/cli/src/inspect/servers/shared.ts';
import { browserContext, noChromium } from './chromium.ts';
import { inspecting, noPage, type InspectedScene } from './inspected.ts';
import { stuckAfterMs } from './stuck.ts';

/** Why tests of the page in a browser are skipped; `false` where they are not. */
export const noBrowser: string | false = noPage === false ? noChromium : noPage;

/** Look of a page. */
export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** True for a person who was never here; others left the wire open. */
  readonly isFirstVisit?: boolean;
}

/** A page that is open before a process. */
export interface OpenPage {
  readonly page: Page;
  readonly scene: InspectedScene;
  /** Chooses a row of a list by its words. */
  choose(list: string, words: string): Promise<void>;
  /** Waits until an expression holds; the page may not evaluate any, so that it is asked from outside. */
  until(expression: string): Promise<void>;
  /** Fails where axe finds anything. */
  accessible(what: string): Promise<void>;
  /** Fails where axe finds a fault of colours in the dark theme. Only colours depend on the theme. */
  readableInDark(what: string): Promise<void>;
}

const axe = (): string => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of axe that compare colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** What axe finds. The page loads it at the first call. */
async function axeFindings(page: Page, rules?: readonly string[]): Promise<unknown> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${axe()};undefined`);
  // axe is not loaded in the frames of apps, and a message to a frame without an origin is an error in the console.
  const options = { resultTypes: ['violations'], iframes: false, ...(rules === undefined ? {} : { runOnly: rules }) };
  return await page.evaluate(
    `axe.run(document,${JSON.stringify(options)}).then(({violations})=>violations.map(({id,nodes})=>id+': '+nodes.map(({html})=>html.slice(0,160)).join(' | ')))`,
  );
}

/** Opens the page, and holds it to its word at the end: an empty console, and no request but to its own origin. */
export async function openInspect(
  t: TestContext,
  plans: readonly ServerPlan[],
  look: Look = {},
  more: Partial<InspectOptions> = {},
): Promise<OpenPage> {
  const opened: Page[] = [];
  // Before the process ends, of which a page complains.
  t.after(async () => {
    for (const one of opened) await one.close();
  });
  const scene = await inspecting(t, plans, more);
  const watched = await watchPage(t, scene.url, look, scene.apps);
  opened.push(watched.page);
  assert.ok(!watched.page.url().includes(scene.token));
  return { ...watched, scene };
}

/** Remembers, as the page does, that the wire is open at any width. */
const withWire = `if (window === top && location.protocol === 'http:')
  for (const name of ['small', 'medium', 'large'])
    localStorage['parley-panes-' + name] ??= '{"wire":{"isOpen":true}}';`;

/** Opens the page at an address, with the same promise. @param apps Origin of the apps, where they run. */
export async function watchPage(
  t: TestContext,
  url: string,
  { width = 1_600, height = 1_000, dark = false, isFirstVisit = false }: Look = {},
  apps?: string,
): Promise<Omit<OpenPage, 'scene'>> {
  const complaints: string[] = [];
  const foreign: string[] = [];
  const context = await browserContext(t, { viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' });
  if (!isFirstVisit) await context.addInitScript(withWire);
  const page = await context.newPage();
  const own = [new URL(url).origin, ...(apps === undefined ? [] : [apps])];
  page.on('console', (message) => {
    // What an app complains of is its own affair.
    if (apps === undefined || !message.location().url.startsWith(apps)) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !own.includes(new URL(request.url()).origin))
      foreign.push(request.url());
  });
  page.on('requestfailed', (request) => {
    // It was asked for, and the policy kept it here.
    if (request.failure()?.errorText === 'csp') foreign.splice(foreign.indexOf(request.url()), 1);
  });
  t.after(() => {
    assert.deepEqual(complaints, []);
    assert.deepEqual(foreign, []);
  });
  await page.goto(url);
  await page.getByRole('heading', { name: 'Parley' }).waitFor();
  return {
    page,
    async choose(list, words) {
      await page
        .getByRole('grid', { name: list, exact: true })
        .getByRole('row')
        .filter({ hasText: words })
        .first()
        .click();
    },
    async until(expression) {
      const signal = AbortSignal.timeout(stuckAfterMs);
      while ((await page.evaluate(expression)) !== true) {
        signal.throwIfAborted();
        await turn();
      }
    },
    async accessible(what) {
      assert.deepEqual(await axeFindings(page), [], what);
    },
    async readableInDark(what) {
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await axeFindings(page, colourRules), [], `${what}, dark`);
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    },
  };
}
