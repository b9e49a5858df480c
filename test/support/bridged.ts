/** A bridge between one server of ours and clients of ours, each at a revision of its own. */

import type { TestContext } from 'node:test';
import { createBridge, type Bridge, type BridgeOptions } from '../../packages/parley/src/bridge.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import {
  ConnectionError,
  type Channel,
  type Receiver,
  type Transport,
} from '../../packages/parley/src/jsonrpc/transport.ts';
import { factsOf } from '../../packages/parley/src/jsonrpc/transport-facts.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { revisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server/server.ts';
import type { ServerOptions } from '../../packages/parley/src/server/definition/options.ts';
import { connectInMemory, type PairOptions } from '../../packages/parley/src/testing/pair.ts';

/** Two revisions that a bridge stands between. */
export interface Pair {
  /** That of the client. */
  readonly down: RevisionDate;
  /** That of the server. */
  readonly up: RevisionDate;
}

/** Every revision with every other, and with itself. */
export const pairs: readonly Pair[] = revisions.flatMap(({ date: down }) =>
  revisions.map(({ date: up }) => ({ down, up })),
);

/** Whether a revision begins with `initialize`. */
export function shakesHands(date: RevisionDate): boolean {
  return revisions.some((revision) => revision.date === date && revision.era === 'handshake');
}

/** A server that speaks one revision alone. */
export function serverAt(date: RevisionDate, options: ServerOptions = {}): Server {
  return createServer(
    { name: 'upstream', version: '1.0.0' },
    { revisions: [date], onError: () => undefined, ...options },
  );
}

/** How a bridge is made for a test; it complains to nobody. */
export type QuietOptions = Partial<BridgeOptions> & { readonly warnings?: string[]; readonly errors?: unknown[] };

/** Puts a bridge in front of a transport until the test is over. */
export async function bridgeTo(
  t: Pick<TestContext, 'after'>,
  upstream: Transport,
  options: QuietOptions = {},
): Promise<Bridge> {
  const { warnings, errors, ...rest } = options;
  const bridge = await createBridge({
    upstream,
    onWarning: (message) => void warnings?.push(message),
    onError: (error) => void errors?.push(error),
    ...rest,
  });
  t.after(() => bridge.close());
  return bridge;
}

/** Puts a bridge in front of a server in memory until the test is over. */
export function bridgeBefore(t: Pick<TestContext, 'after'>, served: Servable, options?: QuietOptions): Promise<Bridge> {
  return bridgeTo(t, memoryTransport(served), options);
}

/** Connects to a bridge in memory until the test is over. */
export async function clientOf(
  t: Pick<TestContext, 'after'>,
  bridge: Servable,
  down: RevisionDate,
  options: PairOptions = {},
): Promise<Client> {
  const client = await connectInMemory(bridge, { ...options, revision: down });
  t.after(() => client.close());
  return client;
}

/** A transport that counts its conversations and can break them off. */
export interface Line {
  readonly transport: Transport;
  /** How many conversations are open now. */
  readonly open: number;
  /** How many were opened so far. */
  readonly opened: number;
  /** Ends every open conversation, as a server does that dies. */
  cut(): void;
  /** Ends the conversation that was opened last. */
  cutLast(): void;
  /** From now on, or until `false`, nothing can be opened. */
  down: boolean;
}

/** Watches over a transport. */
export function lineOver(transport: Transport): Line {
  const open = new Set<{ readonly receiver: Receiver; readonly channel: Channel }>();
  const cutOff = (entry: { readonly receiver: Receiver; readonly channel: Channel }): void => {
    open.delete(entry);
    void entry.channel.close();
    entry.receiver.closed(new ConnectionError('exited', 'the server exited'));
  };
  const line = {
    opened: 0,
    down: false,
    get open() {
      return open.size;
    },
    cut() {
      for (const entry of open) cutOff(entry);
    },
    cutLast() {
      for (const entry of [...open].slice(-1)) cutOff(entry);
    },
    transport: {
      ...factsOf(transport),
      async open(receiver: Receiver): Promise<Channel> {
        if (line.down) throw new ConnectionError('refused', 'the server cannot be started');
        const channel = await transport.open(receiver);
        const entry = { receiver, channel };
        open.add(entry);
        line.opened++;
        return {
          send: (message, options) => channel.send(message, options),
          ...(channel.setHeaders && { setHeaders: (headers) => channel.setHeaders?.(headers) }),
          ...(channel.listen && { listen: async () => (await channel.listen?.()) ?? true }),
          close: async () => {
            open.delete(entry);
            await channel.close();
          },
        };
      },
    },
  };
  return line;
}
