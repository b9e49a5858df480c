/** Where each statement of docs/operations.md about a Redis that is away is shown: none is made without its test. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../support/sources.ts';

type Shown = readonly (readonly [file: string, ...titles: string[]])[];

const faults = 'packages/parley/src/storage/redis/store/redis-faults.test.ts';
const services = 'test/scale/redis-away.test.ts';

/** The rows of the table, each with what shows its columns: clients of 2026-07-28, those with sessions, who is told. */
const rows: Readonly<Record<string, readonly [stateless: Shown, sessions: Shown, told: Shown]>> = {
  'cannot be reached, or is slow': [
    [
      [services, 'goes on with what it knows, and says 503 and never 404 else'],
      [
        'test/store/rounds.test.ts',
        "['away', 'unavailable']",
        'keeps a state from being used, and says that it is busy',
      ],
      ['test/store/changes.test.ts', 'is told of anything after a gap'],
    ],
    [
      [services, 'goes on with what it knows, and says 503 and never 404 else', "'is frozen'", "'is dead'"],
      [faults, 'is away fails each call', 'is frozen fails each call'],
    ],
    [
      ['packages/parley/src/transports/http/health.test.ts', 'a server whose store cannot be used is not ready'],
      ['test/events.test.ts', 'a store that is away is told of once, and once that it is back'],
      ['test/otel/service.test.ts', 'a store is measured by what it is asked, its failures by their reasons'],
      [
        'packages/parley/src/transports/node/server/http.test.ts',
        'a server whose store cannot be used does not begin to listen',
      ],
    ],
  ],
  'fails over': [
    [
      [
        'packages/parley/src/storage/redis/store/redis-cluster.test.ts',
        'a primary that is killed costs its channels a gap',
      ],
    ],
    [
      ['packages/parley/src/storage/redis/store/redis-cluster.test.ts', 'leaves nothing deaf'],
      [services, 'is back and empty says 404, and a client begins anew'],
    ],
    [['test/events.test.ts', 'gaps of its bus too']],
  ],
  'is back and empty': [
    [['test/store/changes.test.ts', 'is told of anything after a gap']],
    [
      [services, 'is back and empty says 404, and a client begins anew'],
      [faults, 'is back and empty knows nothing any more, and a writer of a stream goes on'],
    ],
    [['test/events.test.ts', 'a store that lost what it had kept is told of once by each process']],
  ],
  'is full': [
    [
      [services, 'is full opens no session, and goes on with those that there are'],
      ['test/store/rounds.test.ts', "['full', 'full']", 'keeps a state from being used, and says that it is busy'],
    ],
    [
      [
        services,
        'is full opens no session, and goes on with those that there are',
        'has no id that it could be taken up',
      ],
      [faults, 'is full refuses what is new'],
    ],
    [
      [faults, "'full'"],
      ['packages/parley/src/transports/http/health.test.ts', 'a server whose store cannot be used is not ready'],
    ],
  ],
  'is away, for rates': [
    [['test/limits/rates.test.ts', 'each process measures by itself', 'nothing that is measured passes']],
    [['test/limits/rates.test.ts', 'each process measures by itself', 'nothing that is measured passes']],
    [['test/limits/rates.test.ts', 'a store that is away is asked by few of many calls, and told of once']],
  ],
};

test('each row of what clients see while a Redis is away is shown by tests, column by column', () => {
  const table =
    readFileSync(join(root, 'docs/operations.md'), 'utf8').split('| Redis | Clients of 2026-07-28 |')[1] ?? '';
  const named = [...table.split('\n\n')[0]!.matchAll(/^\| ([^|-]+?) \|/gm)].map(([, name]) => name);
  assert.deepEqual(named, Object.keys(rows));
  for (const [row, columns] of Object.entries(rows))
    for (const [file, ...titles] of columns.flat()) {
      const text = readFileSync(join(root, file), 'utf8');
      for (const title of titles) assert.ok(text.includes(title), `${row}: ${file} has nothing of "${title}"`);
    }
});
