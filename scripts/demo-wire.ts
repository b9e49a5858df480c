/** Listens in on an official transport, to see which revision really travels. */

import { metaKey } from '../packages/parley/src/protocol.ts';
import type { WireTransport } from './demo-clients.ts';

/** The revisions seen on a wire. */
export interface Wiretap {
  /** What `initialize` was answered with, or what requests said of themselves. */
  readonly revisions: ReadonlySet<string>;
}

/** Taps a transport that is not connected yet. */
export function tap(transport: WireTransport): Wiretap {
  const revisions = new Set<string>();
  const see = (date: unknown): void => void (typeof date === 'string' && revisions.add(date));
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    see(field(field(field(message, 'params'), '_meta'), metaKey.protocolVersion));
    return send(message, ...rest);
  };
  let heard: WireTransport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => heard,
    set: (listener: WireTransport['onmessage']) => {
      heard = (message, ...rest) => {
        see(field(field(message, 'result'), 'protocolVersion'));
        listener?.(message, ...rest);
      };
    },
  });
  return { revisions };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
