import type { Case, Contender } from '../harness/case.ts';
import { handshake, stateless } from '../harness/requests.ts';
import { stdioContender } from '../harness/stdio-contender.ts';

type Peer = readonly [name: string, script: string, revision: string];

/** Of the peers, `mcp-lite` has no stdio. */
const statelessPeers: readonly Peer[] = [
  ['official v2', 'official-v2', stateless],
  ['tmcp', 'tmcp', stateless],
];

const sessionPeers: readonly Peer[] = [
  ['official v2', 'official-v2', handshake],
  ['official v1', 'official-v1', handshake],
  // The newest that it has sessions for.
  ['tmcp (2025-06-18)', 'tmcp', '2025-06-18'],
];

function calls(id: string, revision: string, inFlight: number): Case {
  const common = { revision, inFlight, total: 20_000 };
  const contenders: readonly Contender[] = [
    stdioContender({ ...common, name: 'limit', limit: true, script: 'limit' }),
    stdioContender({ ...common, name: 'parley', script: 'parley' }),
    ...(revision === stateless ? statelessPeers : sessionPeers).map(([name, script, spoken]) =>
      stdioContender({ ...common, name, script, revision: spoken, peer: true, total: 5_000 }),
    ),
  ];
  return {
    id,
    title: `tools/call at ${revision} over stdio, ${inFlight === 1 ? 'one after the other' : `${inFlight} at a time`}`,
    unit: 'µs of CPU per call',
    target: '≤ 1.3 × the limit, ≥ 2 × less than every peer',
    contenders,
  };
}

/** Calls over stdio of a small tool whose arguments are checked. */
export const stdioCases: readonly Case[] = [
  calls('stdio', stateless, 1),
  calls('stdio-pipelined', stateless, 16),
  calls('stdio-session', handshake, 1),
  calls('stdio-session-pipelined', handshake, 16),
];
