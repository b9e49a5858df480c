/** A client of a scripted server that needs input first, and what such a server asks for. */

import fc from 'fast-check';
import {
  scriptedTransport,
  type Script,
  type ScriptedTransport,
  type SentMessage,
} from '../../packages/parley/src/testing/scripted.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import type { ConnectOptions } from '../../packages/parley/src/client/api/options.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Connected {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  /** The params of every request after discovery, without `_meta`. */
  params(): readonly Json[];
}

const everything = { tools: {}, resources: {}, prompts: {} };

export async function connected(
  script: Script,
  options: ConnectOptions = {},
  revision: string = '2026-07-28',
): Promise<Connected> {
  const transport = scriptedTransport('stdio', (sent, peer) => {
    const { method } = sent.message;
    if (method === 'server/discover')
      return peer.reply(sent, { supportedVersions: [revision], capabilities: everything });
    if (method === 'initialize')
      return peer.reply(sent, {
        protocolVersion: revision,
        capabilities: everything,
        serverInfo: { name: 's', version: '1' },
      });
    if (method !== 'notifications/initialized') return script(sent, peer);
  });
  const connect = createConnect({ http: () => transport });
  const client = await connect(transport, { ...options, revisions: [revision] });
  return {
    client,
    transport,
    params: () =>
      requests(transport).map(({ message }) => {
        const { _meta, ...rest } = message['params'] as Json;
        return rest;
      }),
  };
}

export function requests(transport: ScriptedTransport): readonly SentMessage[] {
  return transport.sent.filter(
    ({ message }) => message['id'] !== undefined && !/discover|initialize/.test(String(message['method'])),
  );
}

/** Replies with one result after the other; the last one again and again. */
export function replies(...results: readonly Json[]): Script {
  let next = 0;
  return (sent, peer) => peer.reply(sent, results[Math.min(next++, results.length - 1)] ?? {});
}

export const done: { readonly content: readonly Json[] } = { content: [{ type: 'text', text: 'done' }] };
const requestedSchema = { type: 'object', properties: { ok: { type: 'boolean', default: true } } };
export const confirm: { readonly method: string; readonly params: Json } = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema },
};
export const visit = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Pay', url: 'https://pay.example/' },
};
export const think: { readonly method: string; readonly params: Json } = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: '?' } }], maxTokens: 1 },
};
export const where = { method: 'roots/list' };
export const asking = (inputRequests: Json, more: Json = {}): Json => ({
  resultType: 'input_required',
  inputRequests,
  ...more,
});
export const accepted = { action: 'accept', content: { ok: true } };
export const handlers: ConnectOptions = {
  onElicit: () => 'accept',
  onElicitUrl: () => 'accept',
  onSample: () => 'hm',
  roots: [{ uri: 'file:///a' }],
};
export const key: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom('__proto__', 'constructor'),
);
