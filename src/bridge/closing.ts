import type { Channel, Transport } from '../jsonrpc/transport.ts';

/** A transport whose conversations always come to their end: what goes wrong with that is told, and nobody waits for it. */
export function closingQuietly(transport: Transport, onError: (error: unknown, where: string) => void): Transport {
  return {
    kind: transport.kind,
    description: transport.description,
    open: async (receiver) => {
      const channel = await transport.open(receiver);
      return closedBy(channel, async () => {
        try {
          await channel.close();
        } catch (error) {
          onError(error, `closing the connection to ${transport.description}`);
        }
      });
    },
  };
}

/** The same channel with another way to close it. */
export function closedBy(channel: Channel, close: () => Promise<void>): Channel {
  return {
    send: (message, options) => channel.send(message, options),
    ...(channel.setHeaders && { setHeaders: (headers) => channel.setHeaders?.(headers) }),
    ...(channel.listen && { listen: async () => (await channel.listen?.()) ?? true }),
    close,
  };
}
