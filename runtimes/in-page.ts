import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundled } from './in-worker.ts';
import { loadPeer } from './load-peer.ts';
import { NotHere, type StepResult } from './result.ts';
import { versionOf, type Setting } from './setting.ts';

/** The part of playwright that is used. */
interface Playwright {
  readonly chromium: {
    launch(options: object): Promise<{
      newPage(): Promise<{
        goto(url: string): Promise<unknown>;
        evaluate(text: string): Promise<unknown>;
      }>;
      close(): Promise<void>;
    }>;
  };
}

/** What the server in the installed package offers to Node. */
interface Installed {
  listen(server: object, options: object): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** In a page of Chromium: what runs within it, and a server of another origin. */
export async function runInPage(
  setting: Setting,
): Promise<{ readonly version: string; readonly results: readonly StepResult[] }> {
  const executablePath = chromium();
  const { chromium: engine } = await loadPeer<Playwright>(setting, 'playwright-core');
  const script = await bundled(setting, 'page.js', 'browser');
  const site = createServer((request, response) => {
    response.setHeader('content-type', request.url === '/page.js' ? 'text/javascript' : 'text/html');
    response.end(request.url === '/page.js' ? script : '<!doctype html><script src="/page.js"></script>');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  // A server that listens on a port has such an address.
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const served = await serveExample(setting);
  const browser = await engine.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${origin}/`);
    const results = await page.evaluate(`exercise(${JSON.stringify(served.url)})`);
    // The page gives what `exerciseWithin` and `exerciseUrl` gave.
    return { version: versionOf(executablePath, '--version'), results: results as readonly StepResult[] };
  } finally {
    await browser.close();
    await served.close();
    site.close();
    site.closeAllConnections();
  }
}

async function serveExample({ folder }: Setting): ReturnType<Installed['listen']> {
  const from = async <Module>(path: string): Promise<Module> =>
    (await import(pathToFileURL(join(folder, path)).href)) as Module;
  const { listen } = await from<Installed>('node_modules/parley-mcp/dist/node.js');
  const { exampleServer } = await from<{ exampleServer(): object }>('programs/exercise.js');
  return await listen(exampleServer(), { port: 0 });
}

function chromium(): string {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'chrome']) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    } catch {
      // The next name.
    }
  }
  throw new NotHere('chromium is not installed (Debian: apt-get install chromium)');
}
