/** The short form of `npm run lab -- interop`: the official SDK of Python, both ways and through the bridge. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drive } from '../../interop/harness/drive.ts';
import { python } from '../../interop/harness/peers.ts';
import type { Built } from '../../scripts/toolchains/program.ts';
import { Unavailable } from '../../scripts/toolchains/unavailable.ts';
import { unexplained } from '../../interop/harness/report.ts';
import { shortRoutesOf } from '../../interop/harness/routes.ts';

/** Fetches the SDK on the first run; where that cannot be, it says why. */
async function builtOrWhyNot(): Promise<Built | string> {
  try {
    return await python.build();
  } catch (error) {
    if (error instanceof Unavailable) return error.message;
    throw error;
  }
}

const built = await builtOrWhyNot();

if (typeof built === 'string') {
  test('the official SDK of Python', { skip: built }, () => undefined);
} else {
  describe(`the official SDK of Python (${built.version})`, { concurrency: 2 }, () => {
    for (const route of shortRoutesOf(python)) {
      test(route.title, async () => {
        const report = await drive(python, built, route);
        const open = unexplained([{ peer: python, version: built.version, routes: [report] }]);
        const told = open.map(({ step }) => [step.step, step.problem, ...(step.wire ?? [])].join('\n'));
        assert.deepEqual(told, [], report.complaints);
        assert.ok(report.steps.length > 20);
      });
    }
  });
}
