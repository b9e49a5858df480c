/** Calls over a scripted transport, and what came of them. */

import assert from 'node:assert/strict';
import type { ConnectionError } from '../../src/jsonrpc/transport.ts';
import {
  scriptedTransport,
  type Script,
  type ScriptedPeer,
  type ScriptedTransport,
  type ScriptedKind,
} from '../../src/testing/scripted.ts';
import { Calls, type Inbound } from '../../src/peer/calls.ts';

interface Heard {
  readonly warnings: string[];
  readonly notifications: string[];
  readonly requests: string[];
  readonly closed: ConnectionError[];
}

interface Opened {
  readonly calls: Calls;
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
  return { calls: await Calls.open(transport, inbound), transport, heard };
}

export const told = { tellCancelled: true };

export function peerOf({ transport }: Opened): ScriptedPeer {
  const [peer] = transport.peers;
  assert.ok(peer);
  return peer;
}
