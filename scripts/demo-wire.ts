/** Listens in on an official transport, to see which revision really travels. */

import { metaKey } from '../src/protocol.ts';
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
  let listener: WireTransport['onmessage'];
  const heard: WireTransport['onmessage'] = (message, ...rest) => {
    see(field(field(message, 'result'), 'protocolVersion'));
    listener?.(message, ...rest);
  };
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => (listener === undefined ? undefined : heard),
    // A client that wraps what is there gets `heard`, which must not come to call itself.
    set: (next: WireTransport['onmessage']) => (listener = next),
  });
  return { revisions };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
