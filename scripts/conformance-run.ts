/** Runs scenarios of the official conformance suite against the fixtures of `test/conformance/`, by the strict rule. */

import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { bundledClients, turnsAt, type Turns } from './conformance-clients.ts';
import { behind, program, root, type Scenario } from './conformance-plan.ts';
import { run, serve, type Ended } from './conformance-process.ts';

/** Why a scenario did not pass, or `undefined` when it did. */
export type Problem = string | undefined;

/** Hears how a scenario went. */
export type OnScenario = (scenario: Scenario, problem: Problem) => void;

/** What the suite says of one thing that it looked at. */
export interface Check {
  readonly id: string;
  readonly status: string;
  readonly description?: string;
  readonly errorMessage?: string;
}

/** What a run of the suite is given, and where it leaves its results. */
interface Suite {
  readonly target: readonly string[];
  readonly directory: string;
}

const fixtures = join(root, 'test/conformance');

/** For one scenario; the suite's own limit of 30 seconds is short where processors are busy. */
const timeoutMs = 90_000;

/** What the suite takes to start and to write its results. */
const graceMs = 15_000;

/** Below this many, scenarios are run one by one and not with all that their revision requires. */
const fewScenarios = 6;

/**
 * Runs scenarios.
 *
 * Those of the server come first and run one after the other, since the suite measures time. Of those of the client,
 * as many run at once as there are processors.
 */
export async function runScenarios(scenarios: readonly Scenario[], onScenario: OnScenario): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-conformance-'));
  try {
    for (const side of ['server', 'service'] as const)
      await runServerScenarios(side, scenarios, { directory: join(directory, side), onScenario });
    await runBridgeScenarios('bridge', scenarios, { directory, onScenario });
    await runBridgeScenarios('bridge-to-core-tasks', scenarios, { directory, onScenario });
    await runClientScenarios(
      scenarios.filter(({ side }) => isOfClient(side)),
      { directory, onScenario },
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** One process of the suite runs all that a revision requires of a client. The other scenarios run alone. */
async function runClientScenarios(
  scenarios: readonly Scenario[],
  { directory, onScenario }: { readonly directory: string; readonly onScenario: OnScenario },
): Promise<void> {
  if (scenarios.length === 0) return;
  const folder = await bundledClients();
  const jobs = Math.min(8, availableParallelism());
  const turns = turnsAt(join(directory, 'turns'), jobs);
  const alone: Scenario[] = [];
  try {
    const groupOf = ({ side, revision }: Scenario): string => `${side}-${revision}`;
    for (const key of new Set(scenarios.map(groupOf))) {
      const group = scenarios.filter((scenario) => groupOf(scenario) === key);
      const results = join(directory, key);
      const found = group.length < fewScenarios ? undefined : await runGroupOfClient(group, { folder, turns, results });
      for (const scenario of group) {
        const checks = found?.get(scenario.name);
        if (checks === undefined) alone.push(scenario);
        else onScenario(scenario, problemIn(checks));
      }
    }
  } finally {
    turns.close();
  }
  const pending = alone.values();
  const worker = async (): Promise<void> => {
    for (const scenario of pending) {
      // The suite has a shell run it.
      const target = ['--command', `'${process.execPath}' '${join(folder, `${scenario.side}.js`)}'`];
      onScenario(scenario, await runOne(scenario, { target, directory }));
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

interface ClientSuite {
  /** Of the programs. */
  readonly folder: string;
  readonly turns: Turns;
  readonly results: string;
}

/**
 * Runs the scenarios of one side and revision; the checks by scenario. A scenario whose client does not exit with 0 has none:
 * whether the suite allows that, it shows only of a scenario that runs alone.
 */
async function runGroupOfClient(
  group: readonly Scenario[],
  { folder, turns, results }: ClientSuite,
): Promise<ReadonlyMap<string, readonly Check[]>> {
  const [{ side, revision } = { side: 'client', revision: '' }] = group;
  const words = [process.execPath, join(folder, `${side}.js`)];
  const names = group.map(({ name }) => name);
  // A client waits for its turn in this time.
  const limit = 3 * timeoutMs;
  const choice = ['--requirements', revision, '--timeout', String(limit)];
  await run(program, ['client', '--command', turns.command(words, names), ...choice, '-o', results], {
    timeoutMs: limit + graceMs,
  });
  const found = new Map<string, readonly Check[]>();
  // A scenario with a slash in its name has a folder in a folder.
  for (const name of await readdir(results, { recursive: true })) {
    const scenario = /^(.+)-\d{4}-\d\d-\d\dT[\dZ-]+$/.exec(name.replaceAll(sep, '/'))?.[1];
    if (scenario === undefined || !names.includes(scenario)) continue;
    const output = await readFile(join(results, name, 'stdout.txt'), 'utf8').catch(() => '');
    const checks = turns.exitedWell(output) ? await checksIn(join(results, name)) : undefined;
    if (checks !== undefined) found.set(scenario, checks);
  }
  return found;
}

/** One server, or one service of several processes, serves every revision. */
async function runServerScenarios(
  side: 'server' | 'service',
  scenarios: readonly Scenario[],
  { directory, onScenario }: { readonly directory: string; readonly onScenario: OnScenario },
): Promise<void> {
  const wanted = scenarios.filter((scenario) => scenario.side === side);
  if (wanted.length === 0) return;
  const server = await serve(join(fixtures, `${side}.ts`), side === 'server' ? ['--port', '0'] : []);
  const suite = { target: ['--url', server.url], directory };
  try {
    for (const revision of revisionsOf(wanted)) await runGroup(wanted, { revision, suite, onScenario });
  } finally {
    await server.stop();
  }
}

/** For each pair of revisions there is a bridge of its own, and a server that speaks the second alone. */
async function runBridgeScenarios(
  side: Scenario['side'],
  scenarios: readonly Scenario[],
  { directory, onScenario }: { readonly directory: string; readonly onScenario: OnScenario },
): Promise<void> {
  const all = scenarios.filter((scenario) => scenario.side === side);
  for (const upstream of new Set(all.map(behind))) {
    const wanted = all.filter((scenario) => behind(scenario) === upstream);
    for (const revision of revisionsOf(wanted)) {
      const bridge = await serve(join(fixtures, 'bridge.ts'), ['--port', '0', '--upstream-revision', upstream]);
      const suite = { target: ['--url', bridge.url], directory: join(directory, `${side}-to-${upstream}`) };
      try {
        await runGroup(wanted, { revision, suite, onScenario });
      } finally {
        await bridge.stop();
      }
    }
  }
}

function isOfClient(side: Scenario['side']): boolean {
  return side === 'client' || side === 'bridged-client';
}

function revisionsOf(scenarios: readonly Scenario[]): ReadonlySet<string> {
  return new Set(scenarios.map(({ revision }) => revision));
}

interface Group {
  readonly revision: string;
  readonly suite: Suite;
  readonly onScenario: OnScenario;
}

async function runGroup(wanted: readonly Scenario[], { revision, suite, onScenario }: Group): Promise<void> {
  const group = wanted.filter((scenario) => scenario.revision === revision);
  const required = group.length < fewScenarios ? undefined : await runRequired(revision, suite);
  for (const scenario of group) {
    const checks = required?.get(scenario.name);
    onScenario(scenario, checks === undefined ? await runOne(scenario, suite) : problemIn(checks));
  }
}

/** Runs all that a revision requires of a server in one go, which takes a tenth of the time; the checks by scenario. */
export async function runRequired(
  revision: string,
  { target, directory }: Suite,
): Promise<ReadonlyMap<string, readonly Check[]>> {
  const results = join(directory, `server-${revision}`);
  await run(program, ['server', ...target, '--requirements', revision, '-o', results], { timeoutMs: 3 * timeoutMs });
  const found = new Map<string, readonly Check[]>();
  for (const name of await readdir(results)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\dZ-]+$/.exec(name)?.[1];
    const checks = await checksIn(join(results, name));
    if (scenario !== undefined && checks !== undefined) found.set(scenario, checks);
  }
  return found;
}

async function runOne({ side, revision, name }: Scenario, { target, directory }: Suite): Promise<Problem> {
  const results = join(directory, side, revision, name);
  const choice = ['--scenario', name, '--spec-version', revision, '--force', '--timeout', String(timeoutMs)];
  // For the suite a bridge is a server.
  const command = isOfClient(side) ? 'client' : 'server';
  const ended = await run(program, [command, ...target, ...choice, '-o', results], { timeoutMs: timeoutMs + graceMs });
  if (ended.timedOut) return 'timed out';
  const checks = await checksIn(results);
  if (checks === undefined) return `the suite left no checks:\n${ended.output}`;
  return problemIn(checks) ?? exitProblem(ended);
}

/** The strict rule: no failure, no warning, and a success that is more than messages of the right form. */
export function problemIn(checks: readonly Check[]): Problem {
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (bad.length > 0) return bad.map(lineOf).join('\n');
  const passed = checks.some(({ id, status }) => status === 'SUCCESS' && id !== 'wire-schema-valid');
  return passed ? undefined : 'nothing was checked';
}

function lineOf({ id, status, description, errorMessage }: Check): string {
  return `${status} ${id}: ${errorMessage ?? description ?? 'no reason given'}`;
}

/** The suite counts a client that exits with an error, where the scenario does not allow one, or takes too long. */
function exitProblem({ status, output }: Ended): Problem {
  return status === 0 ? undefined : `the suite exited with ${status ?? 'a signal'}:\n${output}`;
}

/** The checks of the one run whose results a directory holds, at whatever depth. */
async function checksIn(directory: string): Promise<readonly Check[] | undefined> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const file = names.find((name) => name.endsWith('checks.json'));
  if (file === undefined) return undefined;
  // The suite writes its checks in this form.
  return JSON.parse(await readFile(join(directory, file), 'utf8')) as readonly Check[];
}
