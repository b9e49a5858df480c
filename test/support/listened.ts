/** A client with subscriptions to a scripted server. */

import assert from 'node:assert/strict';
import {
  scriptedTransport,
  type Script,
  type ScriptedPeer,
  type ScriptedTransport,
  type ScriptedKind,
} from '../../packages/parley/src/testing/scripted.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import type { ConnectOptions } from '../../packages/parley/src/client/api/options.ts';
import type { SubscriptionEvent, Topics } from '../../packages/parley/src/client/api/subscription.ts';
import { settling } from './settling.ts';

export const stateless = '2026-07-28';
export const handshake = '2025-11-25';
export const declared = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
};
export const idKey = 'io.modelcontextprotocol/subscriptionId';

type Filter = Readonly<Record<string, unknown>>;

export interface Listened {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly warnings: string[];
  readonly events: SubscriptionEvent[];
  readonly clock: { now: number };
  readonly heard: (event: SubscriptionEvent) => void;
  readonly peer: () => ScriptedPeer;
  /** The ids of the listen requests so far. */
  readonly ids: () => readonly unknown[];
}

interface Settings {
  readonly revision?: string;
  readonly kind?: ScriptedKind;
  readonly capabilities?: object;
  readonly options?: ConnectOptions;
}

/** Connects to a server that settles on one revision and then follows the script. */
export async function listened(
  script: Script,
  { revision = stateless, kind = 'stdio', capabilities = declared, options = {} }: Settings = {},
): Promise<Listened> {
  const transport = scriptedTransport(kind, settling(script, revision, capabilities));
  const warnings: string[] = [];
  const events: SubscriptionEvent[] = [];
  const clock = { now: 0 };
  const client = await createConnect({ http: () => transport })(transport, {
    now: () => clock.now,
    random: () => 0,
    ...options,
    onWarning: (message) => void warnings.push(message),
  });
  return {
    client,
    transport,
    warnings,
    events,
    clock,
    heard: (event) => void events.push(event),
    peer: () => {
      const peer = transport.peers.at(-1);
      assert.ok(peer);
      return peer;
    },
    ids: () =>
      transport.sent
        .filter(({ message }) => message['method'] === 'subscriptions/listen')
        .map(({ message }) => message['id']),
  };
}

export function notification(method: string, id: unknown, params: object = {}): object {
  return { jsonrpc: '2.0', method, params: { ...params, _meta: { [idKey]: id } } };
}

/** Acknowledges every listen request, wholly or as told, and leaves it open. */
export const acknowledging =
  (agreed?: Filter): Script =>
  (sent, peer) => {
    if (sent.message['method'] !== 'subscriptions/listen') return undefined;
    const { notifications } = sent.message['params'] as { readonly notifications: Filter };
    peer.send(
      notification('notifications/subscriptions/acknowledged', sent.message['id'], {
        notifications: agreed ?? notifications,
      }),
    );
    // Over HTTP sending lasts as long as the stream.
    return new Promise(() => {});
  };

export function paramsOf(one: Listened, method: string): readonly unknown[] {
  return one.transport.sent
    .filter(({ message }) => message['method'] === method)
    .map(({ message }) => message['params']);
}

export const everything: Topics = {
  tools: true,
  prompts: true,
  resources: true,
  updates: ['file:///x', 'file:///y'],
};
