import type { Built } from '../../scripts/toolchains/program.ts';
import { Unavailable } from '../../scripts/toolchains/unavailable.ts';
import type { Route, RouteReport } from './drive.ts';
import type { Fault } from './faults.ts';
import type { Peer } from './peer.ts';
import { faultOf, type Missing, type PeerReport } from './report.ts';

/** How peers are run, and what is said meanwhile. */
export interface Running {
  readonly faults: readonly Fault[];
  /** Whether what travelled is printed where something is wrong. */
  readonly wire: boolean;
  readonly routesOf: (peer: Peer) => readonly Route[];
  readonly drive: (peer: Peer, built: Built, route: Route) => Promise<RouteReport>;
}

/** Builds peers and drives each along its routes, one after the other; prints what works. */
export async function runPeers(
  peers: readonly Peer[],
  running: Running,
): Promise<{ readonly reports: readonly PeerReport[]; readonly missing: readonly Missing[] }> {
  const reports: PeerReport[] = [];
  const missing: Missing[] = [];
  for (const peer of peers) {
    try {
      reports.push(await exercise(peer, running));
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      missing.push({ peer, why: error.message });
      console.log(`${peer.title} is not run: ${error.message}`);
    }
  }
  return { reports, missing };
}

async function exercise(peer: Peer, { faults, wire, routesOf, drive }: Running): Promise<PeerReport> {
  const built = await peer.build();
  console.log(`${peer.title}, ${built.version}`);
  const routes: RouteReport[] = [];
  for (const route of routesOf(peer)) {
    const report = await drive(peer, built, route);
    routes.push(report);
    const wrong = report.steps.filter(({ problem }) => problem !== undefined);
    const count = `${report.steps.length - wrong.length} of ${report.steps.length}`;
    const requests = report.steps.reduce((sum, step) => sum + (step.requests ?? 0), 0);
    const sent = requests === 0 ? '' : `, ${requests} requests`;
    console.log(`  ${route.title}: ${report.revision ?? 'no revision'}, ${count}${sent}`);
    for (const step of wrong) {
      const fault = faultOf({ peer, route: report, step }, faults);
      console.log(`    ${step.step}${fault === undefined ? '' : ' (a fault of the peer)'}: ${step.problem ?? ''}`);
      if (wire) for (const line of step.wire ?? []) console.log(`      ${line}`);
    }
    if (wrong.length > 0 && wire) console.log(report.complaints);
  }
  return { peer, version: built.version, routes };
}
