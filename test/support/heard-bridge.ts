/** A bridge of which both hops are heard, message by message, whatever it is spoken to with. */

import type { Bridge } from '../../packages/parley/src/bridge.ts';
import {
  endpointOf,
  type ClientConnection,
  type RequestHandler,
  type ReplyChannel,
} from '../../packages/parley/src/server/runtime/request-handler.ts';
import { messageText } from '../../packages/parley/src/jsonrpc/encode.ts';
import { isObject, type Message } from '../../packages/parley/src/jsonrpc/message.ts';
import type { Hops } from '../../packages/cli/src/inspect/trial/hops.ts';

/** The same bridge, whose clients are heard. */
export function heardBridge(bridge: Bridge, hops: Hops): Bridge {
  return over(bridge, { endpoint: heardEndpoint(endpointOf(bridge), hops) });
}

function heardEndpoint(endpoint: RequestHandler, hops: Hops): RequestHandler {
  let connections = 0;
  const openConnection = (link: ReplyChannel): ClientConnection => {
    const connection = ++connections;
    const note = (from: 'client' | 'server', message: unknown): void => {
      if (message !== undefined) hops.note('client', { from, text: textOf(message), connection });
    };
    const heard: ReplyChannel = {
      ...link,
      send(message, ...more) {
        note('server', message);
        return link.send(message, ...more);
      },
    };
    const conversation = endpoint.openConnection(heard);
    return over(conversation, {
      async receive(value, ...more) {
        note('client', value);
        const response = await conversation.receive(value, ...more);
        note('server', response);
        return response;
      },
      async take(judged, ...more) {
        note('client', judged.kind === 'malformed' ? judged.value : judged.message);
        const response = await conversation.take(judged, ...more);
        note('server', response);
        return response;
      },
    });
  };
  return over(endpoint, { openConnection });
}

/** A message in the spelling that it has; what is none is JSON all the same. */
function textOf(value: unknown): string {
  return isObject(value) ? messageText(value as unknown as Message) : JSON.stringify(value);
}

/** An object with some of its parts in another way; the rest is asked of the first. */
function over<Whole extends object>(whole: Whole, parts: Partial<Whole>): Whole {
  return new Proxy(whole, {
    get(target, key) {
      const part: unknown = Reflect.get(parts, key);
      if (part !== undefined) return part;
      const own: unknown = Reflect.get(target, key, target);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
