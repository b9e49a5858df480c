import type { Case } from '../harness/case.ts';
import { httpContender } from '../harness/http-contender.ts';
import { addition, stateless } from '../harness/requests.ts';

const handshake = '2025-11-25';

/** One hop through the bridge, in front of a server in another process, beside the direct call. */
function hop(id: string, [down, up]: readonly [string, string], target: string): Case {
  const common = { connections: 16, total: 4_000, shots: addition };
  return {
    id,
    title: `tools/call at ${down} through a bridge to a server at ${up}, HTTP on both sides`,
    unit: 'µs of CPU per request',
    target,
    contenders: [
      httpContender({ ...common, name: 'direct', limit: true, script: 'parley', revision: down }),
      // The bridge runs the server behind it in a process whose time does not count: it is the price of the hop alone.
      httpContender({
        ...common,
        name: 'bridge',
        script: 'bridge',
        options: { upstreamRevisions: [up] },
        revision: down,
      }),
    ],
  };
}

/** What the translator costs. */
export const bridgeCases: readonly Case[] = [
  hop('bridge-same', [stateless, stateless], '≤ 2.6 × the direct call'),
  hop('bridge-down', [handshake, stateless], '≤ 2.6 × the direct call'),
  hop('bridge-up', [stateless, handshake], '≤ 2.6 × the direct call'),
  hop('bridge-sessions', [handshake, handshake], '≤ 2.6 × the direct call'),
];
