/**
 * `npm run lab -- bench:steady [messages] [per second]`: what the page and the process of `parley inspect` hold while messages come for long, by
 * default as many as an hour has at 10 a second. Both collect garbage before each look, so that what is told is what stays.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { chromiumPath, noChromium } from '../../test/support/chromium-path.ts';
import { addressOf, call, heap } from './opened.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const looks = 24;

/** A process that can be asked, over the protocol of its debugger, what it holds. */
async function heapOf(address: string): Promise<{ asked(): Promise<number>; close(): void }> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map<number, (result: { readonly usedSize?: number }) => void>();
  socket.addEventListener('message', ({ data }) => {
    // The debugger says nothing else.
    const { id, result } = JSON.parse(String(data)) as {
      readonly id: number;
      readonly result: { readonly usedSize?: number };
    };
    waiting.get(id)?.(result);
  });
  let last = 0;
  const ask = (method: string): Promise<{ readonly usedSize?: number }> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      socket.send(JSON.stringify({ id: last, method }));
    });
  return {
    async asked() {
      await ask('HeapProfiler.collectGarbage');
      return ((await ask('Runtime.getHeapUsage')).usedSize ?? Number.NaN) / 1e6;
    },
    close: () => socket.close(),
  };
}

/** Memory of a process that is not paged out, in MB. */
function resident(pid: number | undefined): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(found ?? Number.NaN) / 1_000;
}

const cell = (text: string | number): string => (typeof text === 'number' ? text.toFixed(1) : text).padStart(12);
const row = (cells: readonly (string | number)[]): void => void process.stdout.write(`${cells.map(cell).join('')}\n`);

async function watched(
  page: Page,
  process: { asked(): Promise<number> },
  { pid, seconds }: { readonly pid: number | undefined; readonly seconds: number },
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  row(['seconds', 'recorded', 'page MB', 'nodes', 'process MB', 'resident MB']);
  const began = performance.now();
  for (let look = 0; look <= looks; look += 1) {
    await wait(Math.max((seconds * 1_000 * look) / looks - (performance.now() - began), 0));
    const used = await heap(session);
    const { nodes } = await session.send('Memory.getDOMCounters');
    const recorded = Number(
      (await page.locator('header .wide', { hasText: 'recorded' }).textContent())?.replaceAll(/\D/g, ''),
    );
    row([
      (performance.now() - began) / 1_000,
      String(recorded),
      used,
      String(nodes),
      await process.asked(),
      resident(pid),
    ]);
  }
}

async function main(count: number, perSecond: number): Promise<void> {
  if (noChromium !== false) throw new Error(noChromium);
  const [program, talker] = [here('../../packages/cli/dist/main.js'), here('talker.ts')];
  const started = ['--inspect=127.0.0.1:0', program, 'inspect', '--no-open', '--', process.execPath, talker];
  const child = spawn(process.execPath, started, { stdio: ['ignore', 'pipe', 'pipe'] });
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
  try {
    const [address, debug] = await Promise.all([
      addressOf(child.stdout, /at (http:\S+)/),
      addressOf(child.stderr, /listening on (ws:\S+)/),
    ]);
    const held = await heapOf(debug);
    const page = await browser.newPage({ viewport: { width: 1_600, height: 1_000 } });
    await page.goto(address);
    await page.getByText('tool_0', { exact: true }).first().waitFor();
    process.stdout.write(`${count} messages at ${perSecond} a second\n`);
    await call(page, 'flood', { count, perSecond });
    await watched(page, held, { pid: child.pid, seconds: count / perSecond });
    await page.getByText(`${count} in `).first().waitFor({ timeout: 600_000 });
    held.close();
  } finally {
    await browser.close();
    child.kill();
    await once(child, 'close');
  }
}

const [count = '36000', perSecond = '10'] = process.argv.slice(2);
await main(Number(count), Number(perSecond));
