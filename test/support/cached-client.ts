/** A client of a scripted stateless server, with a clock for its cache. */

import {
  scriptedTransport,
  type Script,
  type ScriptedTransport,
  type SentMessage,
} from '../../packages/parley/src/testing/scripted.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import type { ConnectOptions } from '../../packages/parley/src/client/api/options.ts';

const date = '2026-07-28';
export const capabilities = { tools: {}, resources: {}, prompts: {} };

export interface Cached {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly clock: { now: number };
  readonly warnings: string[];
  /** How often a method was asked. */
  count(method: string): number;
  notify(method: string, params?: object): void;
}

/** Connects to a stateless server whose answers are a function; the first answer settles the revision. */
export async function cached(answer: Script, options: ConnectOptions = {}, url?: string): Promise<Cached> {
  const transport = scriptedTransport(url === undefined ? 'stdio' : 'http', (sent, peer) =>
    sent.message['method'] === 'server/discover'
      ? peer.reply(sent, { supportedVersions: [date], capabilities, ttlMs: 60, cacheScope: 'public' })
      : answer(sent, peer),
  );
  const clock = { now: 0 };
  const warnings: string[] = [];
  const client = await createConnect({ http: () => transport })(url ?? transport, {
    now: () => clock.now,
    onWarning: (message) => void warnings.push(message),
    ...options,
  });
  return {
    client,
    transport,
    clock,
    warnings,
    count: (method) => transport.methods.filter((name) => name === method).length,
    notify: (method, params) => transport.peers.at(-1)?.send({ jsonrpc: '2.0', method, ...(params && { params }) }),
  };
}

export const cursorOf = ({ message }: SentMessage): unknown =>
  (message['params'] as { readonly cursor?: string }).cursor;
export const uriOf = ({ message }: SentMessage): unknown => (message['params'] as { readonly uri?: string }).uri;
export const tool = (name: string): { readonly name: string; readonly inputSchema: object } => ({
  name,
  inputSchema: { type: 'object' },
});

/** Every list has one entry, named by how often it was asked for; every resource says the same. */
export function counting(hint: object = { ttlMs: 100, cacheScope: 'private' }): Script {
  let asked = 0;
  return (sent, peer) => {
    const name = String(++asked);
    const entry = { name, uri: `x:${name}`, uriTemplate: `x:{${name}}`, inputSchema: { type: 'object' } };
    peer.reply(sent, {
      tools: [entry],
      prompts: [entry],
      resources: [entry],
      resourceTemplates: [entry],
      contents: [{ uri: uriOf(sent), text: name }],
      content: [],
      ...hint,
    });
  };
}

export const names = (items: readonly { readonly name: string }[]): readonly string[] => items.map(({ name }) => name);
