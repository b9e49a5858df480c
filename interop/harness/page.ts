/** `docs/evidence/interop.md`, as a run writes it. */

import type { RouteReport } from './drive.ts';
import { faults as known, type Fault } from './faults.ts';
import { exercises } from './plan.ts';
import { faultOf, problemsOf, unexplained, type Met, type Missing, type PeerReport } from './report.ts';

/** What a page is made of. */
export interface Findings {
  readonly reports: readonly PeerReport[];
  readonly missing: readonly Missing[];
  readonly faults?: readonly Fault[];
  /** What stands above it all; that of the whole exercise by default. */
  readonly introduction?: string;
}

/** Writes the page. */
export function page({ reports, missing, faults = known, introduction = intro() }: Findings): string {
  const shown = faults.filter((fault) => problemsOf(reports).some((met) => faultOf(met, faults) === fault));
  const parts = [
    introduction,
    ...reports.flatMap((report) => peerPart(report, shown)),
    ...missingPart(missing),
    ...faultsPart(reports, shown),
    ...openPart(unexplained(reports, faults)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function intro(): string {
  const steps = ['connect', ...exercises.map(({ step }) => step.id)].join(', ');
  return `# Interoperability

\`npm run lab -- interop\` wrote this page. It downloads and builds software of other projects in the cache of the user
(\`$XDG_CACHE_HOME/parley-interop\` or \`~/.cache/parley-interop\`). Each peer runs the same exercise on these routes:

- its client with our server
- our client with its server
- both with our bridge between them

Each route uses the newest revision that both sides support. The programs are in \`interop/peers/\`. These are
the steps of the run that wrote the tables. \`interop/harness/plan.ts\` has those of the next run.

${wrapped(`${steps}.`)}

A step counts only if both revisions of a route have its feature. For example, 2026-07-28 has no ping, and revisions
before 2025-06-18 have no elicitation. If a step fails, the cause is a fault of the peer or is still open. Each fault has
a number, and its messages are shown below. Open failures are at the end.

"Three processes" are three server processes behind a proxy, which sends each request to the next process. They share a
Redis. Processes without sessions share nothing. There, steps that need a session do not count: requests to the client,
logging and subscriptions.

The results for tasks are in [interop-tasks.md](interop-tasks.md).`;
}

function peerPart({ peer, version, routes }: PeerReport, shown: readonly Fault[]): readonly string[] {
  const rows = routes.map((route) => {
    const good = route.steps.filter(({ problem }) => problem === undefined).length;
    const count = `${good} of ${route.steps.length}`;
    return `| ${route.route.title} | ${route.revision ?? '—'} | ${count} | ${wrongOf(route, peer, shown)} |`;
  });
  const table = ['| Route | Revision | Steps that pass | Steps that fail |', '|---|---|---|---|', ...rows].join('\n');
  const lacks = (['client', 'server'] as const).flatMap((side) =>
    Object.entries(peer.lacks[side]).map(([step, why]) => `- its ${side}: ${step}: ${why}`),
  );
  return [
    `## ${peer.title}, ${version}`,
    table,
    ...(lacks.length === 0 ? [] : [`Not tested, because the peer lacks the feature:\n\n${lacks.join('\n')}`]),
  ];
}

function wrongOf(route: RouteReport, peer: Met['peer'], shown: readonly Fault[]): string {
  const marks = route.steps
    .filter(({ problem }) => problem !== undefined)
    .map((step) => {
      const fault = faultOf({ peer, route, step }, shown);
      return fault === undefined ? `**${step.step}**` : `${step.step} [${shown.indexOf(fault) + 1}]`;
    });
  return marks.join(', ');
}

function missingPart(missing: readonly Missing[]): readonly string[] {
  if (missing.length === 0) return [];
  return ['## Not run', missing.map(({ peer, why }) => `- ${peer.title}: ${why}`).join('\n')];
}

function faultsPart(reports: readonly PeerReport[], shown: readonly Fault[]): readonly string[] {
  if (shown.length === 0) return [];
  const met = problemsOf(reports);
  const entries = shown.map((fault, at) => {
    const first = met.find((one) => faultOf(one, shown) === fault);
    const title = `### ${at + 1}. ${first?.peer.title ?? fault.peer}, its ${fault.side}: ${fault.steps.join(', ')}`;
    return [title, fault.why, ...(first === undefined ? [] : [evidence(first)])].join('\n\n');
  });
  return ['## Faults of peers', ...entries];
}

function openPart(open: readonly Met[]): readonly string[] {
  if (open.length === 0) return [];
  const entries = open.map((met) => `### ${met.peer.title}: ${met.step.step}\n\n${evidence(met)}`);
  return ['## Open', ...entries];
}

function evidence({ route, step }: Met): string {
  const wire = step.wire ?? [];
  const lines = [`# ${route.route.title}: ${step.problem ?? ''}`, ...wire].map((line) => line.slice(0, 700));
  return ['```text', ...lines, '```'].join('\n');
}

/** Words in lines of no more than 130 characters. */
export function wrapped(text: string): string {
  return text.replaceAll(/(.{1,130})(?: |$)/g, '$1\n').trimEnd();
}
