/** Takes the pictures of README.md and docs/inspect.md again, of the page of `parley inspect` before the example: `npm run lab -- pictures`. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath } from '../test/support/chromium-path.ts';
import { root } from '../test/support/sources.ts';

const wide = { width: 1_440, height: 900 };
const small = { width: 360, height: 720 };

/** Starts `parley inspect` before the example, and gives the address that it prints. */
async function inspect(): Promise<{ readonly address: string; end(): Promise<void> }> {
  const main = 'packages/cli/dist/main.js';
  const argv = [main, 'inspect', '--no-open', '--', 'node', main, 'start', '--stdio'];
  const running = spawn(process.execPath, argv, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = async (): Promise<void> => {
    const gone = once(running, 'exit');
    running.kill('SIGTERM');
    await gone;
  };
  running.stderr.resume();
  for await (const line of createInterface({ input: running.stdout })) {
    const [address] = /http:\/\/127\.0\.0\.1:\S+/.exec(line) ?? [];
    if (address !== undefined) return { address, end };
  }
  throw new Error('parley inspect printed no address');
}

async function taken(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(root, 'docs/images', `${name}.png`) });
}

async function choose(page: Page, title: string): Promise<void> {
  const tools = page.getByRole('grid', { name: 'tools', exact: true });
  await tools.getByRole('row').filter({ hasText: title }).first().click();
}

/** Calls the forecast of a city, and waits for its result. */
async function forecast(page: Page): Promise<void> {
  await choose(page, 'Forecast');
  await page.getByLabel('city').fill('Oslo');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Result' }).getByText('fits the output schema').waitFor();
}

/** Opens the lens over the answer of the last call, as a client of a revision. */
async function openLens(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Other versions' }).click();
  const lens = page.getByRole('region', { name: 'Lens' });
  await lens.getByRole('button', { name: '2025-03-26' }).click();
  await lens.getByRole('figure', { name: 'a client of 2025-03-26 gets' }).waitFor();
}

async function takeWide(page: Page): Promise<void> {
  await forecast(page);
  await openLens(page);
  await taken(page, 'inspect');
  const lens = page.getByRole('region', { name: 'Lens' });
  await lens.getByRole('button', { name: /as a client of/ }).click();
  const trial = lens.getByRole('region', { name: 'Try it' });
  await trial
    .getByText(/the lens says$/)
    .first()
    .waitFor();
  await trial.evaluate('(element) => element.scrollIntoView({ block: "start" })');
  await taken(page, 'inspect-trial');
  await page.getByRole('button', { name: 'Close the side panel' }).click();
  await page.getByRole('tab', { name: 'About' }).click();
  await page.getByRole('button', { name: /^2024-11-05/ }).click();
  await taken(page, 'inspect-about');
  await page.getByRole('tab', { name: /^Tools/ }).click();
  await choose(page, 'Countdown');
  await page.getByLabel('from').fill('9');
  await page.getByLabel('pauseMs').fill('1000');
  await page.getByRole('button', { name: 'Call as a task' }).click();
  await page.getByText(/^[3-6] of 9/).waitFor();
  await taken(page, 'inspect-task');
}

async function opened(browser: Browser, address: string, viewport: typeof wide): Promise<Page> {
  const page = await (await browser.newContext({ viewport, colorScheme: 'light' })).newPage();
  await page.goto(address);
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  return page;
}

const { address, end } = await inspect();
const browser = await chromium.launch({
  executablePath: chromiumPath ?? '',
  args: ['--no-sandbox', '--disable-lcd-text'],
});
try {
  await takeWide(await opened(browser, address, wide));
  const page = await opened(browser, address, small);
  await forecast(page);
  await taken(page, 'inspect-small');
} finally {
  await browser.close();
  await end();
}
