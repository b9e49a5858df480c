/** A client of a scripted server that is lost, and what became of it. */

import { ConnectionError, unknownSessions } from '../../packages/parley/src/jsonrpc/transport.ts';
import {
  scriptedTransport,
  type Script,
  type ScriptedTransport,
  type ScriptedKind,
} from '../../packages/parley/src/testing/scripted.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import type { ConnectOptions } from '../../packages/parley/src/client/api/options.ts';

export const stateless = '2026-07-28';
export const handshake = '2025-11-25';
export const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} };
type Empty = Readonly<Record<string, readonly unknown[]>>;
export const content: Empty = {
  content: [],
  messages: [],
  contents: [],
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
};
export const completion: { readonly completion: Empty } = { completion: { values: [] } };

export interface Recovering {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  /** Why the connection was opened again, in order. */
  readonly reopened: string[];
  readonly ends: string[];
  readonly warnings: string[];
  readonly clock: { now: number };
  /** What was sent in a conversation, by method. */
  said(conversation: number): readonly unknown[];
}

interface Settings {
  readonly revision?: string;
  readonly kind?: ScriptedKind;
  readonly options?: ConnectOptions;
  /** Tells whether the server answers nothing that opens a connection. */
  readonly isHung?: () => boolean;
}

/** Connects to a server that settles on one revision, in every conversation, and then follows the script. */
export async function recovering(
  script: Script,
  { revision = handshake, kind = 'http', options = {}, isHung = () => false }: Settings = {},
): Promise<Recovering> {
  const transport = scriptedTransport(kind, (sent, peer) => {
    const { method } = sent.message;
    if ((method === 'server/discover' || method === 'initialize') && isHung()) return;
    if (method === 'server/discover' && revision === stateless && sent.message['id'] === 1)
      return peer.reply(sent, { supportedVersions: [stateless], capabilities, ttlMs: 0, cacheScope: 'private' });
    if (method === 'initialize')
      return peer.reply(sent, {
        protocolVersion: revision,
        capabilities,
        serverInfo: { name: `s${sent.conversation}`, version: '1' },
      });
    if (method === 'notifications/initialized') return;
    return script(sent, peer);
  });
  const reopened: string[] = [];
  const ends: string[] = [];
  const warnings: string[] = [];
  const clock = { now: 0 };
  const client = await createConnect({ http: () => transport })(transport, {
    revisions: [revision],
    now: () => clock.now,
    onReconnect: ({ reason }) => void reopened.push(reason),
    onClose: ({ reason }) => void ends.push(reason),
    onWarning: (message) => void warnings.push(message),
    ...options,
  });
  return {
    client,
    transport,
    reopened,
    ends,
    warnings,
    clock,
    said: (conversation) =>
      transport.sent.filter((sent) => sent.conversation === conversation).map(({ message }) => message['method']),
  };
}

/** A refusal of which the transport found that the server does not know the session. */
export const gone = (): never => {
  const refusal = new ConnectionError('http', 'HTTP 404', { status: 404 });
  unknownSessions.add(refusal);
  throw refusal;
};

/** A server that forgets its first session once it is told to. */
export function forgetful(): { lost: boolean; readonly script: Script } {
  const state = {
    lost: false,
    script: ((sent, peer) => {
      if (state.lost && sent.conversation === 1) return gone();
      if (sent.message['id'] !== undefined) peer.reply(sent, { ...content, ...completion });
    }) satisfies Script as Script,
  };
  return state;
}

export const requests: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'tools/list': (client) => client.listTools(),
  'resources/list': (client) => client.listResources(),
  'resources/templates/list': (client) => client.listResourceTemplates(),
  'prompts/list': (client) => client.listPrompts(),
  'resources/read': (client) => client.readResource('x:a'),
  'prompts/get': (client) => client.getPrompt('p'),
  'completion/complete': (client) => client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' }),
};
