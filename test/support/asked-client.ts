/** A client that a scripted server of one revision asks, and what it is asked for. */

import assert from 'node:assert/strict';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import {
  scriptedTransport,
  type Script,
  type ScriptedPeer,
  type ScriptedTransport,
} from '../../packages/parley/src/testing/scripted.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import type { ConnectOptions } from '../../packages/parley/src/client/api/options.ts';
import { turns } from './turns.ts';

export const stateless = '2026-07-28';
export const handshakes: readonly string[] = revisions.filter(({ era }) => era === 'handshake').map(({ date }) => date);
export const newest = '2025-11-25';

type Answer = Readonly<Record<string, unknown>>;

interface Connected {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly peer: ScriptedPeer;
  readonly warnings: string[];
  /** What the client declared: in `initialize`, or in the latest request. */
  declared(): unknown;
  /** Sends a request as the server, and gives the answer. */
  ask(method: string, params?: unknown): Promise<Answer>;
}

/** Connects to a server of one revision. */
export async function connected(
  revision: string,
  options: ConnectOptions = {},
  script: Script = (sent, peer) => peer.reply(sent, { content: [] }),
): Promise<Connected> {
  const transport = scriptedTransport('stdio', (sent, peer) => {
    const { method, id } = sent.message;
    const serverInfo = { name: 's', version: '1' };
    if (method === 'initialize')
      return peer.reply(sent, { protocolVersion: revision, capabilities: { tools: {} }, serverInfo });
    if (method === 'server/discover')
      return peer.reply(sent, { supportedVersions: [stateless], capabilities: { tools: {} } });
    if (typeof method === 'string' && id !== undefined) return script(sent, peer);
  });
  const warnings: string[] = [];
  const connect = createConnect({ http: () => transport });
  const client = await connect(transport, {
    ...options,
    revisions: [revision],
    onWarning: (message, cause) => void warnings.push(`${message}: ${String(cause)}`),
  });
  const peer = transport.peers[0];
  assert.ok(peer);
  let asked = 0;
  return {
    client,
    transport,
    peer,
    warnings,
    declared() {
      const own = transport.sent.find(({ message }) => message['method'] === 'initialize')?.message['params'];
      const latest = transport.sent.findLast(({ message }) => message['params'] !== undefined)?.message['params'];
      // Both carry what the client declares.
      return own === undefined
        ? (latest as { _meta: Answer })._meta['io.modelcontextprotocol/clientCapabilities']
        : (own as Answer)['capabilities'];
    },
    async ask(method, params) {
      const id = `s${++asked}`;
      peer.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
      await turns();
      const answer = transport.sent.find(({ message }) => message['id'] === id)?.message;
      assert.ok(answer, `${method} was not answered`);
      return answer;
    },
  };
}

export const codeOf = (answer: Answer): unknown => (answer['error'] as { readonly code: number } | undefined)?.code;
export const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
export const form: { readonly message: string; readonly requestedSchema: typeof name } = {
  message: 'Who?',
  requestedSchema: name,
};
export const page = { mode: 'url', message: 'Pay', url: 'https://pay.example/1', elicitationId: 'e1' };
export const chat: { readonly messages: readonly Answer[]; readonly maxTokens: number } = {
  messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
  maxTokens: 5,
};
export const everything: ConnectOptions = {
  onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  onElicitUrl: () => 'accept',
  onSample: () => 'hello',
  roots: [{ uri: 'file:///a' }],
};
