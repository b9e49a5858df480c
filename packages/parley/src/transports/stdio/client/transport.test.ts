import assert from 'node:assert/strict';
import { spawn as spawnProcess } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, mock, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Message } from '../../../jsonrpc/message.ts';
import type { Channel, ConnectionError, Transport } from '../../../jsonrpc/transport.ts';
import { spawn, type SpawnOptions } from './transport.ts';

const folder = await mkdtemp(join(tmpdir(), 'parley-stdio-'));
after(() => rm(folder, { recursive: true }));

let scripts = 0;

/** A transport to a program with the given source. */
async function program(source: string, options: SpawnOptions = {}): Promise<Transport> {
  const file = join(folder, `${++scripts}.mjs`);
  await writeFile(file, source);
  return spawn(process.execPath, [file], options);
}

interface Opened {
  readonly channel: Channel;
  readonly problems: ConnectionError[];
  /** The next message that nobody has taken yet. */
  next(): Promise<unknown>;
  readonly closed: Promise<ConnectionError>;
}

async function open(transport: Transport): Promise<Opened> {
  const messages: unknown[] = [];
  const problems: ConnectionError[] = [];
  let arrived = (): void => {};
  let ended: (error: ConnectionError) => void = () => {};
  const closed = new Promise<ConnectionError>((resolve) => (ended = resolve));
  const channel = await transport.open({
    message(value) {
      messages.push(value);
      arrived();
    },
    // Every problem of this transport is a ConnectionError; the assertions look at its reason.
    problem: (error) => problems.push(error as ConnectionError),
    closed: (error) => ended(error),
  });
  return {
    channel,
    problems,
    closed,
    async next() {
      while (messages.length === 0) await new Promise<void>((resolve) => (arrived = resolve));
      return messages.shift();
    },
  };
}

const request: Message = { jsonrpc: '2.0', id: 1, method: 'ping', params: { text: 'a\nb' } };

/** Answers every line with the line itself. */
const echo = `import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => console.log(line));`;

/** Whether a process is alive; one that only waits to be collected is not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}

function pidOf(value: unknown): number {
  assert.ok(typeof value === 'object' && value !== null && 'pid' in value && typeof value.pid === 'number');
  return value.pid;
}

test('a message reaches the child as one line, and what it writes comes back [stdio-001] [stdio-002] [stdio-004]', async () => {
  const { channel, next } = await open(await program(echo));
  await channel.send(request);
  assert.deepEqual(await next(), request);
  await channel.close();
});

test('every open starts a process of its own', async () => {
  const transport = await program(`console.log(JSON.stringify({ pid: process.pid })); process.stdin.resume();`);
  const [first, second] = await Promise.all([open(transport), open(transport)]);
  assert.notEqual(pidOf(await first.next()), pidOf(await second.next()));
  await Promise.all([first.channel.close(), second.channel.close()]);
});

test('a command that does not exist is refused with its name', async () => {
  await assert.rejects(open(spawn('parley-no-such-command')), {
    reason: 'refused',
    message: 'cannot start "parley-no-such-command": the command was not found',
  });
});

// "arguments inside the command": "what was tried, what answered, what to write"
test('a command that holds its arguments is refused with what to write, without secrets', async () => {
  const missing = 'the command was not found';
  for (const [command, message] of [
    [
      'parley-no-such --key s3cret',
      `cannot start "parley-no-such --key …": ${missing}; if it holds its arguments, give them apart: the command "parley-no-such", then each argument separately`,
    ],
    [
      'http://me:s3cret@localhost:3000/mcp?key=s3cret',
      `cannot start "http://localhost:3000/mcp": ${missing}; it is a URL, which is connected to rather than started`,
    ],
  ] as const)
    await assert.rejects(open(spawn(command)), { reason: 'refused', message });
});

test('a working directory that does not exist is refused', async () => {
  const transport = await program(echo, { cwd: join(folder, 'missing') });
  await assert.rejects(open(transport), { reason: 'refused', message: /working directory was not found/ });
});

test('arguments are never interpreted by a shell', async () => {
  const file = join(folder, 'arguments.mjs');
  await writeFile(file, 'console.log(JSON.stringify(process.argv.slice(2))); process.stdin.resume();');
  const args = ['$(touch x)', '; exit 1', '`id`', '%PATH%', '"', "'", '*', 'a b', ''];
  const { channel, next } = await open(spawn(process.execPath, [file, ...args]));
  assert.deepEqual(await next(), args);
  await channel.close();
});

test('secrets of this process do not reach the child, and given variables do', async () => {
  process.env['PARLEY_TEST_SECRET'] = 'secret';
  const { channel, next } = await open(
    await program('console.log(JSON.stringify(process.env)); process.stdin.resume();', { env: { GIVEN: 'yes' } }),
  );
  const environment = await next();
  delete process.env['PARLEY_TEST_SECRET'];
  assert.ok(typeof environment === 'object' && environment !== null);
  assert.partialDeepStrictEqual(environment, { GIVEN: 'yes', PATH: process.env['PATH'] });
  assert.equal('PARLEY_TEST_SECRET' in environment, false);
  await channel.close();
});

test('a child that dies in the middle of a call is reported with its exit code and last words', async () => {
  const { channel, closed } = await open(
    await program(`process.stdin.once('data', () => { console.error('out of cheese'); process.exit(3); });`, {
      stderr: 'pipe',
    }),
  );
  await channel.send(request);
  const error = await closed;
  assert.equal(error.reason, 'exited');
  assert.match(error.message, /^the server \([^)]+\) exited with code 3: out of cheese$/);
  await assert.rejects(channel.send(request), { reason: 'exited' });
  await channel.close();
});

test('a child that is killed is reported with the signal', async () => {
  const { closed } = await open(await program(`process.kill(process.pid, 'SIGKILL');`));
  assert.match((await closed).message, /^the server \([^)]+\) was ended by SIGKILL$/);
});

test('what the child wrote before it died is still delivered', async () => {
  const { next, closed } = await open(
    await program(`process.stdout.write('{"jsonrpc":"2.0","method":"last"}', () => process.exit(0));`),
  );
  assert.deepEqual(await next(), { jsonrpc: '2.0', method: 'last' });
  assert.equal((await closed).reason, 'exited');
});

test('a child that closes its output but lives on is ended and reported', async () => {
  const { closed, next } = await open(
    await program(
      `import { closeSync } from 'node:fs';
    process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000);
    process.stdout.write(JSON.stringify({ pid: process.pid }) + '\\n', () => closeSync(1));`,
      { killTimeoutMs: 50 },
    ),
  );
  const pid = pidOf(await next());
  assert.equal((await closed).message, 'the server closed its output');
  await gone(pid);
});

test('a child that closes its input but lives on is ended and reported', async () => {
  const { channel, next, closed } = await open(
    await program(
      `import { closeSync } from 'node:fs';
      closeSync(0);
      console.log('{"ready":true}');
      setInterval(() => {}, 1000);`,
      { killTimeoutMs: 100 },
    ),
  );
  assert.deepEqual(await next(), { ready: true });
  await assert.rejects(channel.send(request), /the server closed its input/);
  assert.equal((await closed).message, 'the server closed its input');
  await channel.close();
});

test('stderr is heard and is no error [stdio-005]', async () => {
  let heard = '';
  const { channel, next, problems } = await open(
    await program(`console.error('warming up'); ${echo}`, { onStderr: (part) => (heard += part) }),
  );
  await channel.send(request);
  await next();
  assert.equal(heard, 'warming up\n');
  assert.deepEqual(problems, []);
  await channel.close();
});

test('text that is no message, too long or no UTF-8 is a problem, and the next message is heard', async () => {
  const source = `process.stdout.write('Server ready!\\n'); process.stdout.write('"' + 'x'.repeat(2000) + '"\\n');
    process.stdout.write(Buffer.from([0x22, 0xff, 0x22, 0x0a])); console.log('['.repeat(300) + ']'.repeat(300));
    console.log('{"ok":true}'); process.stdin.resume();`;
  const { channel, next, problems } = await open(await program(source, { maxLineBytes: 1_000 }));
  assert.deepEqual(await next(), { ok: true });
  assert.deepEqual(
    problems.map((problem) => problem.reason),
    // An answer that nests too deep is one that somebody may wait for.
    ['invalid-message', 'too-large', 'invalid-message', 'too-large'],
  );
  assert.match(problems[0]?.message ?? '', /Server ready!/);
  await channel.close();
});

test('closing ends the input first, and the child may exit by itself [stdio-012] [stdio-013]', async () => {
  const mark = join(folder, 'exited-well');
  const { channel } = await open(
    await program(
      `import { writeFileSync } from 'node:fs';
    process.on('SIGTERM', () => process.exit(1));
    process.stdin.on('end', () => writeFileSync(${JSON.stringify(mark)}, 'well')).resume();`,
      { killTimeoutMs: 10_000 },
    ),
  );
  await channel.close();
  assert.equal(await text(createReadStream(mark)), 'well');
});

test('a child that ignores the end of input gets SIGTERM, then SIGKILL [stdio-012] [stdio-013]', async () => {
  const source = `process.on('SIGTERM', () => console.error('terminated')); setInterval(() => {}, 1000);
    console.log(JSON.stringify({ pid: process.pid }));`;
  let stderr = '';
  const { channel, next } = await open(
    await program(source, { killTimeoutMs: 500, onStderr: (part) => (stderr += part) }),
  );
  const pid = pidOf(await next());
  await channel.close();
  await gone(pid);
  while (stderr === '') await setImmediate();
  assert.equal(stderr, 'terminated\n');
});

test('a signal to this process shortens the end of a child to 750 ms for each step', async (t) => {
  const source = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('{"pid":' + process.pid + '}')`;
  const { channel, next } = await open(await program(source, { killTimeoutMs: 600_000 }));
  const pid = pidOf(await next());
  const listener = (): void => {};
  process.on('SIGTERM', listener);
  t.after(() => process.off('SIGTERM', listener));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { mock: killing } = t.mock.method(process, 'kill');
  const closing = channel.close();
  process.emit('SIGTERM', 'SIGTERM');
  t.mock.timers.tick(749);
  await setImmediate();
  assert.equal(killing.callCount(), 0);
  t.mock.timers.tick(1);
  await setImmediate();
  t.mock.timers.tick(750);
  await closing;
  const sent = killing.calls.map(({ arguments: [target, signal] }) => [target, signal]);
  assert.deepEqual(sent.slice(0, 2), [
    [-pid, 'SIGTERM'],
    [-pid, 'SIGKILL'],
  ]);
});

test('what the child started ends with it', async () => {
  const source = `import { spawn } from 'node:child_process';
    const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')";
    const child = spawn(process.execPath, ['-e', stubborn], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.once('data', () => console.log(JSON.stringify({ pid: child.pid })));
    process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000);`;
  const { channel, next } = await open(await program(source, { killTimeoutMs: 50 }));
  const pid = pidOf(await next());
  await channel.close();
  await gone(pid);
});

test('what the child leaves behind at a clean end gets SIGTERM, and SIGKILL after a grace', async () => {
  const source = `import { spawn } from 'node:child_process';
    const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')";
    const child = spawn(process.execPath, ['-e', stubborn], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', () => console.log(JSON.stringify({ pid: child.pid })));
    process.stdin.on('end', () => process.exit(0)).resume();`;
  const { channel, next } = await open(await program(source, { killTimeoutMs: 2_000 }));
  const pid = pidOf(await next());
  await channel.close();
  await gone(pid);
});

test('closing twice is fine, nothing is heard after it, and sending fails', async () => {
  const { channel, closed } = await open(await program(echo));
  await Promise.all([channel.close(), channel.close()]);
  await assert.rejects(channel.send(request), { reason: 'closed' });
  const nothing = Symbol('nothing');
  assert.equal(await Promise.race([closed, Promise.resolve(nothing)]), nothing);
});

test('a child that does not read makes sending wait, and then fail', async () => {
  const { channel } = await open(
    await program('setInterval(() => {}, 1000);', { maxPendingBytes: 1_000_000, killTimeoutMs: 10 }),
  );
  const large: Message = { jsonrpc: '2.0', method: 'x', params: { text: 'x'.repeat(2_000_000) } };
  const first = channel.send(large);
  await assert.rejects(channel.send(large), { reason: 'too-large' });
  const [waited] = await Promise.allSettled([first, channel.close()]);
  assert.equal(waited.status, 'rejected');
});

for (const [how, ending, signal] of [
  ['exits', 'process.exit(0)', undefined],
  ['is ended by SIGTERM', "process.kill(process.pid, 'SIGTERM')", 'SIGTERM'],
  ['is ended by SIGINT', "process.kill(process.pid, 'SIGINT')", 'SIGINT'],
] as const) {
  test(`a child that would live on is ended when this process ${how}`, async () => {
    const stubborn =
      "process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {}); setInterval(() => {}, 1000); console.log(process.pid)";
    const source = `import { spawn } from ${JSON.stringify(import.meta.resolve('./transport.ts'))};
      await spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}]).open({
        message(pid) { process.stdout.write(String(pid), () => ${ending}); }, problem() {}, closed() {},
      });`;
    const host = spawnProcess(process.execPath, ['--input-type=module-typescript', '-e', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<unknown>((resolve) => host.once('exit', (_code, by) => resolve(by ?? undefined)));
    const pid = Number(await text(host.stdout));
    assert.ok(pid > 0);
    assert.equal(await ended, signal);
    await gone(pid);
  });
}

for (const [who, listen] of [
  ['signal-exit', `import { onExit } from ${JSON.stringify(import.meta.resolve('signal-exit'))}; onExit(() => {});`],
  ['a listener that does nothing', "for (const one of ['SIGINT', 'SIGTERM']) process.on(one, () => {});"],
] as const) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`this process ends by ${signal}, children first, though ${who} listens too`, async () => {
      const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log(process.pid)";
      const source = `${listen} import { spawn } from ${JSON.stringify(import.meta.resolve('./transport.ts'))};
        await spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}]).open({
          message(pid) { process.stdout.write(pid + '\\n'); }, problem() {}, closed() {},
        }); setInterval(() => {}, 1000);`;
      const host = spawnProcess(process.execPath, ['--input-type=module-typescript', '-e', source], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = new Promise<unknown>((resolve) => host.once('exit', (_code, by) => resolve(by)));
      const pid = Number(await new Promise((resolve) => host.stdout.once('data', resolve)));
      assert.ok(pid > 0);
      host.kill(signal);
      assert.equal(await ended, signal);
      await gone(pid);
    });
  }
}

for (const [kind, fail] of [
  [
    'throws',
    () => {
      throw new Error('mine');
    },
  ],
  ['is async and rejects', (() => Promise.reject(new Error('mine'))) as unknown as () => void],
] as const) {
  test(`a listener of stderr that ${kind} is printed, and ends nothing`, async () => {
    const lines = mock.method(console, 'error', () => undefined);
    try {
      const { channel, next } = await open(
        await program('process.stderr.write("x", () => process.stdin.pipe(process.stdout))', { onStderr: fail }),
      );
      await channel.send(request);
      assert.deepEqual(await next(), request);
      while (lines.mock.callCount() === 0) await setImmediate();
      assert.equal(String(lines.mock.calls[0]?.arguments[0]), 'the listener onStderr threw:');
      await channel.close();
    } finally {
      lines.mock.restore();
    }
  });
}
