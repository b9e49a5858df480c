import { settledWithin } from '../../jsonrpc/timeout.ts';
import type { Channel, Transport } from '../../jsonrpc/transport.ts';
import { wordsOf } from '../failure.ts';
import { factsOf } from '../../jsonrpc/transport-facts.ts';

/**
 * Time that a connection may take to close, in milliseconds; a child with the default patience takes six seconds at
 * most.
 */
export const closingMs = 10_000;

/**
 * A transport whose conversations always end in time. Failures to close are reported, and callers do not wait for them.
 * A slow close may still finish later.
 */
export function closingQuietly(transport: Transport, onError: (error: unknown, where: string) => void): Transport {
  const ends = new Set<Promise<void>>();
  const quiet: Transport = {
    ...factsOf(transport),
    ...(transport.authorization && { authorization: transport.authorization }),
    open: async (receiver) => {
      const channel = await transport.open(receiver);
      let ending: Promise<void> | undefined;
      const end = async (): Promise<void> => {
        try {
          await inTime(close(channel));
        } catch (error) {
          onError(error, `closing the connection to ${transport.description}`);
        }
      };
      return closedBy(channel, async () => {
        if (ending === undefined) {
          ending = end().finally(() => void ends.delete(ending as Promise<void>));
          ends.add(ending);
        }
        await ending;
      });
    },
  };
  endings.set(quiet, ends);
  return quiet;
}

/** Conversations of a transport that are about to end. */
const endings = new WeakMap<object, ReadonlySet<Promise<void>>>();

/**
 * Waits until closed connections have ended: a client that fails to connect does not wait for the process that it
 * started.
 */
export async function ended(way: Transport | URL | string): Promise<void> {
  const ends = typeof way === 'object' ? endings.get(way) : undefined;
  if (ends !== undefined) await Promise.all(ends);
}

/** Closes a connection; it never rejects, nor does it take for ever. */
export async function closedInTime(
  upstream: { close(): Promise<void> },
  onWarning: (message: string) => void,
): Promise<void> {
  const ending = upstream.close().catch((error: unknown) => {
    onWarning(`a connection to the upstream was not closed well: ${wordsOf(error)}`);
  });
  if (!(await settledWithin(closingMs, ending))) onWarning(`a connection to the upstream does not close`);
}

/** Closes a channel; an error that it throws at once comes as a rejection as well. */
async function close(channel: Channel): Promise<void> {
  await channel.close();
}

async function inTime(closing: Promise<void>): Promise<void> {
  if (!(await settledWithin(closingMs, closing))) throw new Error(`it was not closed within ${closingMs} ms`);
  await closing;
}

/** The same channel with another close function. */
export function closedBy(channel: Channel, closed: () => Promise<void>): Channel {
  return {
    send: (message, options) => channel.send(message, options),
    ...(channel.setHeaders && { setHeaders: (headers) => channel.setHeaders?.(headers) }),
    ...(channel.listen && { listen: async () => (await channel.listen?.()) ?? true }),
    close: closed,
  };
}
