/** The walks of fields and values that the tables know: by the message that carries them. */

import assert from 'node:assert/strict';
import type { Bridge } from '../../packages/parley/src/bridge.ts';
import { arrives, canSay, specimens, type Example } from '../../packages/cli/src/compatibility/adaptations.ts';
import { ends, exists } from '../../packages/cli/src/compatibility/cells.ts';
import { elsewhere, fieldFacts, type FieldFact } from '../../packages/cli/src/compatibility/fields.ts';
import { madeUp } from '../../packages/cli/src/compatibility/by-bridge.ts';
import { throughLens } from '../../packages/cli/src/compatibility/lens.ts';
import { isAlive } from '../../packages/parley/src/protocol/lifetime.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { methodOf } from '../../packages/parley/src/protocol/catalogue.ts';
import { carrierOf, type Carrier } from '../../packages/parley/src/protocol/reach.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import { kindOf, nameOf } from '../../packages/parley/src/protocol/shape.ts';
import { initializeParams, Raw, type Json, type RawError } from '../support/raw.ts';
import { paramsSent } from '../support/scripted-upstream.ts';
import { ask } from './question.ts';
import { held, holding, sample, sampleOf } from './sample.ts';
import {
  at,
  capabilitiesHeard,
  compared,
  meet,
  nothing,
  refusal,
  wire,
  type Pairing,
  type Seen,
  type Walk,
  type Walks,
} from './walk.ts';

/** One walk for each field and each value that has a line of its own. */
export const tableWalks: Walks = Object.fromEntries([
  ...[...fieldFacts]
    .filter(([, fact]) => elsewhere(fact) === undefined)
    .map(([id, fact]): [string, Walk] => [id, fieldWalk(fact)]),
  ...[...specimens].map(([id, specimen]): [string, Walk] => [id, valueWalk(specimen)]),
]);

/** What came of a value at the root of a carrier. */
type Arrival = { readonly value: unknown } | { readonly seen: Seen };

function fieldWalk({ shape, field, row, carrier }: FieldFact): Walk {
  return async (pairing) => {
    const { client, server } = pairing;
    const { sender, receiver } = ends(carrier.direction, client, server);
    if (!isAlive(shape.life, sender)) return nothing;
    const alive = isAlive(row.life, sender);
    const said = alive ? sample(row.kind, sender, field) : undefined;
    const leaf = { ...sampleOf(shape, sender), ...(alive ? { [field]: said } : {}) };
    const arrival = await deliver(pairing, carrier, holding(carrier, sender, leaf));
    if ('seen' in arrival) return isAlive(shape.life, receiver) ? arrival.seen : nothing;
    const heard = Object(held(carrier, arrival.value))[field];
    const seen = compared(said, heard);
    if (seen.kind === 'changed') assert.equal(heard, undefined, `${field} arrived as ${JSON.stringify(heard)}`);
    return seen;
  };
}

function valueWalk(specimen: Example): Walk {
  const carrier = carrierOf(nameOf(specimen.type));
  assert.ok(carrier);
  return async (pairing) => {
    const { sender, receiver } = ends(carrier.direction, pairing.client, pairing.server);
    if (!canSay(sender, specimen)) return nothing;
    const arrival = await deliver(pairing, carrier, holding(carrier, sender, specimen.value));
    if ('seen' in arrival) return arrival.seen;
    const value = held(carrier, arrival.value);
    const heard = Object.fromEntries(Object.entries(Object(value)).filter(([key]) => !added.has(key)));
    const seen = compared(specimen.value, heard);
    if (seen.kind === 'changed') assert.deepEqual(heard, arrives(specimen, sender, receiver));
    return seen;
  };
}

/** What the scripted server and the bridge add to a result. */
const added: ReadonlySet<string> = new Set(['resultType', 'ttlMs', 'cacheScope', '_meta']);

/** Sends a value from one side to the other, in the message that carries it. */
async function deliver(pairing: Pairing, carrier: Carrier, value: unknown): Promise<Arrival> {
  const arrival = await sent(pairing, carrier, value);
  holdLens(pairing, { carrier, value, arrival });
  return arrival;
}

async function sent(pairing: Pairing, carrier: Carrier, value: unknown): Promise<Arrival> {
  const { method, part, direction } = carrier;
  if (method === 'opening')
    return part === 'serverInfo' || direction === 'down' ? opened(pairing, carrier, value) : declared(pairing, value);
  if (methodOf(method)?.kind === 'notification') return told(pairing, carrier, value);
  if (methodOf(method)?.from === 'server') return asked(pairing, carrier, value);
  return direction === 'down' ? answered(pairing, carrier, value) : requested(pairing, carrier, value);
}

/** The lens shows what the bridge made of it: the same value, or that there is none. */
function holdLens(
  { client, server }: Pairing,
  { carrier, value, arrival }: { readonly carrier: Carrier; readonly value: unknown; readonly arrival: Arrival },
): void {
  const { method, part, direction } = carrier;
  if (method === 'opening' || (part !== 'params' && part !== 'result')) return;
  const from = direction === 'up' ? 'client' : 'server';
  const lens = throughLens({ method, part, from, value }, { client, server });
  const text = `${method} ${part} of ${JSON.stringify(value)}, lens: ${JSON.stringify(lens)}, ${JSON.stringify(arrival)}`;
  if ('value' in arrival && arrival.value !== undefined) {
    assert.equal(lens.kind, 'arrives', text);
    const shown = 'value' in lens ? wire(Object(lens.value)) : {};
    const isMade = shown['elicitationId'] === madeUp;
    const arrived = { ...Object(arrival.value), ...(isMade ? { elicitationId: madeUp } : {}) };
    assert.deepEqual(ownFields(arrived), ownFields(shown), text);
  } else assert.notEqual(lens.kind, 'arrives', text);
}

/** Fields without those that each hop has of its own. */
function ownFields(value: unknown): Json {
  const hop = new Set([...added, 'progressToken']);
  return Object.fromEntries(Object.entries(Object(value)).filter(([key]) => !hop.has(key)));
}

/** The smallest parameters or result of a method. */
export function smallest(method: string, part: 'params' | 'result', revision: Revision): Json {
  const type = methodOf(method)?.[part];
  if (type === undefined) return {};
  // Parameters and results are objects.
  return sample(kindOf(type), revision) as Json;
}

async function answered(pairing: Pairing, { method }: Carrier, value: unknown): Promise<Arrival> {
  const { raw } = await meet(pairing, { answers: { [method]: value as Json } });
  return { value: await raw.result(method, smallest(method, 'params', pairing.client)) };
}

async function requested(pairing: Pairing, { method }: Carrier, value: unknown): Promise<Arrival> {
  const { raw, transport } = await meet(pairing, { answers: { [method]: smallest(method, 'result', pairing.server) } });
  await raw.result(method, value as Json);
  return { value: paramsSent(transport, method) };
}

/** A notification while a call runs. */
async function told(pairing: Pairing, { method }: Carrier, value: unknown): Promise<Arrival> {
  const { raw } = await meet(pairing, {
    answers: {
      'tools/call': (sent, peer) => {
        const token = at(sent.message, 'params', '_meta', 'progressToken');
        peer.send({ jsonrpc: '2.0', method, params: { ...Object(value), progressToken: token } });
        peer.reply(sent, { content: [], resultType: 'complete' });
      },
    },
  });
  await raw.result('tools/call', { name: 'any', _meta: { progressToken: 'mine' } });
  return { value: raw.take().find((message) => message['method'] === method)?.['params'] };
}

/** What a server says of itself when a conversation begins. */
async function opened(pairing: Pairing, { part }: Carrier, value: unknown): Promise<Arrival> {
  const { client } = pairing;
  const { bridge } = await meet(
    pairing,
    part === 'serverInfo' ? { serverInfo: value as Json } : { capabilities: value as Json },
  );
  const said = await openingOf(pairing, bridge);
  if (part === 'capabilities') return { value: said['capabilities'] };
  return { value: client.era === 'handshake' ? said['serverInfo'] : at(said, '_meta', metaKey.serverInfo) };
}

/** The answer that opens a conversation with a bridge, in a conversation of its own. */
export async function openingOf({ client }: Pairing, bridge: Bridge): Promise<Json> {
  const stateless = client.era === 'stateless';
  const raw = new Raw(bridge, stateless);
  return stateless ? raw.result('server/discover') : raw.result('initialize', initializeParams(client.date));
}

/** What a client declares, as the server hears it when it is called. */
async function declared(pairing: Pairing, value: unknown): Promise<Arrival> {
  const { raw, transport } = await meet(
    pairing,
    { answers: { 'tools/call': { content: [] } } },
    { capabilities: value as Json },
  );
  await raw.result('tools/call', { name: 'any' });
  return { value: capabilitiesHeard(pairing.server, transport) };
}

async function asked(pairing: Pairing, { method, part }: Carrier, value: unknown): Promise<Arrival> {
  const { client, server } = pairing;
  if (!exists(method, server)) return { seen: nothing };
  const answer = exists(method, client) ? smallest(method, 'result', client) : {};
  const question =
    part === 'params'
      ? { method, params: value as Json, answer }
      : { method, params: smallest(method, 'params', server), answer: value as Json };
  const { questions, answers, error } = await ask(pairing, [[question]]);
  if (part === 'params' && questions.length > 0) return { value: questions[0]?.['params'] };
  if (!exists(method, client)) return { seen: nothing };
  if (error !== undefined) return { seen: refusal(client, error) };
  const [heard] = answers;
  // An error in place of the answer: the question was refused, and its server is told why.
  if (heard !== undefined && 'error' in heard) return { seen: refusal(server, heard['error'] as RawError) };
  return { value: heard };
}
