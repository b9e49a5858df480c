/**
 * `npm run lab -- engines`: installs the databases that tests of stores start for themselves, Debian's `postgresql` and `redis-server`, by apt-get, which
 * wants root. Elsewhere have `postgres` and `initdb`, and `redis-server`, in the PATH. Without them those tests are skipped.
 */

import { spawnSync } from 'node:child_process';
import { missing } from '../test/support/engines.ts';

const packages = { postgres: 'postgresql', 'redis-server': 'redis-server' } as const;
const wanted = (['postgres', 'redis-server'] as const).filter((program) => missing(program) !== false);

if (wanted.length === 0) console.log('postgres and redis-server are here');
else {
  const names = wanted.map((program) => packages[program]);
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
