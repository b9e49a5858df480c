import type { Running } from './case.ts';
import type { ServerChild } from './child.ts';
import { load } from './http-load.ts';
import { resourcesBehind } from './idle.ts';
import { addition, speakerOf } from './requests.ts';

const kibibyte = 1024;
const tenths = 10;

/** How many requests are sent, and how. */
export interface GrowthOptions {
  readonly revision: string;
  readonly total: number;
  readonly connections: number;
}

/**
 * Sends very many requests to one server. The cost is that of a request in the last tenth of them, in µs of CPU.
 *
 * @throws Error from a turn when handles or timers were left behind.
 */
export async function growth(server: ServerChild, options: GrowthOptions): Promise<Omit<Running, 'stop'>> {
  const { revision, total, connections } = options;
  const shot = addition(await speakerOf(server.url, revision));
  return {
    turn: async (share) => {
      const part = Math.max(connections, Math.round((total * share) / tenths));
      const before = { heap: await server.heap(), resources: await server.resources() };
      const costs: number[] = [];
      for (let tenth = 0; tenth < tenths; tenth++) {
        const began = await server.cpu();
        await load(server.url, shot, { total: part, connections });
        costs.push(((await server.cpu()) - began) / part);
      }
      const behind = await resourcesBehind(server, before.resources);
      if (behind > 0) throw new Error(`${behind} handles or timers were left behind`);
      const [first = Number.NaN] = costs;
      const last = costs.at(-1) ?? Number.NaN;
      const left = ((await server.heap()) - before.heap) / kibibyte;
      return {
        cost: last,
        more: { 'first tenth': first, 'last ÷ first': last / first, 'left KB': left, 'handles left': behind },
      };
    },
  };
}
