import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { turns, until } from '../../../../test/support/turns.ts';
import { besideIdle } from './alive.ts';

for (const [title, isLate] of [
  ['a server that ends every idle connection, and is heard late, has not ended', true],
  ['a server that ended one idle connection, and no other, may have ended', false],
] as const)
  test(title, async (t) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined).resume();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    // A server that listens on a port has such an address.
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const ended = async (at: number): Promise<void> => {
      const closed = new Promise((resolve) => sockets[at]?.once('close', resolve));
      sockets[at]?.end();
      await closed;
      // The other end hears of it some turns of the loop later.
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    };
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isActing = false;
    const act = async (): Promise<string> => {
      await until(() => sockets.length === 1, 'the first connection');
      await ended(0);
      isActing = true;
      return 'broken';
    };
    const outcome = besideIdle(url, act, () => true);
    await until(() => isActing, 'the act');
    await turns();
    t.mock.timers.tick(100);
    await until(() => sockets.length === 2, 'the second connection');
    await turns();
    // The second connection was there for as long as the first one.
    t.mock.timers.tick(60_000);
    await turns();
    if (isLate) await ended(1);
    t.mock.timers.tick(100);
    assert.deepEqual(await outcome, ['broken', !isLate]);
  });
