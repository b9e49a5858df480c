/** What either side says of itself when a conversation begins. */

import { isServerCapability } from '../../packages/parley/src/protocol/capability.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import { clientOf } from '../support/bridged.ts';
import type { Json } from '../support/raw.ts';
import { paramsSent, scriptedUpstream } from '../support/scripted-upstream.ts';
import { openingOf } from './fields.ts';
import {
  at,
  bridgeOf,
  capabilitiesHeard,
  carried,
  changed,
  compared,
  initializeOf,
  meet,
  nothing,
  refusal,
  type Pairing,
  type Seen,
  type Walk,
  type Walks,
} from './walk.ts';

const called = { answers: { 'tools/call': { content: [] } } };

/** What a server declares, and what its client is told that it does. */
async function capabilitiesTold(pairing: Pairing, capabilities: Json): Promise<unknown> {
  const { bridge } = await meet(pairing, { capabilities });
  return (await openingOf(pairing, bridge))['capabilities'];
}

/** Carried in the same era, as the same thing elsewhere in the other. */
function byEra({ client, server }: Pairing, said: unknown, heard: unknown): Seen {
  const seen = compared(said, heard);
  return seen.kind === 'carried' && client.era !== server.era ? changed : seen;
}

const protocolVersion: Walk = async (pairing) => {
  const { t, client, server } = pairing;
  const bridge = await bridgeOf(pairing, scriptedUpstream({ up: server.date }));
  const { revision } = await clientOf(t, bridge, client.date);
  return compared(bridge.upstream.revision, revision);
};

const serverInfo: Walk = async (pairing) => {
  const { bridge } = await meet(pairing);
  const said = await openingOf(pairing, bridge);
  const heard = pairing.client.era === 'stateless' ? at(said, '_meta', metaKey.serverInfo) : said['serverInfo'];
  return byEra(pairing, { name: 'scripted', version: '1' }, heard);
};

const instructions: Walk = async (pairing) => {
  const { bridge } = await meet(pairing, { instructions: 'ask away' });
  return compared('ask away', (await openingOf(pairing, bridge))['instructions']);
};

const serverCapabilities: Walk = async (pairing) => {
  const said = {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    logging: {},
    // What is named like an extension has a line of its own.
    experimental: { own: { deep: [1] } },
  };
  const { completions: _, ...heard } = (await capabilitiesTold(pairing, said)) as Json;
  return compared(said, heard);
};

const completionsCapability: Walk = async (pairing) => {
  const said = isServerCapability(pairing.server, 'completions') ? {} : undefined;
  const told = await capabilitiesTold(pairing, { prompts: {}, ...(said === undefined ? {} : { completions: said }) });
  return compared(said, at(told, 'completions'));
};

const experimentalJunk: Walk = async (pairing) => {
  const told = await capabilitiesTold(pairing, { experimental: { 'x.example/junk': 1 } });
  return compared({ 'x.example/junk': {} }, at(told, 'experimental')).kind === 'carried' ? changed : nothing;
};

const extensions = { 'x.example/own': { deep: [1] } };

const extensionsOfServers: Walk = async (pairing) =>
  compared(extensions, at(await capabilitiesTold(pairing, { extensions }), 'extensions'));

const extensionsOfClients: Walk = async (pairing) =>
  compared(extensions, at(await capabilitiesReached(pairing, { extensions }), 'extensions'));

/** What a client declares, and what the server hears of it. */
async function capabilitiesReached(pairing: Pairing, capabilities: Json): Promise<unknown> {
  const { raw, transport } = await meet(pairing, called, { capabilities });
  await raw.result('tools/call', { name: 'any' });
  return capabilitiesHeard(pairing.server, transport);
}

/** Carried where it stood, or declared where the other revision looks for it. */
function moved(from: Revision, to: Revision, arrived: unknown): Seen {
  if (!from.experimentalExtensions) return nothing;
  const place = to.experimentalExtensions ? 'experimental' : 'extensions';
  const seen = compared(extensions, at(arrived, place));
  return seen.kind === 'carried' && place === 'extensions' ? changed : seen;
}

const experimentalOfServers: Walk = async (pairing) =>
  moved(pairing.server, pairing.client, await capabilitiesTold(pairing, { experimental: extensions }));

const experimentalOfClients: Walk = async (pairing) =>
  moved(pairing.client, pairing.server, await capabilitiesReached(pairing, { experimental: extensions }));

const clientInfo: Walk = async (pairing) => {
  const { raw, transport } = await meet(pairing, called);
  await raw.result('tools/call', { name: 'any' });
  const heard =
    pairing.server.era === 'stateless'
      ? at(paramsSent(transport, 'tools/call'), '_meta', metaKey.clientInfo)
      : at(initializeOf(transport), 'params', 'clientInfo');
  return byEra(pairing, { name: 'raw', version: '1' }, heard);
};

/** The bridge answers for itself: the server is not asked. */
const ping: Walk = async (pairing) => {
  const { raw, transport } = await meet(pairing);
  const response = await raw.ask('ping');
  if ('error' in response) return refusal(pairing.client, response['error'] as never);
  return transport.methods.includes('ping') ? carried : changed;
};

/** The walks of what is said at the beginning. */
export const openingWalks: Walks = {
  'protocol-version': protocolVersion,
  'server-info': serverInfo,
  instructions,
  'server-capabilities': serverCapabilities,
  'completions-capability': completionsCapability,
  'experimental-junk': experimentalJunk,
  'extensions-of-servers': extensionsOfServers,
  'extensions-of-clients': extensionsOfClients,
  'experimental-extensions-of-servers': experimentalOfServers,
  'experimental-extensions-of-clients': experimentalOfClients,
  'client-info': clientInfo,
  ping,
};
