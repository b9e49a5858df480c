/** A client of our own, connected to a server that is a function: what the client sends can be looked at. */

import assert from 'node:assert/strict';
import { connect, type Client, type ConnectOptions } from '../../packages/parley/src/client.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import {
  scriptedTransport,
  type Script,
  type ScriptedPeer,
  type ScriptedTransport,
} from '../../packages/parley/src/testing.ts';
import type { ScriptedKind } from '../../packages/parley/src/testing/scripted.ts';

export interface Scripted {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  /** The server end of the conversation. */
  readonly peer: ScriptedPeer;
  readonly warnings: readonly string[];
}

export interface ScriptedOptions {
  /** The only revision that the server speaks. */
  readonly date: RevisionDate;
  readonly kind?: ScriptedKind;
  readonly capabilities?: object;
  readonly serverInfo?: object;
  readonly connect?: ConnectOptions;
}

/** What a server that has everything declares. */
export const everything = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} };

/** Plays the server up to where the conversation is open, and then as the script says. */
export function opening(script: Script, { date, capabilities = everything, serverInfo }: ScriptedOptions): Script {
  const info = serverInfo ?? { name: 's', version: '1' };
  const stateless = date === '2026-07-28';
  return (sent, peer) => {
    const { method } = sent.message;
    if (method === 'server/discover' && stateless) {
      const _meta = { 'io.modelcontextprotocol/serverInfo': info };
      return peer.reply(sent, { supportedVersions: [date], capabilities, ttlMs: 0, cacheScope: 'private', _meta });
    }
    if (method === 'server/discover') return peer.refuse(sent, { code: -32601, message: 'no such method' }, 404);
    if (method === 'initialize') return peer.reply(sent, { protocolVersion: date, capabilities, serverInfo: info });
    if (method === 'notifications/initialized') return;
    return script(sent, peer);
  };
}

/** Connects a client to a scripted server. */
export async function connectScripted(script: Script, options: ScriptedOptions): Promise<Scripted> {
  const transport = scriptedTransport(options.kind ?? 'stdio', opening(script, options));
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const client = await connect(transport, { ...options.connect, onWarning });
  const peer = transport.peers.at(-1);
  assert.ok(peer);
  return { client, transport, peer, warnings };
}

/** A script that answers every request with the same result. */
export function replying(result: Readonly<Record<string, unknown>>): Script {
  return (sent, peer) => {
    if (sent.message['id'] !== undefined) peer.reply(sent, result);
  };
}
