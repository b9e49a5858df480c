/** The short form of `npm run lab -- interop:tasks`: the official SDK of TypeScript, version 1, both ways and through a bridge. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { driveAlong } from '../../interop/harness/drive.ts';
import { unexplained } from '../../interop/harness/report.ts';
import { taskFaults } from '../../interop/tasks/faults.ts';
import { taskPeers } from '../../interop/tasks/peers.ts';

const [{ peer, course, routes }] = taskPeers;
const built = await peer.build();

describe(`tasks with the official SDK of TypeScript (${built.version})`, { concurrency: 2 }, () => {
  for (const route of routes) {
    test(route.title, async () => {
      const report = await driveAlong(course, { peer, built, route });
      const open = unexplained([{ peer, version: built.version, routes: [report] }], taskFaults);
      const told = open.map(({ step }) => [step.step, step.problem, ...(step.wire ?? [])].join('\n'));
      assert.deepEqual(told, [], report.complaints);
      assert.ok(report.steps.length >= 9);
    });
  }
});
