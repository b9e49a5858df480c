/** One Chromium for all test files of a run: each test has a context of its own in it. */

import { chromium } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '../test/support/chromium-path.ts';
import { stuckAfterMs } from '../test/support/stuck.ts';

/** A Chromium that waits for clients of Playwright. */
export interface ChromiumServer {
  /** URL of a WebSocket, for the variable `PARLEY_CHROMIUM_WS` of the processes that run tests. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts a Chromium; `undefined` where this machine has none. */
export async function startChromium(): Promise<ChromiumServer | undefined> {
  if (chromiumPath === undefined) return undefined;
  const server = await chromium.launchServer({
    executablePath: chromiumPath,
    timeout: stuckAfterMs,
    args: [...chromiumArguments],
    host: '127.0.0.1',
  });
  return { endpoint: server.wsEndpoint(), close: () => server.close() };
}
