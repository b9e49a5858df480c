import { fileURLToPath } from 'node:url';
import type { Contender, Running } from './case.ts';
import { installPeers } from './peers.ts';
import { median } from './race.ts';
import { meta, stateless } from './requests.ts';
import { startStdio, type StdioChild } from './stdio-line.ts';

/** A server on stdio that is called again and again. */
export interface StdioContender {
  readonly name: string;
  readonly limit?: true;
  readonly peer?: true;
  /** A script of `bench/stdio`. */
  readonly script: string;
  readonly revision: string;
  /** How many calls make one turn, and how many of them are under way at once. */
  readonly total: number;
  readonly inFlight: number;
}

/** A contender whose cost is the CPU time of the server process per call, in microseconds. */
export function stdioContender(contender: StdioContender): Contender {
  const { name, limit, peer, script, revision } = contender;
  return {
    name,
    ...(limit === undefined ? {} : { limit }),
    ...(peer === undefined ? {} : { peer }),
    start: async () => {
      if (peer === true) await installPeers();
      const path = fileURLToPath(new URL(`../stdio/${script}.ts`, import.meta.url));
      const child = startStdio(['--disable-warning=ExperimentalWarning', path], { channel: true });
      try {
        if (revision !== stateless) await openSession(child, revision, limit === true);
        return running(child, contender);
      } catch (error) {
        await child.stop();
        throw error;
      }
    },
  };
}

/** Shakes hands as a client of a handshake revision. */
export async function openSession(child: StdioChild, revision: string, anyAnswer = false): Promise<void> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const answer = await child.ask(0, JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  if (!anyAnswer && !answer.includes(`"${revision}"`)) throw new Error(`the server does not speak ${revision}`);
  child.tell(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
}

function running(child: StdioChild, { total, inFlight, revision }: StdioContender): Running {
  const more = revision === stateless ? { _meta: meta } : {};
  let last = 0;
  const call = async (): Promise<void> => {
    const id = ++last;
    const params = { name: 'add', arguments: { a: id, b: 1 }, ...more };
    const line = await child.ask(id, JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    if (!line.includes(`"text":"${id + 1}"`)) throw new Error(`a wrong answer: ${line.slice(0, 200)}`);
  };
  return {
    turn: async (share) => {
      const calls = Math.max(inFlight, Math.round(total * share));
      const times: number[] = [];
      let begun = 0;
      const walk = async (): Promise<void> => {
        while (begun++ < calls) {
          const start = performance.now();
          await call();
          times.push(performance.now() - start);
        }
      };
      const before = await child.cpu();
      const start = performance.now();
      await Promise.all(Array.from({ length: inFlight }, walk));
      const seconds = (performance.now() - start) / 1000;
      const used = (await child.cpu()) - before;
      const sorted = times.toSorted((one, other) => one - other);
      const p99 = sorted[Math.floor(calls * 0.99)] ?? Number.NaN;
      return { cost: used / calls, more: { 'per second': calls / seconds, 'p50 ms': median(times), 'p99 ms': p99 } };
    },
    stop: () => child.stop(),
  };
}
