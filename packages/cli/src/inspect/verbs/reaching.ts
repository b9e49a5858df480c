/** Verbs by which a person connects servers, and signs in there. */

import { revisions } from '../../../../parley/src/protocol/revision.ts';
import { VerbError } from '../http/body.ts';
import type { Verb } from '../http/listen.ts';
import { auto } from '../servers/connect-options.ts';
import type { InspectedServers } from '../servers/servers.ts';
import type { ServerPlan } from '../servers/shared.ts';
import { clientCapabilities } from '../view.ts';
import { signingInVerbs } from './signing-in.ts';
import { verb } from './verb.ts';

/** Makes the verbs of connections. @param planOf Makes the plan of an address; no verb takes a command. */
export function reachingVerbs(
  servers: InspectedServers,
  planOf: (url: URL) => ServerPlan,
  openPage: (url: string) => Promise<void>,
): readonly (readonly [string, Verb])[] {
  return [
    [
      'connect',
      verb({ server: 'text', revision: 'text?', asks: 'flag?' }, ({ server, revision = auto, asks = false }) => {
        if (revision !== auto && revisions.every(({ date }) => date !== revision))
          throw new VerbError(400, `there is no revision ${revision}`);
        void servers.get(server).connect(revision, { asks });
        return {};
      }),
    ],
    [
      'declare',
      verb({ server: 'text', declares: 'list' }, ({ server, declares }) => {
        void servers.get(server).declare(clientCapabilities.filter((name) => declares.includes(name)));
        return {};
      }),
    ],
    [
      'ping',
      verb({ server: 'text' }, async ({ server }) => {
        await servers.get(server).client.ping();
        return {};
      }),
    ],
    [
      'disconnect',
      verb({ server: 'text' }, async ({ server }) => {
        await servers.get(server).disconnect();
        return {};
      }),
    ],
    [
      'add',
      verb({ url: 'text' }, ({ url }) => {
        const server = servers.add(planOf(addressOf(url)));
        void server.connect(auto);
        return { server: server.id };
      }),
    ],
    [
      'remove',
      verb({ server: 'text' }, async ({ server }) => {
        await servers.remove(server);
        return {};
      }),
    ],
    ...signingInVerbs(servers, openPage),
    ['losses', verb({ server: 'text' }, ({ server }) => ({ losses: servers.get(server).losses() }))],
  ];
}

/** An address that was typed into the page. @throws VerbError for what is no address of a web server. */
function addressOf(text: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new VerbError(
      400,
      'give the address of a server: http:// or https://; commands are given on the command line',
    );
  return url;
}
