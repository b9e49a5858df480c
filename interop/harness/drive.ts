/** Drives one route: opens it, runs the plan, judges what came of it, and keeps the wire of what went wrong. */

import { revisionOf, type Revision, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import type { Built } from '../../scripts/toolchains/program.ts';
import { loopIn, requestsIn } from './loops.ts';
import type { Peer, Way } from './peer.ts';
import { exercises, judgeConnect, type Exercise } from './plan.ts';
import {
  bridged,
  exerciseServer,
  ourClient,
  ourServer,
  Stage,
  theirClient,
  theirServer,
  type Client,
  type OurServer,
  type Revisions,
} from './route.ts';
import type { Service } from './service.ts';
import type { Outcome, Step, Target } from './step.ts';
import { printed, type WireLine } from './wire.ts';

/** A route between a peer and us. */
export interface Route {
  readonly title: string;
  /** Which side is the peer's. */
  readonly side: 'client' | 'server';
  /** How the peer talks. */
  readonly way: Way;
  /** The revisions of our side, where they are not all of them. */
  readonly revisions?: readonly RevisionDate[] | undefined;
  /** Our server is several processes. */
  readonly service?: Service;
  /** A bridge between the two: the way to the other side of it, the revisions there, and what it asks for as tasks, over HTTP. */
  readonly bridge?: {
    readonly way: 'stdio' | 'http';
    readonly upstreamRevisions: readonly RevisionDate[];
    readonly tasks?: 'always';
  };
}

/** What came of one step. */
export interface StepReport {
  readonly step: string;
  /** What is wrong; absent when nothing is. */
  readonly problem?: string;
  /** Requests over HTTP that were sent in it, of all hops. */
  readonly requests?: number;
  /** What passed meanwhile, where something is wrong. */
  readonly wire?: readonly string[];
}

/** What came of one route. */
export interface RouteReport {
  readonly route: Route;
  /** The revision that the client agreed on. */
  readonly revision: string | undefined;
  /** The steps that exist on this route, `connect` first. */
  readonly steps: readonly StepReport[];
  /** What the client program complained of, where something is wrong. */
  readonly complaints: string;
}

/** What is driven along a route: the steps, and our two ends. */
export interface Course<Todo extends { readonly id: string }> {
  readonly exercises: readonly Exercise<Todo>[];
  readonly server: OurServer;
  readonly client: (revisions: Revisions) => Client<Todo>;
}

/** The exercise of everything but tasks. */
const wholeExercise: Course<Step> = { exercises, server: exerciseServer, client: ourClient };

/** Drives a route of a peer along the exercise. */
export async function drive(peer: Peer, built: Built, route: Route): Promise<RouteReport> {
  return await driveAlong(wholeExercise, { peer, built, route });
}

/** Drives a route of a peer along a course. */
export async function driveAlong<Todo extends { readonly id: string }>(
  course: Course<Todo>,
  { peer, built, route }: { readonly peer: Peer; readonly built: Built; readonly route: Route },
): Promise<RouteReport> {
  const stage = new Stage();
  try {
    const { client, target } = await open(stage, course, { built, route });
    const steps = course.exercises.map(({ step }) => step).filter(({ id }) => peer.lacks[route.side][id] === undefined);
    const begun = Date.now();
    const outcomes: Told[] = [];
    const complaints = await client({ target, steps }, (outcome) => outcomes.push({ outcome, at: Date.now() }));
    return judge({ peer, route, stage, outcomes, begun, complaints }, course.exercises);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { route, revision: undefined, steps: [{ step: 'connect', problem }], complaints: '' };
  } finally {
    await stage.close();
  }
}

async function open<Todo extends { readonly id: string }>(
  stage: Stage,
  { server: ours, client: clientOf }: Course<Todo>,
  { built, route }: { readonly built: Built; readonly route: Route },
): Promise<{ readonly client: Client<Todo>; readonly target: Target }> {
  const { side, way, revisions, service, bridge } = route;
  if (side === 'client') {
    const client = theirClient<Todo>(built);
    if (bridge === undefined) return { client, target: await ourServer(stage, way, { ours, revisions, service }) };
    const upstream = await ourServer(stage, bridge.way, { ours, revisions: bridge.upstreamRevisions });
    const { tasks } = bridge;
    return { client, target: await bridged(stage, way === 'stdio' ? 'stdio' : 'http', { upstream, tasks }) };
  }
  const client = clientOf(revisions);
  const upstream = await theirServer(stage, way, built);
  if (bridge === undefined) return { client, target: upstream };
  const { upstreamRevisions, tasks } = bridge;
  return { client, target: await bridged(stage, bridge.way, { upstream, upstreamRevisions, tasks }) };
}

type Judged = Exercise<{ readonly id: string }>;

interface Told {
  readonly outcome: Outcome;
  readonly at: number;
}

interface Driven {
  readonly peer: Peer;
  readonly route: Route;
  readonly stage: Stage;
  readonly outcomes: readonly Told[];
  readonly begun: number;
  readonly complaints: string;
}

function judge({ peer, route, stage, outcomes, begun, complaints }: Driven, course: readonly Judged[]): RouteReport {
  const told = new Map(outcomes.map((one) => [one.outcome.step, one]));
  const revision = agreedIn(told.get('connect')?.outcome);
  const report = (step: string, judgedProblem: string | undefined): StepReport => {
    const at = outcomes.findIndex(({ outcome }) => outcome.step === step);
    const ended = outcomes[at]?.at;
    // A program that said nothing of a step may have said it of none.
    if (ended === undefined) return judgedProblem === undefined ? { step } : { step, problem: judgedProblem };
    const from = outcomes[at - 1]?.at ?? begun;
    const wires = stage.wires.map((wire) => wire.lines());
    const requests = wires.reduce((sum, lines) => sum + requestsIn(between(lines, from, ended)), 0);
    const loops = wires.map((lines) => loopIn(between(lines, from, ended), between(lines, begun, from)));
    const problem = judgedProblem ?? loops.find((loop) => loop !== undefined);
    return problem === undefined
      ? { step, requests }
      : { step, problem, requests, wire: wireBetween(stage, from, ended) };
  };
  const never = (step: string): Outcome => ({ step, failed: 'the program said nothing of it' });
  const connected = report('connect', judgeConnect(told.get('connect')?.outcome ?? never('connect')));
  const others = revision === undefined ? [] : existing(course, { peer, route, revision });
  return {
    route,
    revision: revision?.date,
    steps: [
      connected,
      ...others.map(({ step: { id }, judge: judgeStep }) => report(id, judgeStep(told.get(id)?.outcome ?? never(id)))),
    ],
    complaints,
  };
}

/** The steps that a route has at a revision, on both sides of its bridge. */
function existing(
  course: readonly Judged[],
  { peer, route, revision }: { readonly peer: Peer; readonly route: Route; readonly revision: Revision },
): readonly Judged[] {
  const { side, bridge, service } = route;
  const upstream = revisionOf(bridge?.upstreamRevisions.at(-1) ?? '') ?? revision;
  return course.filter(
    ({ step, nearby, needsSession, exists = () => true }) =>
      peer.lacks[side][step.id] === undefined &&
      !(service === 'alone' && needsSession === true) &&
      exists(revision, route) &&
      (nearby === true || exists(upstream, route)),
  );
}

function agreedIn(outcome: Outcome | undefined): Revision | undefined {
  const { result } = outcome ?? {};
  const date: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'revision') : undefined;
  return typeof date === 'string' ? revisionOf(date) : undefined;
}

function wireBetween({ wires }: Stage, from: number, to: number): readonly string[] {
  return wires.flatMap((wire, hop) => {
    const lines = between(wire.lines(), from, to);
    const shown = lines.slice(0, 24).map(printed);
    // The wire that was tapped first is the one behind the bridge.
    return wires.length > 1 ? [hop === 0 ? '# behind the bridge' : '# before the bridge', ...shown] : shown;
  });
}

function between(lines: readonly WireLine[], from: number, to: number): readonly WireLine[] {
  return lines.filter(({ at }) => at >= from && at <= to);
}
