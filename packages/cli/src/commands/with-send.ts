import type { Channel } from '../../../parley/src/jsonrpc/transport.ts';

/** The same conversation, whose messages are sent in another way. */
export function withSend(channel: Channel, send: Channel['send']): Channel {
  return {
    send,
    ...(channel.setHeaders && { setHeaders: (headers) => channel.setHeaders?.(headers) }),
    ...(channel.listen && { listen: async () => (await channel.listen?.()) ?? true }),
    ...(channel.pid === undefined ? {} : { pid: channel.pid }),
    close: () => channel.close(),
  };
}
