/**
 * `npm run lab -- interop:tasks [peer…] [--route words] [--wire]`: tasks with clients and servers of others. A run of all of them
 * writes `docs/evidence/interop-tasks.md`. Fails where something goes wrong that is no known fault of a peer.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { driveAlong } from '../harness/drive.ts';
import type { Peer } from '../harness/peer.ts';
import { page } from '../harness/page.ts';
import { runPeers } from '../harness/run-peers.ts';
import { unexplained, unseen } from '../harness/report.ts';
import { taskFaults as faults } from './faults.ts';
import { introduction } from './page.ts';
import { taskPeers, type TaskPeer } from './peers.ts';

const { values, positionals } = parseArgs({
  options: { route: { type: 'string' }, wire: { type: 'boolean' } },
  allowPositionals: true,
});
const chosen = taskPeers.filter(({ peer }) => positionals.length === 0 || positionals.includes(peer.name));
const theOne = (peer: Peer): TaskPeer => {
  const found = chosen.find((one) => one.peer === peer);
  if (found === undefined) throw new Error(`nobody chose ${peer.name}`);
  return found;
};
const found = await runPeers(
  chosen.map(({ peer }) => peer),
  {
    faults,
    wire: values.wire === true,
    routesOf: (peer) => theOne(peer).routes.filter(({ title }) => title.includes(values.route ?? '')),
    drive: async (peer, built, route) => await driveAlong(theOne(peer).course, { peer, built, route }),
  },
);
for (const fault of unseen(found.reports, faults))
  console.log(`no longer seen: ${fault.peer}, ${fault.side}, ${fault.steps.join()}`);
if (positionals.length === 0 && values.route === undefined)
  writeFileSync(
    join(import.meta.dirname, '../../docs/evidence/interop-tasks.md'),
    page({ ...found, faults, introduction: introduction() }),
  );
process.exitCode = unexplained(found.reports, faults).length === 0 ? 0 : 1;
