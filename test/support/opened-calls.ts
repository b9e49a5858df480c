/** Calls over a scripted transport, and what came of them. */

import assert from 'node:assert/strict';
import type { ConnectionError } from '../../packages/parley/src/jsonrpc/transport.ts';
import {
  scriptedTransport,
  type Script,
  type ScriptedPeer,
  type ScriptedTransport,
  type ScriptedKind,
} from '../../packages/parley/src/testing/scripted.ts';
import { OpenChannel, type Inbound } from '../../packages/parley/src/client/connection/open-channel.ts';
import type { CallOptions } from '../../packages/parley/src/connection/call-options.ts';
import type { JsonObject } from '../../packages/parley/src/protocol/features/common.ts';

interface Heard {
  readonly warnings: string[];
  readonly notifications: string[];
  readonly requests: string[];
  readonly closed: ConnectionError[];
}

/** What the tests ask of a connection. */
interface OpenedCalls {
  readonly ended: ConnectionError | undefined;
  statusOf(error: unknown): number | undefined;
  /** Sends a request, and gives its answer. */
  call(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject>;
  close(): Promise<void>;
}

interface Opened {
  readonly calls: OpenedCalls;
  readonly channel: OpenChannel;
  readonly transport: ScriptedTransport;
  readonly heard: Heard;
}

export async function opened(script: Script = () => {}, kind: ScriptedKind = 'stdio'): Promise<Opened> {
  const heard: Heard = { warnings: [], notifications: [], requests: [], closed: [] };
  const inbound: Inbound = {
    request: ({ method }) => void heard.requests.push(method),
    notification: ({ method }) => {
      heard.notifications.push(method);
      if (method === 'bad') throw new Error('listener');
    },
    warning: (message) => void heard.warnings.push(message),
    closed: (error) => void heard.closed.push(error),
  };
  const transport = scriptedTransport(kind, script);
  const channel = await OpenChannel.open(transport, inbound);
  const calls: OpenedCalls = {
    get ended() {
      return channel.ended;
    },
    statusOf: (error) => channel.statusOf(error),
    call: async (...given) => channel.connection.call(...given).answer,
    close: () => channel.close(),
  };
  return { calls, channel, transport, heard };
}

export const told = { tellCancelled: true };

export function peerOf({ transport }: Opened): ScriptedPeer {
  const [peer] = transport.peers;
  assert.ok(peer);
  return peer;
}
