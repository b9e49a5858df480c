/**
 * Processes of this machine share the tasks of one store, and are ended and stand still in the middle of what is delicate. What follows is short; 1,000 tasks
 * on each store are `npm run lab -- processes:tasks`, others are `npm run lab -- processes:tasks 200 <seed> <kinds of stores>`, which shows its course too.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { absent, kinds } from './places.ts';
import { planOf } from './plan.ts';
import { play } from './play.ts';

describe('processes that share tasks, whoever ends and stands still', () => {
  for (const kind of kinds)
    test(
      `${kind}: every task ends once and as promised, and no client that was told of one is denied it [tasks-059]`,
      {
        skip: absent(kind),
      },
      async (t) => {
        const { violations, log, tasks, killed, runs, again } = await play(
          kind,
          planOf(3, 36, kind === 'SQLite' ? 0 : 1),
        );
        assert.deepEqual([violations, tasks], [[], 36], log.join('\n'));
        assert.ok(killed > 0, log.join('\n'));
        t.diagnostic(`${runs} runs, ${again} of them again`);
      },
    );
});
