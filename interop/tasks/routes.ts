import type { RevisionDate } from '../../packages/parley/src/protocol.ts';
import type { Route } from '../harness/drive.ts';
import type { Peer } from '../harness/peer.ts';

const names: Readonly<Record<string, string>> = { stdio: 'stdio', http: 'HTTP', stateless: 'stateless HTTP' };
const extension: RevisionDate = '2026-07-28';
const core: RevisionDate = '2025-11-25';

/** The direct routes between a peer and us: each way, on stdio and over HTTP. */
export function directRoutesOf({ client, server, newest }: Peer): readonly Route[] {
  // Some have no tasks in revisions that they speak beside.
  const held = newest === core ? { revisions: [core] } : {};
  return [
    ...client.map((way): Route => ({ side: 'client', way, title: `its client, our server, ${names[way]}` })),
    ...server.map((way): Route => ({ side: 'server', way, ...held, title: `our client, its server, ${names[way]}` })),
  ];
}

/** Its client with a server that has the tasks of 2025-11-25 alone, where it has both forms. */
export function olderRoutesOf({ client }: Peer): readonly Route[] {
  return client.map((way): Route => ({
    side: 'client',
    way,
    revisions: [core],
    title: `its client, our server at ${core}, ${names[way]}`,
  }));
}

/** Through a bridge: of both forms of tasks one is that of the peer, so that each side is told the same form once, and the other once. */
export function bridgedRoutesOf({ client, server, newest }: Peer): readonly Route[] {
  const clients: readonly Route[] = [
    {
      side: 'client',
      way: 'http',
      bridge: { way: 'stdio', upstreamRevisions: [core], tasks: 'always' },
      title: `its client, HTTP, our bridge, stdio, our server at ${core}`,
    },
    {
      side: 'client',
      way: 'stdio',
      bridge: { way: 'http', upstreamRevisions: [extension] },
      title: `its client, stdio, our bridge, HTTP, our server at ${extension}`,
    },
  ];
  const servers: readonly Route[] = [
    {
      side: 'server',
      way: 'stdio',
      revisions: [extension],
      bridge: { way: 'http', upstreamRevisions: [newest], tasks: 'always' },
      title: `our client at ${extension}, HTTP, our bridge, stdio, its server`,
    },
    {
      side: 'server',
      way: 'http',
      revisions: [core],
      bridge: { way: 'stdio', upstreamRevisions: [newest] },
      title: `our client at ${core}, stdio, our bridge, HTTP, its server`,
    },
  ];
  return [...clients.filter(({ way }) => client.includes(way)), ...servers.filter(({ way }) => server.includes(way))];
}
