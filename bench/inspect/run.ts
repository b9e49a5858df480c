/** `npm run lab -- bench:inspect`: what a browser makes of 10,000 messages at 1,000 a second, of a large result and of many tools. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { chromiumPath, noChromium } from '../../test/support/chromium-path.ts';
import { addressOf, call, heap } from './opened.ts';

const messages = 10_000;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Frames while a list is scrolled by its wheel, as milliseconds between them. */
const scrolling = `new Promise((resolve) => {
  const list = document.querySelector('[role=grid][aria-label="Messages"]');
  const took = [];
  let before = performance.now();
  let down = 1;
  const step = (now) => {
    took.push(now - before);
    before = now;
    if (list.scrollTop < 100) down = 1;
    if (list.scrollTop + list.clientHeight > list.scrollHeight - 100) down = -1;
    list.scrollTop += down * 140;
    if (took.length < 300) requestAnimationFrame(step);
    else resolve(took.slice(2));
  };
  requestAnimationFrame(step);
})`;

/** Time until a typed filter is drawn. */
const filtering = (text: string): string => `new Promise((resolve) => {
  const box = document.querySelector('[aria-label="Filter of the wire"]');
  const began = performance.now();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, ${JSON.stringify(text)});
  box.dispatchEvent(new InputEvent('input', { bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
})`;

function part(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const say = (what: string, figure: number, unit: string): void =>
  void process.stdout.write(`${what.padEnd(52)} ${figure.toFixed(1).padStart(8)} ${unit}\n`);

async function measured(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  say('heap of the page with 1,000 tools', await heap(session), 'MB');
  await call(page, 'flood', { count: messages, perSecond: 1_000 });
  const during = (await page.evaluate(scrolling)) as number[];
  say('a frame of scrolling while messages come, p50', part(during, 0.5), 'ms');
  say('a frame of scrolling while messages come, p95', part(during, 0.95), 'ms');
  await page.getByText(`${messages} in `).first().waitFor({ timeout: 120_000 });
  const after = (await page.evaluate(scrolling)) as number[];
  say(`a frame of scrolling over ${messages}, p95`, part(after, 0.95), 'ms');
  const taken: number[] = [];
  for (const text of ['tools', 'method:tools/call', 'dur:>5', 'status:error', ''])
    taken.push((await page.evaluate(filtering(text))) as number);
  say('a filter until it is drawn, the slowest of five', Math.max(...taken), 'ms');
  const held = await heap(session);
  say('heap of the page with all of them', held, 'MB');
  await call(page, 'flood', { count: messages, perSecond: 2_000 });
  await page.getByText(/\b2\d,\d{3} recorded/).waitFor({ timeout: 120_000 });
  say('heap of the page for each message more', ((await heap(session)) - held) * (1e6 / messages), 'B');
  const began = performance.now();
  await call(page, 'large', { bytes: 20e6 });
  await page.locator('pre.text', { hasText: '"at":0' }).first().waitFor({ timeout: 60_000 });
  say('a result of 20 MB until it is shown', performance.now() - began, 'ms');
  const large = (await page.evaluate(scrolling)) as number[];
  say('a frame of scrolling beside it, p95', part(large, 0.95), 'ms');
}

async function main(): Promise<void> {
  if (noChromium !== false) throw new Error(noChromium);
  const [program, talker] = [here('../../packages/cli/dist/main.js'), here('talker.ts')];
  const child = spawn(process.execPath, [program, 'inspect', '--no-open', '--', process.execPath, talker], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
  try {
    const address = await addressOf(child.stdout, /at (http:\S+)/);
    const page = await browser.newPage({ viewport: { width: 1_600, height: 1_000 } });
    const began = performance.now();
    await page.goto(address);
    await page.getByText('tool_0', { exact: true }).first().waitFor();
    say('from the address to 1,000 tools', performance.now() - began, 'ms');
    await measured(page);
  } finally {
    await browser.close();
    child.kill();
    await once(child, 'close');
  }
}

await main();
