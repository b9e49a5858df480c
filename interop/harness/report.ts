/** What a run found out, sorted: what works, what a peer does wrong, and what else went wrong. */

import type { RouteReport, StepReport } from './drive.ts';
import { faults as known, type Fault } from './faults.ts';
import type { Built } from '../../scripts/toolchains/program.ts';
import type { Peer } from './peer.ts';

/** What came of one peer. */
export interface PeerReport {
  readonly peer: Peer;
  readonly version: Built['version'];
  readonly routes: readonly RouteReport[];
}

/** A peer that could not be had. */
export interface Missing {
  readonly peer: Peer;
  readonly why: string;
}

/** A problem, and where it was met. */
export interface Met {
  readonly peer: Peer;
  readonly route: RouteReport;
  readonly step: StepReport;
}

/** The fault of a peer that explains a problem. */
export function faultOf({ peer, route, step }: Met, faults: readonly Fault[] = known): Fault | undefined {
  return faults.find(
    (fault) =>
      fault.peer === peer.name &&
      fault.side === route.route.side &&
      fault.steps.includes(step.step) &&
      (fault.ways?.includes(route.route.way) ?? true) &&
      (fault.revisions?.includes(route.revision ?? '') ?? true) &&
      (fault.bridged ?? route.route.bridge !== undefined) === (route.route.bridge !== undefined),
  );
}

/** Every problem of a run, in order. */
export function problemsOf(reports: readonly PeerReport[]): readonly Met[] {
  return reports.flatMap(({ peer, routes }) =>
    routes.flatMap((route) =>
      route.steps.filter(({ problem }) => problem !== undefined).map((step) => ({ peer, route, step })),
    ),
  );
}

/** The problems that no known fault of a peer explains. */
export function unexplained(reports: readonly PeerReport[], faults: readonly Fault[] = known): readonly Met[] {
  return problemsOf(reports).filter((met) => faultOf(met, faults) === undefined);
}

/** The faults of peers that ran whole and did not show them. */
export function unseen(reports: readonly PeerReport[], faults: readonly Fault[] = known): readonly Fault[] {
  const met = new Set(problemsOf(reports).map((one) => faultOf(one, faults)));
  return faults.filter((fault) => reports.some(({ peer }) => peer.name === fault.peer) && !met.has(fault));
}
