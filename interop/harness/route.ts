/** The ways from one program to another: directly, and through a bridge. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { httpTransport, ssePairTransport } from '../../packages/parley/src/http.ts';
import { listen } from '../../packages/parley/src/node.ts';
import type { RevisionDate, Transport } from '../../packages/parley/src/protocol.ts';
import { spawn } from '../../packages/parley/src/stdio.ts';
import { runParley } from '../parley/client.ts';
import type { Server, ServerOptions } from '../../packages/parley/src/server.ts';
import { createExercise } from '../parley/server.ts';
import { tapHttp } from './http-tap.ts';
import type { Built } from '../../scripts/toolchains/program.ts';
import type { Way } from './peer.ts';
import { runProgram, startProgram } from './program.ts';
import { startService, type Service } from './service.ts';
import type { Assignment, Outcome, Step, Target } from './step.ts';
import { wireOfFile, type Wire } from './wire.ts';

/** Everything that a route opens, and the wires that it tapped; all of it is closed together, the last first. */
export class Stage {
  readonly wires: Wire[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'parley-interop-'));
  readonly #closing: (() => unknown)[] = [];

  /** Sees to it that something is closed. */
  owns(close: () => unknown): void {
    this.#closing.push(close);
  }

  /** A command whose streams are tapped. */
  tapped(command: readonly string[]): Target {
    const log = join(this.#folder, `${this.wires.length}.jsonl`);
    this.wires.push(wireOfFile(log));
    return { transport: 'stdio', command: [process.execPath, ...quiet, tap, log, ...command] };
  }

  /** A URL whose HTTP is tapped. */
  async listened(transport: 'http' | 'sse', url: string): Promise<Target> {
    const wire = await tapHttp(url);
    this.wires.push(wire);
    this.owns(() => wire.close());
    return { transport, url: wire.url };
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).toReversed()) await close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const quiet = ['--disable-warning=ExperimentalWarning'];
const here = import.meta.dirname;
const tap = join(here, 'stdio-tap.ts');
/** Short, so that a client which comes back without end does so many times in a run. */
const retryMs = 50;
const ssePair = { sse: '/sse', messages: '/messages' };

/** A server of ours: how it is made, and the program that serves it on stdio. */
export interface OurServer {
  readonly create: (options: ServerOptions) => Server;
  readonly program: string;
}

/** The server of the exercise. */
export const exerciseServer: OurServer = { create: createExercise, program: join(here, '../parley/serve.ts') };

/** Our server, at some revisions; as several processes, where that is asked for. */
export async function ourServer(
  stage: Stage,
  way: Way,
  {
    ours = exerciseServer,
    revisions,
    service,
  }: {
    readonly ours?: OurServer;
    readonly revisions?: Revisions | undefined;
    readonly service?: Service | undefined;
  },
): Promise<Target> {
  if (way === 'stdio') return stage.tapped([process.execPath, ...quiet, ours.program, ...(revisions ?? [])]);
  const { url, stop } =
    service === undefined ? await one(ours, revisions) : await startService(service, revisions ?? []);
  stage.owns(stop);
  return await stage.listened(way === 'sse' ? 'sse' : 'http', way === 'sse' ? new URL('/sse', url).href : url);
}

async function one(
  ours: OurServer,
  revisions: Revisions,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const server = ours.create(revisions === undefined ? {} : { revisions });
  const { url, close } = await listen(server, { port: 0, drainTimeoutMs: 0, ssePair, retryMs });
  return { url, stop: close };
}

/** The server of somebody else. */
export async function theirServer(stage: Stage, way: Way, { command }: Built): Promise<Target> {
  const serving = [...command, 'serve', way];
  if (way === 'stdio') return stage.tapped(serving);
  const { url, stop } = await startProgram(serving);
  stage.owns(stop);
  return await stage.listened(way === 'sse' ? 'sse' : 'http', url);
}

/** A bridge over HTTP or stdio before a server, which is spoken to at one of some revisions. */
export async function bridged(
  stage: Stage,
  way: 'stdio' | 'http',
  {
    upstream,
    upstreamRevisions,
    tasks = 'required',
  }: {
    readonly upstream: Target;
    readonly upstreamRevisions?: readonly RevisionDate[];
    readonly tasks?: 'required' | 'always' | undefined;
  },
): Promise<Target> {
  if (way === 'stdio') {
    const flags = (upstreamRevisions ?? []).flatMap((date) => ['--upstream-revision', date]);
    const words = upstream.transport === 'stdio' ? ['--', ...upstream.command] : [upstream.url];
    const main = join(here, '../../packages/cli/src/main.ts');
    return stage.tapped([process.execPath, ...quiet, main, 'bridge', '--stdio', ...flags, ...words]);
  }
  const bridge = await createBridge({
    upstream: transportTo(upstream),
    ...(upstreamRevisions === undefined ? {} : { upstreamRevisions }),
    tasks,
    onError: () => undefined,
    onWarning: () => undefined,
  });
  stage.owns(() => bridge.close());
  const { url, close } = await listen(bridge, { port: 0, drainTimeoutMs: 0 });
  stage.owns(close);
  return await stage.listened('http', url);
}

/** The transport of ours to a target. */
export function transportTo(target: Target): Transport {
  if (target.transport === 'stdio') {
    const [command = '', ...args] = target.command;
    return spawn(command, args, { stderr: 'ignore' });
  }
  return target.transport === 'http' ? httpTransport(target.url) : ssePairTransport(target.url);
}

/** Runs a plan by a client. */
export type Client<Todo extends { readonly id: string } = Step> = (
  assignment: Assignment<Todo>,
  tell: (outcome: Outcome) => void,
) => Promise<string>;

/** Revisions that a side is held to; every one without. */
export type Revisions = readonly RevisionDate[] | undefined;

/** Our client, at one of some revisions. */
export function ourClient(revisions: Revisions): Client {
  return async (assignment, tell) => {
    await runParley(assignment, { revisions, transport: transportTo(assignment.target) }, tell);
    return '';
  };
}

/** The client of somebody else. */
export function theirClient<Todo extends { readonly id: string }>({ command }: Built): Client<Todo> {
  return async (assignment, tell) => await runProgram([...command, 'client'], assignment, tell);
}
