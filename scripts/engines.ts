/**
 * `npm run lab -- engines`: installs the databases and the browser that tests start for themselves, Debian's `postgresql`, `redis-server` and
 * `chromium-headless-shell`, by apt-get, which needs root. Elsewhere have `postgres`, `initdb` and `redis-server` in the PATH, and name a Chromium by
 * `PARLEY_CHROMIUM`. Without them those tests are skipped. The full Chromium serves too, and takes three times as long to open a page.
 */

import { spawnSync } from 'node:child_process';
import { chromiumPath, headlessShell } from '../test/support/chromium-path.ts';
import { missing } from '../test/support/engines.ts';

const packages = { postgres: 'postgresql', 'redis-server': 'redis-server' } as const;
const databases = (['postgres', 'redis-server'] as const).filter((program) => missing(program) !== false);
const hasBrowser = chromiumPath !== undefined && (chromiumPath === headlessShell || 'PARLEY_CHROMIUM' in process.env);
const names = [...databases.map((program) => packages[program]), ...(hasBrowser ? [] : ['chromium-headless-shell'])];

if (names.length === 0) console.log('postgres, redis-server and a browser are here');
else {
  for (const words of [
    ['update', '-q'],
    ['install', '-q', '-y', '--no-install-recommends', ...names],
  ]) {
    const { status, error } = spawnSync('apt-get', words, { stdio: 'inherit' });
    if (status === 0) continue;
    console.error(
      `apt-get ${words[0]} failed${error === undefined ? '' : `: ${error.message}`}; install ${names.join(' and ')} by hand`,
    );
    process.exit(1);
  }
}
