/**
 * Processes of this machine share one grant, and are ended in the middle of what is delicate. What follows is short; the 200 schedules
 * are `npm run lab -- processes:refresh`, one is `npm run lab -- processes:refresh 1 <seed>`, which shows its course too.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Plan } from './plan.ts';
import { play } from './play.ts';

const plain: Partial<Plan> = { starts: [0, 0, 200], deaths: [], stops: [], trouble: 0, calmAt: 7_000 };

describe('processes that share a grant', { concurrency: 2 }, () => {
  test('find what one left that was ended between the writes of its login, and ask once more at most', async () => {
    const deaths = [{ step: 'between the two writes of a login', from: 0 }] as const;
    const { violations, logins, log, ...outcome } = await play(1, { ...plain, deaths });
    assert.deepEqual([violations, outcome.deaths.length], [[], 1], log.join('\n'));
    assert.ok(logins <= 2, log.join('\n'));
  });

  test('lose none to answers that are lost, use no token twice, and all get through', async () => {
    // Processes that have little of the machine do not come to a renewal within the shortest of these.
    let renewed = 0;
    for (const calmAt of [7_000, 20_000, 60_000]) {
      const { violations, renewals, log } = await play(2, { ...plain, trouble: 0.4, calmAt });
      assert.deepEqual(violations, [], log.join('\n'));
      renewed += renewals;
      if (renewed > 0) break;
    }
    assert.ok(renewed > 0);
  });
});
