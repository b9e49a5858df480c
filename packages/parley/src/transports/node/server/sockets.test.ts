/** Shares of addresses in the connections of a server. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Server } from 'node:http';
import { socketsOf } from './sockets.ts';

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string | undefined;

  constructor(remoteAddress: string | undefined) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.emit('close');
  }
}

/** A server with six places, and what it warned of. */
function places() {
  const server = new EventEmitter();
  const warnings: string[] = [];
  const sockets = socketsOf(server as Server, {
    maxConnections: 6,
    trustedProxies: { addresses: ['10.0.0.7'], header: 'forwarded' },
    onWarning: (message) => void warnings.push(message),
  });
  const open = (address: string | undefined): FakeSocket => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket);
    return socket;
  };
  const opened = (...addresses: readonly (string | undefined)[]): number => {
    const before = sockets.size;
    addresses.forEach(open);
    return sockets.size - before;
  };
  return { open, opened, warnings, sockets };
}

test('an address has as many connections as it leaves free, and others find places', () => {
  const { opened, warnings } = places();
  assert.equal(opened(...Array<string>(6).fill('192.0.2.1')), 3);
  assert.equal(opened('::ffff:192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'), 2);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^connections of 192\.0\.2\.1 are closed.* maxConnections \(6\).*trustedProxies$/);
});

test('a connection that ends gives its place back', () => {
  const { open, opened, sockets } = places();
  const [first] = [1, 2, 3].map(() => open('192.0.2.1'));
  assert.equal(opened('192.0.2.1'), 0);
  first?.destroy();
  assert.equal(opened('192.0.2.1'), 1);
  assert.equal(sockets.size, 3);
});

test('a trusted proxy, and a connection without an address, have no share', () => {
  const { opened, warnings } = places();
  assert.equal(opened('10.0.0.7', '10.0.0.7', '10.0.0.7', '10.0.0.7', undefined, undefined), 6);
  assert.deepEqual(warnings, []);
});
