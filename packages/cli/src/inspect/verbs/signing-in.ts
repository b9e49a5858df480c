/** Verbs by which a person signs in, step by step, and sees to the login that came of it. */

import type { Verb } from '../http/listen.ts';
import type { InspectedServers } from '../servers/servers.ts';
import { verb } from './verb.ts';

/** Makes the verbs of logins; to sign in is a wish of `connect`. */
export function signingInVerbs(
  servers: InspectedServers,
  openPage: (url: string) => Promise<void>,
): readonly (readonly [string, Verb])[] {
  return [
    ['sign-in-page', verb({ server: 'text' }, ({ server }) => ({ url: servers.get(server).signIns.page() }))],
    [
      'open-sign-in',
      verb({ server: 'text' }, async ({ server }) => {
        await openPage(servers.get(server).signIns.page());
        return {};
      }),
    ],
    [
      'pause-sign-in',
      verb({ server: 'text', on: 'flag' }, ({ server, on }) => {
        servers.get(server).pause(on);
        return {};
      }),
    ],
    [
      'go-on',
      verb({ server: 'text', step: 'number' }, ({ server, step }) => {
        servers.get(server).signIns.goOn(step);
        return {};
      }),
    ],
    [
      'refresh',
      verb({ server: 'text' }, async ({ server }) => {
        await servers.get(server).signIns.refresh();
        return {};
      }),
    ],
    [
      'sign-out',
      verb({ server: 'text' }, async ({ server: id }) => {
        const server = servers.get(id);
        await server.disconnect();
        return { revoked: (await server.signIns.signOut()) ?? null };
      }),
    ],
    [
      'forget',
      verb({ server: 'text' }, async ({ server: id }) => {
        const server = servers.get(id);
        await server.disconnect();
        await server.signIns.forget();
        return {};
      }),
    ],
  ];
}
