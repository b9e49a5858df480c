import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, type Receiver, type Transport } from '../../jsonrpc/transport.ts';
import { restartLimited } from './restart-limit.ts';

const nobody: Receiver = { message: () => undefined, problem: () => undefined, closed: () => undefined };

/** A server whose life the test decides, behind a way to it that limits restarts. */
function mortal() {
  const receivers: Receiver[] = [];
  const clock = { now: 0 };
  const transport: Transport = {
    ownsProcess: true,
    description: 'mortal',
    open: (receiver) => {
      receivers.push(receiver);
      return Promise.resolve({ send: () => Promise.resolve(), close: () => Promise.resolve() });
    },
  };
  const steadily = restartLimited(transport, { now: () => clock.now, random: () => 0 });
  return {
    clock,
    way: steadily(true),
    steadily,
    started: () => receivers.length,
    speak: () => receivers.at(-1)?.message({ jsonrpc: '2.0', id: 1, result: {} }),
    die: () => receivers.at(-1)?.closed(new ConnectionError('exited', 'the server exited with code 1')),
  };
}

test('a server that dies at once three times rests, longer each time', async () => {
  const { clock, way, started, die } = mortal();
  for (let count = 0; count < 3; count++) {
    await way.open(nobody);
    die();
  }
  await assert.rejects(way.open(nobody), {
    reason: 'refused',
    message:
      'the server died 3 times in a row, and is started again in 1 s at the earliest: the server exited with code 1',
  });
  clock.now += 1_000;
  await way.open(nobody);
  die();
  clock.now += 1_000;
  await assert.rejects(way.open(nobody), /in 1 s at the earliest/);
  clock.now += 1_000;
  await way.open(nobody);
  assert.equal(started(), 5);
});

test('a server that lived a while is started again at once', async () => {
  const { clock, way, started, die } = mortal();
  for (let count = 0; count < 6; count++) {
    await way.open(nobody);
    clock.now += 10_000;
    die();
  }
  assert.equal(started(), 6);
});

test('what is closed here did not die', async () => {
  const { way, started, die } = mortal();
  for (let count = 0; count < 6; count++) {
    const channel = await way.open(nobody);
    await channel.close();
    die();
  }
  assert.equal(started(), 6);
});

test('a server that cannot be started counts as dead', async () => {
  const failing: Transport = {
    ownsProcess: true,
    description: 'failing',
    open: () => Promise.reject(new ConnectionError('refused', 'no such program')),
  };
  const way = restartLimited(failing, { now: () => 0, random: () => 0 })(false);
  for (let count = 0; count < 3; count++) await assert.rejects(way.open(nobody), { message: 'no such program' });
  await assert.rejects(way.open(nobody), /died 3 times in a row/);
});

test('what clients do to processes of their own keeps nobody else from starting one', async () => {
  const { steadily, started, speak, die } = mortal();
  const [main, another, own] = [steadily(true), steadily(false), steadily(false)];
  for (let count = 0; count < 3; count++) {
    await own.open(nobody);
    speak();
    die();
  }
  await assert.rejects(own.open(nobody), /died 3 times in a row/);
  for (const way of [main, another]) await way.open(nobody);
  assert.equal(started(), 5);
});

test('a main process that dies before it says anything rests for everybody', async () => {
  const { way, steadily, die } = mortal();
  for (let count = 0; count < 3; count++) {
    await way.open(nobody);
    die();
  }
  for (const isMain of [true, false]) await assert.rejects(steadily(isMain).open(nobody), /died 3 times in a row/);
});

test('a process of one client that dies before it says anything rests alone', async () => {
  const { way, steadily, die } = mortal();
  const own = steadily(false);
  for (let count = 0; count < 3; count++) {
    await own.open(nobody);
    die();
  }
  await assert.rejects(own.open(nobody), /died 3 times in a row/);
  for (const other of [way, steadily(false)]) await other.open(nobody);
});

test('a main process that dies under its clients keeps no other from starting', async () => {
  const { way, steadily, speak, die } = mortal();
  for (let count = 0; count < 3; count++) {
    await way.open(nobody);
    speak();
    die();
  }
  await assert.rejects(way.open(nobody), /died 3 times in a row/);
  await steadily(false).open(nobody);
});

test('early deaths with a life between them are not in a row', async () => {
  const { way, speak, die, started } = mortal();
  for (let count = 0; count < 6; count++) {
    await way.open(nobody);
    die();
    const channel = await way.open(nobody);
    speak();
    await channel.close();
  }
  assert.equal(started(), 12);
});
