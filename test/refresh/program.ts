/** What a simulated process does: it sends requests to a server that wants a login, some at once, some given up. */

import { carrier } from '../../packages/parley/src/transports/http/client/authorized.ts';
import { oauth } from '../../packages/parley/src/auth/client/interactive/oauth.ts';
import type { RedirectHook } from '../../packages/parley/src/auth/common/redirect.ts';
import type { Judge } from './judge.ts';
import type { Network } from './network.ts';
import type { Process, World } from '../simulation/world.ts';
import { storeOf, type Disk } from './disk.ts';

/** The longest that a request may take, persons and standing still not counted; in milliseconds. */
const maxMs = 25_000;
/** The most requests of all kinds that one request to the server may lead to. */
const maxRequests = 30;

/** The world of a program. */
export interface Surroundings {
  readonly world: World;
  readonly judge: Judge;
  readonly network: Network;
  readonly disk: Disk;
  wallClock(): number;
  personOf(process: Process): RedirectHook;
  /** When the trouble is over. */
  readonly calmAt: number;
  readonly calls: number;
  readonly loginTimeoutMs: number;
}

const url = new URL('https://mcp.example/mcp');

/** Runs a program to its end: when all is calm again, it must get through. */
export async function runProgram(process: Process, around: Surroundings): Promise<void> {
  const { world, judge, calmAt } = around;
  const call = callerOf(process, around);
  const running: Promise<unknown>[] = [];
  for (let made = 0; made < around.calls && world.now < calmAt; made++) {
    const one = call(world.random.chance(0.1) ? world.random.whole(0, 8_000) : undefined);
    running.push(one);
    if (world.random.chance(0.6)) await one;
    await sleep(world, process, world.random.chance(0.3) ? 0 : world.random.whole(0, 9_000));
  }
  await Promise.all(running);
  await sleep(world, process, Math.max(0, calmAt - world.now) + world.random.whole(0, 3_000));
  let last = '';
  for (let tries = 0; tries < 4; tries++) {
    last = await call(undefined);
    if (last === '200') return;
    await sleep(world, process, 65_000);
  }
  judge.violated(`${process.name} does not get through when all is well: ${last}`);
}

/** Makes what sends one request; it says what came of it. */
function callerOf(process: Process, around: Surroundings): (givesUpAfterMs: number | undefined) => Promise<string> {
  const { world, judge, disk, network } = around;
  const fetch = network.fetchOf(process);
  const auth = oauth({
    redirect: around.personOf(process),
    redirectUri: 'http://127.0.0.1:4711/callback',
    store: storeOf(disk, process),
    loginTimeoutMs: around.loginTimeoutMs,
    now: around.wallClock,
  });
  // The requests of the conversation go the same way as those about authorization.
  const carry = carrier(
    { fetch: (href, request) => fetch(href, { ...request, credentials: 'omit' }) },
    { url, credentials: {}, description: url.href },
    { auth },
  );
  let open = 0;
  return async (givesUpAfterMs) => {
    open++;
    const beside = open;
    const stopwatch = new Stopwatch(world, process);
    const before = judge.requests.get(process) ?? 0;
    const controller = new AbortController();
    const cancel =
      givesUpAfterMs === undefined
        ? () => {}
        : world.later(givesUpAfterMs, process, () => controller.abort(new Error('given up')));
    const outcome = await carry(
      url,
      { method: 'POST', headers: {}, body: '{}', redirect: 'manual', signal: controller.signal },
      {
        method: 'POST',
        own: {},
        signal: controller.signal,
        sent: {
          message: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'any' } },
          options: { clocks: { waiting: (person) => stopwatch.waiting(person) } },
        },
      },
    ).then(
      ({ status }) => String(status),
      (error: unknown) => wordsOf(error, controller.signal),
    );
    cancel();
    open--;
    const [took, sent] = [stopwatch.took(), (judge.requests.get(process) ?? 0) - before];
    world.note(`${process.name} has ${outcome} after ${took} ms`);
    if (took > maxMs) judge.violated(`${process.name} waits ${took} ms for ${outcome}`);
    if (sent > maxRequests * Math.max(beside, open + 1) + 10)
      judge.violated(`${process.name} sends ${sent} requests for one`);
    if (outcome.startsWith('unexpected')) judge.violated(`${process.name} fails: ${outcome}`);
    return outcome;
  };
}

function wordsOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'given up';
  if (!(error instanceof Error)) return 'unexpected: no error';
  if (['AuthorizationError', 'ConnectionError', 'DiskFull'].includes(error.name)) return error.message;
  return `unexpected ${error.stack ?? error.message}`;
}

/** Measures the longest that a request waits for something else than a person, without the time for which its process stands still. */
class Stopwatch {
  readonly #world: World;
  readonly #process: Process;
  #from: number | undefined;
  #longest = 0;

  constructor(world: World, process: Process) {
    this.#world = world;
    this.#process = process;
    this.#from = world.now;
  }

  waiting(person: boolean): void {
    this.#longest = this.took();
    if (!person) this.#from ??= this.#world.now;
    else this.#from = undefined;
  }

  took(): number {
    const { now } = this.#world;
    const from = this.#from ?? now;
    return Math.max(this.#longest, now - from - this.#process.stoppedWithin(from, now));
  }
}

/** Waits, as a process does. */
export function sleep(world: World, process: Process, ms: number): Promise<void> {
  return new Promise((resolve) => void world.later(ms, process, resolve));
}
