/** A client of a scripted server that settles on one revision. */

import assert from 'node:assert/strict';
import {
  scriptedTransport,
  type Script,
  type ScriptedPeer,
  type ScriptedTransport,
  type SentMessage,
  type ScriptedKind,
} from '../../packages/parley/src/testing/scripted.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import type { ConnectOptions } from '../../packages/parley/src/client/api/options.ts';
import { settling } from './settling.ts';

export const stateless = '2026-07-28';
export const handshake = '2025-11-25';
export const everything = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} };

export interface Connected {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly warnings: string[];
  /** The server end of the latest conversation. */
  readonly peer: ScriptedPeer;
}

export interface Settings {
  readonly revision?: string;
  readonly kind?: ScriptedKind;
  readonly capabilities?: object;
  readonly options?: ConnectOptions;
}

/** Connects to a server that settles on one revision and then follows the script. */
export async function connected(
  script: Script = () => {},
  { revision = stateless, kind = 'stdio', capabilities = everything, options = {} }: Settings = {},
): Promise<Connected> {
  const transport = scriptedTransport(kind, settling(script, revision, capabilities));
  const warnings: string[] = [];
  const connect = createConnect({ http: () => transport });
  const client = await connect(transport, { ...options, onWarning: (message) => void warnings.push(message) });
  const peer = transport.peers.at(-1);
  assert.ok(peer);
  return { client, transport, warnings, peer };
}

export const replying =
  (result: Readonly<Record<string, unknown>>): Script =>
  (sent, peer) =>
    peer.reply(sent, result);

export function lastOf({ transport }: Connected): SentMessage & { readonly params: Readonly<Record<string, unknown>> } {
  const sent = transport.sent.at(-1);
  assert.ok(sent);
  // Every request of these tests has params.
  return { ...sent, params: sent.message['params'] as Readonly<Record<string, unknown>> };
}

export const text: { readonly content: readonly object[] } = { content: [{ type: 'text', text: 'hi' }] };
export const tool = (name: string, more: object = {}): { readonly name: string; readonly inputSchema: object } => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
});
