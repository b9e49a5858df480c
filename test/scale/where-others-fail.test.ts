/** Where other servers of several processes failed their users, and which tests show that this one does not: none of it goes without. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../support/sources.ts';

const sessions = 'test/scale/sessions.test.ts';
const races = 'test/scale/races.test.ts';
const processes = 'test/scale/processes/processes.test.ts';

const failures: Readonly<Record<string, readonly (readonly [file: string, ...titles: string[]])[]>> = {
  'a session lives in the memory of one process, and is 404 at any other': [
    [sessions, 'is opened in one and goes on in any other'],
    ['test/scale/clients.test.ts', 'notices nothing of three processes that take its requests in turn'],
  ],
  'an event store alone: answers to questions reach nobody': [
    [sessions, 'has its question answered at another process', 'goes on with a stream in another process'],
    [processes, 'clients of every revision and of other makers are served'],
  ],
  'each deploy ends every session': [
    [processes, 'nobody loses a call or a session when processes are replaced'],
    [sessions, 'goes on elsewhere with the stream for what belongs to no request, when its process is stopped'],
  ],
  'one process clears away what another one serves': [
    [races, 'a session that is used at one process lives for all of them', 'a copy that nobody uses is let go of'],
  ],
  'commands that are sent together fail across the places of a cluster': [
    ['packages/parley/src/storage/redis/store/redis-contract.test.ts', 'a cluster of Redis: '],
  ],
  'one path is open and another closed when the engine fails': [
    ['test/store/away-cells.test.ts', 'each row of what clients see while a Redis is away is shown by tests'],
  ],
  'an engine is configured, and never used': [
    ['test/scale/commands.test.ts', 'a session is known to the store before its client knows it'],
    [
      'packages/parley/src/transports/node/server/http.test.ts',
      'a server whose store cannot be used does not begin to listen',
    ],
  ],
  'subscriptions are deaf after a failover': [
    [
      'packages/parley/src/storage/redis/store/redis-cluster.test.ts',
      'a primary that is killed costs its channels a gap, and leaves nothing deaf',
      'a primary that hands over to its replica leaves nothing deaf',
    ],
  ],
  'a trace ends at stdio': [['test/otel/bridge.test.ts', 'one trace leads from a client of']],
};

for (const [failure, shown] of Object.entries(failures))
  test(`what others were reported for is shown not to be so here: ${failure}`, () => {
    for (const [file, ...titles] of shown) {
      const text = readFileSync(join(root, file), 'utf8');
      for (const title of titles) assert.ok(text.includes(title), `${file} has nothing of "${title}"`);
    }
  });
