import type { Case, Contender } from '../harness/case.ts';
import { coldContender } from '../harness/cold-contender.ts';
import { handshake } from '../harness/requests.ts';

function peer(name: string, script: string, revision: string = handshake): Contender {
  return coldContender({ name, script, revision, peer: true, total: 5 });
}

/** What a host waits for that starts a server. */
export const coldStartCases: readonly Case[] = [
  {
    id: 'cold-start',
    title: 'the start of a process on stdio up to its list of tools, through initialize',
    unit: 'ms',
    target: '≤ 1.25 × the limit',
    contenders: [
      coldContender({ name: 'limit', limit: true, script: 'limit', revision: handshake, total: 9 }),
      coldContender({ name: 'parley', script: 'parley', revision: handshake, total: 9 }),
      peer('official v2', 'official-v2'),
      peer('official v1', 'official-v1'),
      // The newest that it has sessions for.
      peer('tmcp (2025-06-18)', 'tmcp', '2025-06-18'),
      peer('fastmcp', 'fastmcp'),
    ],
  },
];
