import type { Contender, Running } from './case.ts';
import type { Built } from '../../scripts/toolchains/program.ts';
import { startServer, type Server, type ServerChild } from './child.ts';
import { ask, load } from './http-load.ts';
import { installPeers } from './peers.ts';
import { startProgram } from './program.ts';
import { bareSpeakerOf, speakerOf, stateless, type Shots } from './requests.ts';

/** A server over HTTP that takes part. */
export interface HttpServer {
  readonly name: string;
  readonly limit?: true;
  readonly peer?: true;
  /** Whether the script needs a package of others, though it is no peer. */
  readonly fetched?: true;
  /** A script of `bench/servers`, and its options. */
  readonly script: string;
  readonly options?: unknown;
}

/** What is asked of an HTTP server. */
export interface HttpWork {
  /** The revision to speak; the stateless one by default. */
  readonly revision?: string;
  /** Whether it takes whatever it is sent: no session is opened, nothing is asked `first`. */
  readonly bare?: true;
  readonly connections: number;
  /** How many requests make one turn. */
  readonly total: number;
  readonly shots: Shots;
  /** What is asked once before the first turn, to see that nothing is left out that costs. */
  readonly first?: Shots;
}

/** An HTTP server and what is asked of it. */
export interface HttpContender extends HttpServer, HttpWork {}

/** A server in another language and what is asked of it. */
export interface ProgramContender extends HttpWork {
  readonly name: string;
  readonly build: () => Promise<Built>;
  /** What follows its command. */
  readonly args: readonly string[];
}

/** A contender whose cost is the CPU time of the server process per request, in microseconds. */
export function httpContender(contender: HttpContender): Contender {
  return serverContender(contender, (server) => running(server, contender));
}

/** A contender with a server in a process of its own, which ends with it. */
export function serverContender(
  { name, limit, peer, fetched, script, options }: HttpServer,
  run: (server: ServerChild) => Promise<Omit<Running, 'stop'>>,
): Contender {
  return {
    name,
    ...(limit === undefined ? {} : { limit }),
    ...(peer === undefined ? {} : { peer }),
    start: async () => {
      if (peer === true || fetched === true) await installPeers();
      return await owning(await startServer(script, options), run);
    },
  };
}

/** A contender of other make, whose cost is the same. */
export function programContender({ name, build, args, ...work }: ProgramContender): Contender {
  return {
    name,
    peer: true,
    start: async () => {
      const { command } = await build();
      return await owning(await startProgram([...command, ...args]), (server) => running(server, work));
    },
  };
}

/** What runs with a server, which ends with it, or as soon as it cannot. */
async function owning<Kind extends Server>(
  server: Kind,
  run: (server: Kind) => Promise<Omit<Running, 'stop'>>,
): Promise<Running> {
  try {
    return { ...(await run(server)), stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function running(server: Server, work: HttpWork): Promise<Omit<Running, 'stop'>> {
  const { revision = stateless, bare, connections, total, shots, first } = work;
  const speak = bare === true ? bareSpeakerOf(revision) : await speakerOf(server.url, revision);
  if (bare !== true && first !== undefined) await ask(server.url, first(speak)(1));
  const shot = shots(speak);
  return {
    turn: async (share) => {
      const requests = Math.max(connections, Math.round(total * share));
      const before = await server.cpu();
      const { rate, p50, p99 } = await load(server.url, shot, { total: requests, connections });
      const used = (await server.cpu()) - before;
      return { cost: used / requests, more: { 'per second': rate, 'p50 ms': p50, 'p99 ms': p99 } };
    },
  };
}
