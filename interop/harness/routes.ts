import type { RevisionDate } from '../../packages/parley/src/protocol.ts';
import type { Route } from './drive.ts';
import type { Peer, Way } from './peer.ts';

const names: Readonly<Record<Way, string>> = {
  stdio: 'stdio',
  http: 'HTTP',
  stateless: 'stateless HTTP',
  sse: 'HTTP+SSE',
};
const stateless: RevisionDate = '2026-07-28';
const newestHandshake: RevisionDate = '2025-11-25';
const older: readonly RevisionDate[] = ['2024-11-05', '2025-03-26', '2025-06-18', newestHandshake];

/** Every route between a peer and us. */
export function routesOf(peer: Peer): readonly Route[] {
  return [...clientRoutes(peer), ...serverRoutes(peer)];
}

function clientRoutes(peer: Peer): readonly Route[] {
  const { client: ways, newest } = peer;
  const direct = ways.map((way): Route => ({ side: 'client', way, title: `its client, our server, ${names[way]}` }));
  const held = (['stdio', 'http'] as const)
    .filter((way) => newest === stateless && ways.includes(way))
    .map((way): Route => ({
      side: 'client',
      way,
      revisions: older,
      title: `its client, our server without ${stateless}, ${names[way]}`,
    }));
  const bridges: readonly Route[] = [
    {
      side: 'client',
      way: 'http',
      bridge: { way: 'stdio', upstreamRevisions: [newestHandshake] },
      title: `its client, HTTP, our bridge, stdio, our server at ${newestHandshake}`,
    },
    {
      side: 'client',
      way: 'stdio',
      bridge: { way: 'http', upstreamRevisions: [stateless] },
      title: `its client, stdio, our bridge, HTTP, our server at ${stateless}`,
    },
  ];
  return [...direct, ...held, ...servicesOf(peer), ...bridges.filter(({ way }) => ways.includes(way))];
}

/** Our server as three processes behind a proxy: with a Redis, and without sessions. */
function servicesOf({ client: ways, newest }: Peer): readonly Route[] {
  const [all, withoutStateless] = [
    'our server in three processes',
    `our server without ${stateless} in three processes`,
  ];
  const shared = (['http', 'sse'] as const)
    .filter((way) => ways.includes(way))
    .map((way): Route => ({ side: 'client', way, service: 'shared', title: `its client, ${all}, ${names[way]}` }));
  if (!ways.includes('http')) return shared;
  const held = { side: 'client', way: 'http', revisions: older } as const;
  const ofSessions: Route = { ...held, service: 'shared', title: `its client, ${withoutStateless}, HTTP` };
  return [
    ...shared,
    ...(newest === stateless ? [ofSessions] : []),
    { ...held, service: 'alone', title: `its client, ${withoutStateless} and without sessions, HTTP` },
  ];
}

function serverRoutes({ server: ways, newest }: Peer): readonly Route[] {
  const direct = ways.map((way): Route => ({ side: 'server', way, title: `our client, its server, ${names[way]}` }));
  const held = ways
    .filter((way) => way === 'http')
    .map((way): Route => ({
      side: 'server',
      way,
      revisions: ['2025-06-18'],
      title: `our client at 2025-06-18, its server, ${names[way]}`,
    }));
  const bridges: readonly Route[] = [
    {
      side: 'server',
      way: 'stdio',
      revisions: [stateless],
      bridge: { way: 'http', upstreamRevisions: [newestHandshake] },
      title: `our client at ${stateless}, HTTP, our bridge, stdio, its server at ${newestHandshake}`,
    },
    {
      side: 'server',
      way: ways.includes('stateless') ? 'stateless' : 'http',
      revisions: [newestHandshake],
      bridge: { way: 'stdio', upstreamRevisions: [newest] },
      title: `our client at ${newestHandshake}, stdio, our bridge, HTTP, its server at ${newest}`,
    },
  ];
  return [...direct, ...held, ...bridges.filter(({ way }) => ways.includes(way))];
}

/** One of each kind, for the tests: enough to see that nothing broke. */
export function shortRoutesOf(peer: Peer): readonly Route[] {
  return routesOf(peer).filter(
    ({ revisions, bridge, service }) => bridge !== undefined || (revisions === undefined && service === undefined),
  );
}
