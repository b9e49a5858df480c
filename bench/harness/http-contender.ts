import type { Contender, Running } from './case.ts';
import { startServer, type ServerChild } from './child.ts';
import { ask, load } from './http-load.ts';
import { installPeers } from './peers.ts';
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

/** An HTTP server and what is asked of it. */
export interface HttpContender extends HttpServer {
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
      const server = await startServer(script, options);
      try {
        return { ...(await run(server)), stop: () => server.stop() };
      } catch (error) {
        await server.stop();
        throw error;
      }
    },
  };
}

async function running(server: ServerChild, contender: HttpContender): Promise<Omit<Running, 'stop'>> {
  const { revision = stateless, bare, connections, total, shots, first } = contender;
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
