import type { Case, Contender } from '../harness/case.ts';
import { handshake, stateless } from '../harness/requests.ts';
import { workerContender } from '../harness/worker.ts';

type Peer = readonly [name: string, script: string, revision: string];

function inMemory(name: string, script: string, revision: string, total: number): Contender {
  return workerContender({
    name,
    script: `memory-${script}`,
    ...(script === 'limit' ? { limit: true } : {}),
    ...(total < 20_000 ? { peer: true } : {}),
    options: { revision, legacy: revision !== stateless },
    total,
    inFlight: 1,
  });
}

function roundTrip(id: string, revision: string, peers: readonly Peer[]): Case {
  return {
    id,
    title: `tools/call from a client to a server in the same process at ${revision}`,
    unit: 'µs of CPU per round trip',
    target: '≥ 3 × less than every peer',
    contenders: [
      inMemory('limit', 'limit', revision, 200_000),
      inMemory('parley', 'parley', revision, 40_000),
      ...peers.map(([name, script, spoken]) => inMemory(name, script, spoken, 5_000)),
    ],
  };
}

/** A client and a server in one process. `tmcp` has no client, but a caller for tests that skips the JSON text. */
export const memoryCases: readonly Case[] = [
  roundTrip('memory', stateless, [
    ['official v2', 'official-v2', stateless],
    ['tmcp', 'tmcp', stateless],
  ]),
  roundTrip('memory-session', handshake, [
    ['official v2', 'official-v2', handshake],
    ['official v1', 'official-v1', handshake],
    // The newest that it has sessions for.
    ['tmcp (2025-06-18)', 'tmcp', '2025-06-18'],
  ]),
];
