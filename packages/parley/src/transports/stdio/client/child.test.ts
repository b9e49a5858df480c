/** The way of a child process from its start to its end. No process is started: the test plays it. */

import assert from 'node:assert/strict';
import childProcess, { type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { PassThrough, Writable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import { failedLoads, type Channel, type ConnectionError } from '../../../jsonrpc/transport.ts';
import { notStarted, openChild } from './child.ts';
import type { SpawnOptions } from './transport.ts';

const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} } as const;

/** A process that the test plays, and what its channel does to it. */
class Played extends EventEmitter {
  readonly pid = 77;
  exitCode: number | null = null;
  signalCode: string | null = null;
  readonly stdout: PassThrough = new PassThrough();
  readonly stderr: PassThrough = new PassThrough();
  written = '';
  isBroken = false;
  readonly stdin: Writable = new Writable({
    write: (chunk, _, done) => {
      this.written += String(chunk);
      done(this.isBroken ? new Error('EPIPE') : null);
    },
  });

  async exits(code: number | null, isClosed = true): Promise<void> {
    this.exitCode = code;
    if (code === null) this.signalCode = 'SIGKILL';
    this.emit('exit', code, this.signalCode);
    if (isClosed) this.emit('close', code, this.signalCode);
    await turns();
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await settle();
}

interface Scene {
  readonly child: Played;
  readonly channel: Channel;
  readonly closed: (ConnectionError | undefined)[];
  /** The signals that its group got. */
  readonly signals: unknown[];
  /** Whether something of its group lives on. */
  readonly group: { lives: boolean };
  pass(ms: number): Promise<void>;
  /** Ends it, and restores what was replaced for it. */
  over(): Promise<void>;
}

async function opened(t: TestContext, options: SpawnOptions = {}): Promise<Scene> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const child = new Played();
  t.mock.method(childProcess, 'spawn', () => {
    setImmediate(() => child.emit('spawn'));
    return child as unknown as ChildProcess;
  });
  syncBuiltinESMExports();
  const signals: unknown[] = [];
  const group = { lives: false };
  t.mock.method(process, 'kill', (pid: number, signal: string | number) => {
    assert.equal(pid, -77);
    if (signal !== 0) signals.push(signal);
    else if (!group.lives) throw new Error('ESRCH');
    return true;
  });
  const closed: (ConnectionError | undefined)[] = [];
  const receiver = {
    message: () => undefined,
    problem: () => undefined,
    closed: (error?: ConnectionError) => void closed.push(error),
  };
  const channel = await openChild({
    command: 'serve',
    args: [],
    options: { ...options, description: 'serve' },
    receiver,
  });
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await turns();
  };
  let isOver = false;
  const over = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    group.lives = false;
    if (child.exitCode === null && child.signalCode === null) await child.exits(0);
    await pass(30_000);
    t.mock.reset();
    syncBuiltinESMExports();
  };
  t.after(over);
  return { child, channel, closed, signals, group, pass, over };
}

const words = ({ closed: [first] }: Scene): string => `${first?.reason}: ${first?.message}`;

test('a server that exits is reported once, with its code and its last words', async (t) => {
  const scene = await opened(t);
  scene.child.stderr.write('cannot read settings\n');
  await turns();
  await scene.child.exits(3);
  assert.equal(words(scene), 'exited: the server (serve) exited with code 3: cannot read settings');
  assert.equal(scene.closed.length, 1);
  await assert.rejects(scene.channel.send(initialize), (error) => error === scene.closed[0]);
  assert.equal(scene.child.written, '');
});

test('the end of a server that could not be loaded is marked, and no other end', async (t) => {
  for (const [code, isFailed] of [
    [127, true],
    [1, false],
  ] as const) {
    const scene = await opened(t);
    await scene.child.exits(code);
    assert.equal(failedLoads.has(scene.closed[0] as ConnectionError), isFailed);
    await scene.over();
  }
});

test('closing ends the input, then sends SIGTERM, then SIGKILL, each after its time, and waits no longer', async (t) => {
  const scene = await opened(t);
  let isClosed = false;
  const closing = scene.channel.close().then(() => (isClosed = true));
  await turns();
  assert.equal(scene.child.stdin.writableEnded, true);
  await assert.rejects(scene.channel.send(initialize), /the conversation is closed/);
  for (const signals of [[], ['SIGTERM'], ['SIGTERM', 'SIGKILL']]) {
    await scene.pass(1999);
    assert.deepEqual([scene.signals, isClosed], [signals, false]);
    await scene.pass(1);
  }
  await closing;
  assert.deepEqual([scene.signals, scene.closed], [['SIGTERM', 'SIGKILL'], []]);
});

test('a server that exits after SIGTERM gets SIGKILL for its descendants alone', async (t) => {
  const scene = await opened(t, { killTimeoutMs: 100 });
  const closing = scene.channel.close();
  await turns();
  await scene.pass(100);
  assert.deepEqual(scene.signals.splice(0), ['SIGTERM']);
  await scene.child.exits(0);
  await closing;
  assert.deepEqual(scene.signals.splice(0), ['SIGKILL']);
  await scene.pass(10_000);
  assert.deepEqual(scene.signals, []);
});

test('descendants of a server that exited have the same time to end, and no longer', async (t) => {
  for (const lives of [true, false]) {
    const before = process.listenerCount('exit');
    const scene = await opened(t, { killTimeoutMs: 100 });
    scene.group.lives = lives;
    await scene.child.exits(0);
    assert.equal(process.listenerCount('exit') > before, lives);
    await scene.pass(99);
    assert.deepEqual(scene.signals, ['SIGTERM']);
    await scene.pass(1);
    assert.deepEqual(scene.signals, lives ? ['SIGTERM', 'SIGKILL'] : ['SIGTERM']);
    assert.equal(process.listenerCount('exit'), before);
    await scene.over();
  }
});

test('pipes that descendants hold open are released half a second after the server exited', async (t) => {
  const scene = await opened(t);
  await scene.child.exits(0, false);
  await scene.pass(499);
  assert.deepEqual(
    [scene.closed.length, scene.child.stdout.destroyed, scene.child.stderr.destroyed],
    [0, false, false],
  );
  await scene.pass(1);
  assert.deepEqual([scene.child.stdout.destroyed, scene.child.stderr.destroyed], [true, true]);
  assert.match(words(scene), /exited with code 0/);
});

for (const [end, name] of [
  ['output', 'stdout'],
  ['input', 'stdin'],
] as const)
  test(`a server that closes its ${end} and lives on for half a second is ended`, async (t) => {
    for (const isGone of [false, true]) {
      const scene = await opened(t);
      if (name === 'stdout') scene.child.stdout.end();
      else scene.child.stdin.destroy(new Error('EPIPE'));
      scene.child.stdout.resume();
      await turns();
      await scene.pass(499);
      assert.deepEqual(scene.closed, []);
      if (isGone) await scene.child.exits(0);
      await scene.pass(1);
      assert.equal(words(scene).startsWith(isGone ? 'exited: ' : `closed: the server closed its ${end}`), true);
      await scene.pass(2000);
      assert.equal(scene.signals[0], 'SIGTERM');
      await scene.over();
    }
  });

test('a message to a server that is just ending fails with the reason of its end, if that comes soon', async (t) => {
  for (const isSaid of [true, false]) {
    const scene = await opened(t);
    scene.child.isBroken = true;
    let failure: unknown;
    const sending = scene.channel.send(initialize).catch((error: unknown) => (failure = error));
    await turns();
    await scene.pass(400);
    assert.equal(failure, undefined);
    if (isSaid) await scene.child.exits(4);
    else await scene.pass(100);
    await sending;
    assert.match(String(failure), isSaid ? /exited with code 4/ : /the server closed its input/);
    await scene.over();
  }
});

test('a program that prints its URL and answers nothing is ended, unless it is being closed', async (t) => {
  for (const isClosing of [false, true]) {
    const scene = await opened(t, { killTimeoutMs: 20_000 });
    await scene.channel.send(initialize);
    scene.child.stdout.write('Listening on http://localhost:3000/mcp\n');
    await turns();
    if (isClosing) void scene.channel.close();
    await scene.pass(5000);
    assert.equal(scene.child.stdin.writableEnded, true);
    if (isClosing) assert.deepEqual(scene.closed, []);
    else assert.match(words(scene), /^timeout: serve answers nothing: .*http:\/\/localhost:3000\/mcp/);
    await scene.over();
  }
});

test('a command that the system does not start is refused, however it says so', async (t) => {
  const missing = Object.assign(new Error('spawn serve ENOENT'), { code: 'ENOENT' });
  t.after(() => (t.mock.restoreAll(), syncBuiltinESMExports()));
  const failing = (): ChildProcess => {
    throw missing;
  };
  const late = (): ChildProcess => {
    const child = new Played();
    setImmediate(() => child.emit('error', missing));
    return child as unknown as ChildProcess;
  };
  for (const spawn of [failing, late]) {
    t.mock.method(childProcess, 'spawn', spawn);
    syncBuiltinESMExports();
    await assert.rejects(
      openChild({ command: 'serve', args: [], options: { description: 'serve' }, receiver: {} as never }),
      { reason: 'refused', message: 'cannot start "serve": the command was not found', cause: missing },
    );
    t.mock.restoreAll();
  }
});

test('the error of a command that was not started says why, and no more than it may', () => {
  const failed = (code: string | undefined): Error =>
    Object.assign(new Error('spawn secret failed'), code === undefined ? {} : { code });
  const told = (command: string, cause: unknown, options: SpawnOptions = {}): string =>
    notStarted(command, cause, options).message.replace('cannot start ', '');
  assert.equal(told('no-such-command', failed('EACCES')), '"no-such-command": the command was not found');
  assert.equal(told('/', failed('EACCES')), '"/": it may not be executed');
  assert.equal(told('sh', failed('EACCES'), { env: { PATH: '/none:/bin' } }), '"sh": it may not be executed');
  assert.equal(
    told('serve', failed('ENOENT'), { cwd: '/home' }),
    '"serve" in /home: the command or the working directory was not found',
  );
  assert.match(told('http://localhost/mcp', failed('ENOENT')), /; it is a URL, which is connected to/);
  assert.match(told('serve fast', failed('ENOENT')), /: the command "serve", then each argument separately$/);
  assert.match(
    told('serve fast', failed('ENOENT'), { calledAs: 'mine' }),
    /^mine: .*: the command, then each argument separately$/,
  );
  assert.equal(told('serve', failed('EMFILE')), '"serve": spawn secret failed');
  assert.equal(told('serve', failed('EMFILE'), { calledAs: 'mine' }), 'mine: EMFILE');
  assert.equal(told('serve', failed(undefined), { calledAs: 'mine' }), 'mine: Error');
  assert.equal(told('serve', 'a text'), '"serve": a text');
});
