/** A real browser, where this machine has one. */

import type { TestContext } from 'node:test';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { chromiumArguments, chromiumPath, noChromium } from './chromium-path.ts';
import { atFileEnd } from './file-end.ts';
import { stuckAfterMs } from './stuck.ts';

export { chromiumPath, noChromium };

/** By how much pages are slower than they would be. @see {@link ../../scripts/test.ts} */
const slower = Number(process.env['PARLEY_BROWSER_SLOWER'] ?? 1);

/** That of the file that runs now. */
let opened: Promise<Browser> | undefined;

/** The Chromium that all files of a run share, where the run started one; else one of this file. */
function openBrowser(): Promise<Browser> {
  atFileEnd(async () => {
    const browser = opened;
    opened = undefined;
    await (await browser)?.close();
  });
  const shared = process.env['PARLEY_CHROMIUM_WS'];
  if (shared !== undefined) return chromium.connect(shared, { timeout: stuckAfterMs });
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    timeout: stuckAfterMs,
    args: [...chromiumArguments],
  });
}

/** Opens a browser as nobody used it before, which reaches this machine alone; it ends with the test. */
export async function browserContext(
  t: Pick<TestContext, 'after'>,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  opened ??= openBrowser();
  const context = await (await opened).newContext({ viewport: { width: 800, height: 600 }, ...options });
  t.after(() => context.close());
  context.setDefaultTimeout(stuckAfterMs);
  if (slower > 1) context.on('page', (page) => void slow(context, page));
  return context;
}

/** Gives a page less of the processor; one that is closed by then needs none. */
async function slow(context: BrowserContext, page: Page): Promise<void> {
  try {
    await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: slower });
  } catch {
    // It was closed.
  }
}

/** Signs in at the pages of the authorization server, and allows what is asked, or declines. */
export async function signIn(
  page: Page,
  { consent = 'allow' }: { readonly consent?: 'allow' | 'deny' } = {},
): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill('ann');
  await page.getByPlaceholder('and password').fill('anything');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  const answer =
    consent === 'allow' ? page.getByRole('button', { name: 'Continue' }) : page.getByRole('link', { name: 'Cancel' });
  await answer.click();
}
