import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mock, test } from 'node:test';
import { leftBehind, processState } from './left-behind.ts';

/** What is found while a change lasts, which is undone afterwards. */
async function found(change: () => void, undo: () => void): Promise<readonly string[]> {
  const before = processState();
  change();
  try {
    return await leftBehind(before, 0);
  } finally {
    undo();
    assert.deepEqual(await leftBehind(before), []);
  }
}

test('nothing is reported when nothing has changed', async () => {
  assert.deepEqual(await leftBehind(processState(), 0), []);
});

test('a replaced function is reported by its name', async () => {
  for (const [owner, name, key] of [
    [globalThis, 'globalThis', 'fetch'],
    [globalThis, 'globalThis', 'setImmediate'],
    [Math, 'Math', 'random'],
    [console, 'console', 'error'],
    [process.stdout, 'process.stdout', 'write'],
  ] as const) {
    const real = Object.getOwnPropertyDescriptor(owner, key);
    const reported = await found(
      () => Object.defineProperty(owner, key, { value: () => true, writable: true, configurable: true }),
      () => (real === undefined ? Reflect.deleteProperty(owner, key) : Object.defineProperty(owner, key, real)),
    );
    assert.deepEqual(reported, [`${name}.${key} was replaced`]);
  }
});

test('timers that are still mocked are reported', async () => {
  const reported = await found(
    () => mock.timers.enable({ apis: ['setTimeout', 'Date'] }),
    () => mock.timers.reset(),
  );
  for (const name of ['globalThis.setTimeout', 'globalThis.clearTimeout', 'globalThis.Date'])
    assert.ok(reported.includes(`${name} was replaced`), `${name} in ${reported.join(', ')}`);
});

test('a new key of globalThis is reported', async () => {
  const reported = await found(
    () => Reflect.set(globalThis, 'leftByATest', 1),
    () => Reflect.deleteProperty(globalThis, 'leftByATest'),
  );
  assert.deepEqual(reported, ['the key leftByATest of globalThis is new']);
});

test('environment variables are reported by name and without values', async () => {
  process.env['PARLEY_LEFT_BEHIND'] = 'secret';
  assert.deepEqual(
    await found(
      () => Reflect.set(process.env, 'PARLEY_LEFT_BEHIND', 'other'),
      () => Reflect.set(process.env, 'PARLEY_LEFT_BEHIND', 'secret'),
    ),
    ['process.env.PARLEY_LEFT_BEHIND was replaced'],
  );
  assert.deepEqual(
    await found(
      () => Reflect.deleteProperty(process.env, 'PARLEY_LEFT_BEHIND'),
      () => Reflect.set(process.env, 'PARLEY_LEFT_BEHIND', 'secret'),
    ),
    ['process.env.PARLEY_LEFT_BEHIND is gone'],
  );
  delete process.env['PARLEY_LEFT_BEHIND'];
});

test('the current directory and the exit code are reported', async () => {
  const cwd = process.cwd();
  assert.deepEqual(
    await found(
      () => process.chdir('/'),
      () => process.chdir(cwd),
    ),
    ['the current directory was replaced'],
  );
  // A file before this one may have left one.
  const code = process.exitCode;
  assert.deepEqual(
    await found(
      () => (process.exitCode = 3),
      () => (process.exitCode = code),
    ),
    [`process.exitCode was replaced (${String(code)} before, 3 now)`],
  );
});

test('listeners of the process are reported by their event', async () => {
  const listener = (): void => undefined;
  assert.deepEqual(
    await found(
      () => process.on('made-up', listener),
      () => process.off('made-up', listener),
    ),
    ['listeners of process for made-up: 0 before, 1 now'],
  );
});

test('a server and a timer that stay open are reported', async () => {
  const before = processState();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timer = setTimeout(() => undefined, 60_000);
  assert.deepEqual([...(await leftBehind(before, 0))].toSorted(), [
    'servers that listen: 0 before, 1 now',
    'timers: 0 before, 1 now',
  ]);
  server.close();
  clearTimeout(timer);
  assert.deepEqual(await leftBehind(before), []);
});

test('a timer that does not keep the process alive is not reported', async () => {
  const before = processState();
  const timer = setTimeout(() => undefined, 60_000).unref();
  assert.deepEqual(await leftBehind(before, 0), []);
  clearTimeout(timer);
});

test('what ends a moment later is waited for and not reported', async () => {
  const before = processState();
  setTimeout(() => undefined, 20);
  assert.deepEqual(await leftBehind(before), []);
});
