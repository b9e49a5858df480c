import type { Route } from '../harness/drive.ts';
import type { Peer } from '../harness/peer.ts';

/** Every route between a peer and us on which tasks are exercised: directly, each way, on stdio and over HTTP. */
export function taskRoutesOf({ client, server }: Peer): readonly Route[] {
  const names: Readonly<Record<string, string>> = { stdio: 'stdio', http: 'HTTP', stateless: 'stateless HTTP' };
  return [
    ...client.map((way): Route => ({ side: 'client', way, title: `its client, our server, ${names[way]}` })),
    ...server.map((way): Route => ({ side: 'server', way, title: `our client, its server, ${names[way]}` })),
  ];
}
