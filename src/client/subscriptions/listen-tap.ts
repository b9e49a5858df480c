import { isObject, type Message, type RequestId } from '../../jsonrpc/message.ts';
import type { Channel, Receiver, SendOptions, Transport } from '../../jsonrpc/transport.ts';
import { factsOf } from '../../jsonrpc/transport-facts.ts';
import { metaKey } from '../../protocol/meta.ts';

/** Who must know of listen requests before anybody else does. */
export interface ListenTap {
  /** A listen request goes out; the server will name its subscription by this id. */
  opened(id: RequestId): void;
  /** Something came that does not belong on a listen stream; nobody else hears of it. */
  misplaced(method: string): void;
}

/**
 * Sees to what is special about `subscriptions/listen` on its way: its id names the subscription, the server may end
 * it by a cancellation, and progress and log messages have no place on it. (Spec 2026-07-28, Subscriptions;
 * Cancellation; Streamable HTTP, Receiving Messages.)
 */
export function tapListens(transport: Transport, tap: ListenTap): Transport {
  return {
    ...factsOf(transport),
    async open(receiver) {
      const open = new Set<unknown>();
      const channel = await transport.open(tapReceiver(receiver, { open, tap }));
      return tapChannel(channel, { open, tap });
    },
  };
}

interface Tapped {
  /** The ids of the listen requests in flight. */
  readonly open: Set<unknown>;
  readonly tap: ListenTap;
}

function tapReceiver(receiver: Receiver, { open, tap }: Tapped): Receiver {
  return {
    exactNumbers: receiver.exactNumbers,
    message(value, about) {
      if (open.size === 0 || !isObject(value)) return receiver.message(value, about);
      const { id, method, params } = value;
      if (method === undefined) open.delete(id);
      if (typeof method === 'string' && isObject(params)) {
        if (method === 'notifications/cancelled' && open.delete(params['requestId']))
          return receiver.message(gracefulEnd(params['requestId']), about);
        if (isMisplaced(method) && open.has(subscriptionOf(params))) return tap.misplaced(method);
      }
      receiver.message(value, about);
    },
    problem: (error, about) => receiver.problem(error, about),
    closed: (error) => receiver.closed(error),
  };
}

function tapChannel(channel: Channel, { open, tap }: Tapped): Channel {
  return {
    send(message, options) {
      if ('method' in message && message.method === 'notifications/cancelled')
        open.delete(message.params?.['requestId']);
      const id = listenId(message);
      if (id === undefined) return channel.send(message, options);
      const forget = (): void => void open.delete(id);
      open.add(id);
      options?.signal?.addEventListener('abort', forget, { once: true });
      tap.opened(id);
      return sendListen(channel, message, { options, forget });
    },
    ...(channel.setHeaders && { setHeaders: (headers) => channel.setHeaders?.(headers) }),
    ...(channel.listen && { listen: async () => (await channel.listen?.()) ?? true }),
    close: () => channel.close(),
  };
}

async function sendListen(
  channel: Channel,
  message: Message | readonly Message[],
  { options, forget }: { readonly options: SendOptions | undefined; readonly forget: () => void },
): Promise<void> {
  try {
    await channel.send(message, options);
  } catch (error) {
    forget();
    throw error;
  }
}

function listenId(message: Message | readonly Message[]): RequestId | undefined {
  return 'method' in message && 'id' in message && message.method === 'subscriptions/listen' ? message.id : undefined;
}

function isMisplaced(method: string): boolean {
  return method === 'notifications/progress' || method === 'notifications/message';
}

/** The subscription that a notification names. */
export function subscriptionOf(params: Readonly<Record<string, unknown>>): unknown {
  const meta = params['_meta'];
  return isObject(meta) ? meta[metaKey.subscriptionId] : undefined;
}

/** The response that a server leaves out when it cancels the subscription instead. */
function gracefulEnd(id: unknown): unknown {
  return { jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { [metaKey.subscriptionId]: id } } };
}
