/** One cell of the fidelity table as a conversation: a client of one revision, a bridge, a server of another. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Bridge } from '../../packages/parley/src/bridge.ts';
import type { Fidelity } from '../../packages/cli/src/compatibility/fidelity.ts';
import { errorToWire, McpError, type ErrorName } from '../../packages/parley/src/protocol/error.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import type { ScriptedTransport } from '../../packages/parley/src/testing/scripted.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import type { Hops } from '../../packages/cli/src/inspect/trial/hops.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { bridgeTo } from '../support/bridged.ts';
import { heardBridge } from '../support/heard-bridge.ts';
import { open, type Json, type Raw, type RawError, type RawOptions } from '../support/raw.ts';
import { paramsSent, scriptedUpstream, type Scripted } from '../support/scripted-upstream.ts';

/** Who meets. */
export interface Pairing {
  readonly t: TestContext;
  readonly client: Revision;
  readonly server: Revision;
  /** Hears what crosses, so that the lens can be held against it. */
  readonly hops: Hops;
}

/** What was seen of a feature, in the words of the table. */
export type Seen =
  | { readonly kind: 'carried' | 'nothing' | 'changed' }
  | { readonly kind: 'refused'; readonly error: string };

/** Holds the conversation of one cell, and says what was seen. */
export type Walk = (pairing: Pairing) => Promise<Seen>;

/** Walks by the id of their feature. */
export type Walks = Readonly<Record<string, Walk>>;

export const carried: Seen = { kind: 'carried' };
export const nothing: Seen = { kind: 'nothing' };
export const changed: Seen = { kind: 'changed' };

/** What a cell says should be seen. */
export function expected(cell: Fidelity): Seen {
  if (cell.kind === 'refused') return { kind: 'refused', error: cell.error };
  return cell.kind === 'carried' && cell.nothing !== undefined ? nothing : { kind: cell.kind };
}

/** What became of a value: `undefined` stands for one that is not there. */
export function compared(said: unknown, heard: unknown): Seen {
  if (said === undefined && heard === undefined) return nothing;
  return isEqual(said, heard) ? carried : changed;
}

function isEqual(one: unknown, another: unknown): boolean {
  try {
    assert.deepEqual(one, another);
    return true;
  } catch {
    return false;
  }
}

/** A raw client, a bridge and a scripted server that met. */
export interface Met {
  readonly raw: Raw;
  readonly bridge: Bridge;
  readonly transport: ScriptedTransport;
}

/** Puts the bridge of a cell before its server; both of its hops are heard. */
export async function bridgeOf({ t, hops }: Pairing, upstream: Transport): Promise<Bridge> {
  return heardBridge(await bridgeTo(t, hops.hear('server', upstream)), hops);
}

/** The same before a server in memory. */
export function bridgeBeforeServer(pairing: Pairing, served: Servable): Promise<Bridge> {
  return bridgeOf(pairing, memoryTransport(served));
}

/** Lets a raw client meet a scripted server. */
export async function meet(
  pairing: Pairing,
  script: Omit<Scripted, 'up'> = {},
  options: RawOptions = {},
): Promise<Met> {
  const { client, server } = pairing;
  const transport = scriptedUpstream({ up: server.date, ...script });
  const bridge = await bridgeOf(pairing, transport);
  return { raw: await open(bridge, client.date, options), bridge, transport };
}

const names: readonly ErrorName[] = ['methodNotFound', 'invalidParams', 'internalError', 'invalidRequest'];

/** An error that was sent in a revision, by the protocol's name for its code; what is missing shows in its data. */
export function refusal(revision: Revision, { code, data }: RawError): Seen {
  const missing: ErrorName = 'missingRequiredClientCapability';
  const known = at(data, 'requiredCapabilities') === undefined ? names : [missing];
  const name = known.find((one) => errorToWire(revision, new McpError(one, '')).code === code);
  return { kind: 'refused', error: name ?? String(code) };
}

/** What the conversation of the last call was told that the client can do. */
export function capabilitiesHeard(server: Revision, transport: ScriptedTransport): unknown {
  if (server.era === 'stateless') return at(paramsSent(transport, 'tools/call'), '_meta', metaKey.clientCapabilities);
  return at(initializeOf(transport), 'params', 'capabilities');
}

/** The `initialize` of the conversation in which the last tool was called. */
export function initializeOf(transport: ScriptedTransport): Json | undefined {
  const call = transport.sent.findLast(({ message }) => message['method'] === 'tools/call');
  return transport.sent.find(
    ({ message, conversation }) => message['method'] === 'initialize' && conversation === call?.conversation,
  )?.message;
}

/** A field of a JSON object. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((held, key) => Object(held)[key], value);
}

/** A JSON object as it travels. */
export function wire(value: object): Json {
  // What comes out of JSON.parse of an object's text is an object.
  return JSON.parse(JSON.stringify(value)) as Json;
}
