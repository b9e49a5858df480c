/**
 * `npm run interop [-- peer…] [--route words] [--wire]`: drives clients and servers of others with ours, and prints what
 * works. A run of all of them writes `docs/interop.md`. Fails where something goes wrong that is no known fault of a peer.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drive } from './harness/drive.ts';
import { authorizationPart } from './auth/page.ts';
import { page } from './harness/page.ts';
import type { Peer } from './harness/peer.ts';
import { peers } from './harness/peers.ts';
import { faultOf, unexplained, unseen, type Missing, type PeerReport } from './harness/report.ts';
import { routesOf } from './harness/routes.ts';
import { Unavailable } from '../scripts/toolchains/unavailable.ts';

const { values, positionals } = parseArgs({
  options: { route: { type: 'string' }, wire: { type: 'boolean' } },
  allowPositionals: true,
});
const chosen = peers.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const reports: PeerReport[] = [];
const missing: Missing[] = [];
for (const peer of chosen) {
  try {
    reports.push(await exercise(peer));
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    missing.push({ peer, why: error.message });
    console.log(`${peer.title} is not run: ${error.message}`);
  }
}
for (const fault of unseen(reports)) console.log(`no longer seen: ${fault.peer}, ${fault.side}, ${fault.steps.join()}`);
if (positionals.length === 0 && values.route === undefined)
  writeFileSync(join(import.meta.dirname, '../docs/interop.md'), page({ reports, missing }) + authorizationPart());
process.exitCode = unexplained(reports).length === 0 ? 0 : 1;

async function exercise(peer: Peer): Promise<PeerReport> {
  const built = await peer.build();
  console.log(`${peer.title}, ${built.version}`);
  const routes = [];
  for (const route of routesOf(peer)) {
    if (!route.title.includes(values.route ?? '')) continue;
    const report = await drive(peer, built, route);
    routes.push(report);
    const wrong = report.steps.filter(({ problem }) => problem !== undefined);
    const count = `${report.steps.length - wrong.length} of ${report.steps.length}`;
    console.log(`  ${route.title}: ${report.revision ?? 'no revision'}, ${count}`);
    for (const step of wrong) {
      const fault = faultOf({ peer, route: report, step });
      console.log(`    ${step.step}${fault === undefined ? '' : ' (a fault of the peer)'}: ${step.problem ?? ''}`);
      if (values.wire === true) for (const line of step.wire ?? []) console.log(`      ${line}`);
    }
    if (wrong.length > 0 && values.wire === true) console.log(report.complaints);
  }
  return { peer, version: built.version, routes };
}
