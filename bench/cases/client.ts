import type { Case, Contender } from '../harness/case.ts';
import { handshake, stateless } from '../harness/requests.ts';
import { workerContender } from '../harness/worker.ts';

const target = 'with fetch ≤ 1.25 × the limit, with the transport of Node ≥ 5 × less than the official v2';

type More = Partial<Parameters<typeof workerContender>[0]>;

function calling(name: string, script: string, inFlight: number, more: More = {}): Contender {
  const total = more.peer === true ? 3_000 : 8_000;
  return workerContender({ name, script: `client-${script}`, server: 'bare', total, inFlight, ...more });
}

function calls(id: string, [revision, inFlight]: readonly [string, number], peers: readonly string[]): Case {
  const options = { revision, legacy: revision !== stateless };
  return {
    id,
    title: `callTool at ${revision} over HTTP of a bare server, ${inFlight} at a time`,
    unit: 'µs of CPU of the client per call',
    target,
    contenders: [
      calling('limit (fetch)', 'limit', inFlight, { limit: true }),
      calling('bare node:http', 'node', inFlight),
      calling('parley (fetch)', 'parley', inFlight, { options }),
      calling('parley (node)', 'parley-node', inFlight, { options }),
      ...peers.map((version) =>
        calling(`official ${version}`, `official-${version}`, inFlight, { options, peer: true }),
      ),
    ],
  };
}

/** What a client costs, whose server costs next to nothing. */
export const clientCases: readonly Case[] = [
  calls('client-1', [stateless, 1], ['v2']),
  calls('client-16', [stateless, 16], ['v2']),
  calls('client-session-16', [handshake, 16], ['v2', 'v1']),
];
