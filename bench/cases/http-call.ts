import type { Case, Contender } from '../harness/case.ts';
import { httpContender, programContender, type HttpContender } from '../harness/http-contender.ts';
import { go, rust, type Language } from '../harness/languages.ts';
import { token } from '../servers/guard.ts';
import { addition, handshake, older, stateless, wrongAddition } from '../harness/requests.ts';

const common = { connections: 16, total: 12_000, shots: addition, first: wrongAddition };

function parley(name: string, more: Partial<HttpContender> = {}): Contender {
  return httpContender({ ...common, name, script: 'parley', ...more });
}

function limit(connections: number, revision: string): Contender {
  return httpContender({ ...common, name: 'limit', limit: true, bare: true, script: 'limit', connections, revision });
}

function peer(name: string, revision: string, connections: number): Contender {
  const script = name.replace(' ', '-');
  const label = revision === older ? `${name} (${older})` : name;
  const options = { sessions: revision !== stateless };
  return httpContender({
    ...common,
    name: label,
    script,
    options,
    revision,
    connections,
    peer: true,
    total: 3_000,
  });
}

function foreign({ name, build }: Language, revision: string, connections: number): Contender {
  const args = [revision === stateless ? 'stateless' : 'sessions'];
  return programContender({ ...common, name, build, args, revision, connections });
}

function statelessCall(connections: number): Case {
  return {
    id: `call-${connections}`,
    title: `tools/call at ${stateless} over HTTP, ${connections} connections`,
    unit: 'µs of CPU per request',
    target: '≤ 1.35 × the limit, ≥ 12 × less than the official v2, less than every other language',
    contenders: [
      limit(connections, stateless),
      parley('parley', { connections }),
      peer('official v2', stateless, connections),
      peer('tmcp', stateless, connections),
      ...[rust, go].map((one) => foreign(one, stateless, connections)),
    ],
  };
}

function sessionCall(connections: number): Case {
  return {
    id: `session-${connections}`,
    title: `tools/call at ${handshake} over HTTP in a session, ${connections} connections`,
    unit: 'µs of CPU per request',
    target: '≤ 1.35 × the limit, ≥ 5 × less than every peer of JavaScript, less than every other language',
    contenders: [
      limit(connections, handshake),
      parley('parley', { revision: handshake, connections }),
      ...['official v2', 'official v1', 'fastmcp'].map((name) => peer(name, handshake, connections)),
      // They know nothing newer.
      ...['tmcp', 'mcp-lite'].map((name) => peer(name, older, connections)),
      ...[rust, go].map((one) => foreign(one, handshake, connections)),
    ],
  };
}

/** Parley against itself: what the first contender costs is what the others are divided by. */
function against(contenders: readonly Contender[]): readonly Contender[] {
  return contenders.map((one, at) => (at === 0 ? { ...one, limit: true } : one));
}

/** The same calls with a token that all servers know; who is not guarded does not look at it. */
const withToken: typeof addition = (speak) => {
  const shots = addition(speak);
  return (number) => {
    const shot = shots(number);
    return { ...shot, headers: { ...shot.headers, Authorization: `Bearer ${token}` } };
  };
};

const guardedCall: Case = {
  id: 'guarded-call',
  title: `tools/call at ${stateless} over HTTP with a token that was verified before, 16 connections`,
  unit: 'µs of CPU per request',
  target: 'within 5 % of the same server without a guard',
  rounds: 9,
  contenders: [
    { ...parley('parley, not guarded', { shots: withToken }), limit: true },
    parley('parley', { shots: withToken, first: withToken, options: { guarded: true } }),
    httpContender({
      ...common,
      name: 'official v2',
      script: 'official-v2',
      options: { sessions: false, guarded: true },
      revision: stateless,
      shots: withToken,
      first: withToken,
      peer: true,
      total: 3_000,
    }),
  ],
};

/** Calls of a small tool whose arguments are checked. */
export const httpCallCases: readonly Case[] = [
  statelessCall(16),
  statelessCall(64),
  {
    id: 'call-tools',
    title: `tools/call at ${stateless} with 10, 100 and 1,000 tools registered`,
    unit: 'µs of CPU per request',
    target: 'within 5 % of each other',
    contenders: against([10, 100, 1_000].map((tools) => parley(`${tools} tools`, { options: { tools } }))),
  },
  guardedCall,
  {
    id: 'call-middleware',
    title: `tools/call at ${stateless} over HTTP through middleware, 16 connections`,
    unit: 'µs of CPU per request',
    target: 'within 3 % of the same server without',
    rounds: 9,
    contenders: against([0, 1, 3].map((count) => parley(`${count} functions`, { options: { middleware: count } }))),
  },
  {
    id: 'call-store',
    title: `tools/call at ${stateless} over HTTP with a store that processes share, 16 connections`,
    unit: 'µs of CPU per request',
    target: 'within 2 % of the same server without',
    rounds: 9,
    contenders: against([parley('no store'), parley('a store', { options: { store: true } })]),
  },
  {
    id: 'call-otel',
    title: `tools/call at ${stateless} over HTTP with spans and metrics, 16 connections`,
    unit: 'µs of CPU per request',
    target: 'told, not bounded: what an SDK does with what it is given is its own',
    rounds: 9,
    contenders: against([
      parley('not used'),
      parley('otel() and no SDK', { options: { telemetry: 'api' } }),
      parley('otel() and an SDK that exports to nobody', { options: { telemetry: 'sdk' } }),
    ]),
  },
  sessionCall(16),
  sessionCall(64),
  {
    id: 'session-older',
    title: 'tools/call in sessions of the older revisions',
    unit: 'µs of CPU per request',
    target: `within 10 % of ${handshake}`,
    contenders: against(
      [handshake, older, '2025-03-26', '2024-11-05'].map((revision) => parley(revision, { revision })),
    ),
  },
];
