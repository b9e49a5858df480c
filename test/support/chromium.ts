/** A real browser, where this machine has one. */

import { accessSync, constants } from 'node:fs';
import { after, type TestContext } from 'node:test';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';

/** Where systems put Chromium and its kin; a variable names another place. */
const places = [
  process.env['PARLEY_CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The program; `undefined` where there is none. */
export const chromiumPath: string | undefined = places.find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return path !== '';
  } catch {
    return false;
  }
});

/** Why tests with a browser are skipped; `false` where they are not. */
export const noChromium: string | false =
  chromiumPath === undefined && 'there is no Chromium, which PARLEY_CHROMIUM may name';

let launched: Promise<Browser> | undefined;

after(async () => (await launched)?.close());

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    // The pages are our own; as root it starts in no other way.
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
}

/** Opens a browser as nobody used it before, which reaches this machine alone; it ends with the test. */
export async function browserContext(
  t: Pick<TestContext, 'after'>,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  launched ??= launch();
  const context = await (await launched).newContext({ viewport: { width: 800, height: 600 }, ...options });
  t.after(() => context.close());
  context.setDefaultTimeout(20_000);
  return context;
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
