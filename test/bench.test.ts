import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Case } from '../bench/harness/case.ts';
import { httpContender, programContender } from '../bench/harness/http-contender.ts';
import { Line } from '../bench/harness/http-line.ts';
import { startProgram } from '../bench/harness/program.ts';
import { Unavailable } from '../scripts/toolchains/unavailable.ts';
import { failuresOf, race } from '../bench/harness/race.ts';
import { addition, wrongAddition, type Shots } from '../bench/harness/requests.ts';
import { tableOf } from '../bench/harness/table.ts';
import { ran } from '../scripts/toolchains/command.ts';

/** A case of one contender that is asked a few things. */
function asking(script: string, shots: Shots, first?: Shots): Case {
  const load = { script, shots, connections: 2, total: 10, ...(first === undefined ? {} : { first }) };
  const contenders = [httpContender({ ...load, name: script })];
  return { id: 'one', title: 'one', unit: 'µs', target: 'none', contenders };
}

test('a contender of the benchmark that answers wrongly is out and fails the run', async () => {
  const wrongSum: Shots = (speak) => (number) => ({ ...addition(speak)(number), expected: `"text":"${number + 2}"` });
  const outcome = await race(asking('parley', wrongSum), true);
  assert.deepEqual(outcome.results, []);
  assert.match(failuresOf(outcome)[0]?.why ?? '', /^a wrong answer: 200 .*"text":"2"/);
});

test('a contender of the benchmark that skips the check of arguments does not start', async () => {
  const outcome = await race(asking('limit', addition, wrongAddition), true);
  assert.match(failuresOf(outcome)[0]?.why ?? '', /^a wrong answer/);
  assert.deepEqual(failuresOf(await race(asking('parley', addition, wrongAddition), true)), []);
});

test('a peer that cannot be had does not fail the benchmark', async () => {
  const start = (): Promise<never> => Promise.reject(new Unavailable('no network'));
  const contenders = [{ name: 'far away', peer: true, start }] as const;
  const outcome = await race({ id: 'one', title: 'one', unit: 'µs', target: 'none', contenders }, true);
  assert.deepEqual(outcome.dropouts, [{ name: 'far away', why: 'no network', unavailable: true }]);
  assert.deepEqual(failuresOf(outcome), []);
});

/** A case whose contenders cost what they are given, round by round. */
function costing(costs: Readonly<Record<string, readonly number[]>>): Case {
  const contenders = Object.entries(costs).map(([name, each]) => ({
    name,
    ...(name === 'limit' ? { limit: true as const } : name === 'parley' ? {} : { peer: true as const }),
    start: async () => {
      const left = [0, ...each];
      return { turn: async () => ({ cost: left.shift() ?? 0 }), stop: async () => {} };
    },
  }));
  return { id: 'one', title: 'one', unit: 'µs', target: 'none', contenders, rounds: 3 };
}

test('the benchmark divides what Parley costs by what each peer cost in the same round', async () => {
  const outcome = await race(costing({ limit: [1, 1, 1], parley: [2, 3, 4], far: [4, 4, 4] }), false);
  const ours = outcome.results.map(({ name, ours }) => [name, ours]);
  assert.deepEqual(ours, [
    ['limit', undefined],
    ['parley', undefined],
    ['far', [0.75, 0.5, 1]],
  ]);
  assert.match(tableOf(outcome), /far +4\.00 +4\.00 +4\.00–4\.00 +0\.75 +0\.50–1\.00$/m);
});

test('a peer whose toolchain is not here is named and does not fail the benchmark', async () => {
  const build = async (): Promise<never> => {
    await ran(['no-such-toolchain', 'version'], { timeoutMs: 20_000 });
    throw new Error('it was there');
  };
  const work = { args: [], connections: 2, total: 10, shots: addition };
  const contenders = [programContender({ ...work, name: 'far', build })];
  const outcome = await race({ ...costing({}), contenders }, true);
  assert.deepEqual(failuresOf(outcome), []);
  assert.match(tableOf(outcome), /^ {2}far did not finish: no-such-toolchain is not here$/m);
});

/** A program of Node that prints a URL, and runs a script for each line that it reads. */
function program(script: string): readonly string[] {
  const each = `require('node:readline').createInterface({ input: process.stdin }).on('line', () => { ${script} });`;
  return [process.execPath, '-e', `console.log('http://127.0.0.1:1/mcp'); ${each}`];
}

test('the benchmark asks a program in another language for the CPU time of its process', async () => {
  const server = await startProgram(program('console.log(globalThis.used = (globalThis.used ?? 0) + 1500)'));
  try {
    assert.equal(server.url.href, 'http://127.0.0.1:1/mcp');
    assert.deepEqual([await server.cpu(), await server.cpu()], [1500, 3000]);
  } finally {
    await server.stop();
  }
});

test('a program of the benchmark that ends is gone with its last words', async () => {
  const server = await startProgram(program("process.stderr.write('no more'); process.exitCode = 1; process.exit();"));
  await assert.rejects(server.cpu(), { message: 'the server is gone: no more' });
  await server.stop();
});

test('the load reads an answer in chunks however it is cut', async () => {
  const answer =
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ndata: \r\nb\r\n0\r\n\r\nhello\n\r\n0\r\n\r\n';
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('data', async () => {
      for (const byte of answer) {
        socket.write(byte);
        await turn();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  const line = await Line.open(new URL(`http://127.0.0.1:${port}/mcp`));
  try {
    for (let round = 0; round < 2; round++) {
      const { status, body } = await line.post({}, '{}');
      assert.deepEqual([status, body], [200, 'data: 0\r\n\r\nhello\n']);
    }
  } finally {
    line.close();
    server.close();
  }
});
