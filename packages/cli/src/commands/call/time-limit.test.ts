import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inThisProcess, withTimes } from '../../../../../test/support/cli-process.ts';
import { TimeLimit, requestLimits } from './time-limit.ts';

test('the time of a command stands still while persons are asked', (t) => {
  let now = 0;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => now);
  const pass = (ms: number): void => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  const limit = new TimeLimit(1_000);
  pass(400);
  assert.equal(limit.left, 600);
  const goOn = limit.stop();
  const other = limit.stop();
  pass(10_000);
  goOn();
  goOn();
  pass(10_000);
  assert.equal(limit.left, 600);
  other();
  pass(500);
  assert.equal(limit.left, 100);
  const { signal } = limit;
  assert.equal(requestLimits({ signal, limit }).maxTotalTimeoutMs, 100);
  pass(349);
  assert.equal(signal.aborted, false);
  pass(1);
  assert.match(String(signal.reason), /took longer than 1000 ms, the limit of --timeout/);
  assert.equal(limit.left, 1);
});

test('the time of a command that ended aborts nothing', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const limit = new TimeLimit(1_000);
  limit.end();
  t.mock.timers.tick(2_000);
  assert.equal(limit.signal.aborted, false);
  assert.deepEqual(requestLimits({ signal: limit.signal }), { signal: limit.signal });
});

test('--timeout ends a command whose server answers each request in time', async () => {
  const code = `let page = 0;
const results = () => ({
initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } },
'tools/list': { tools: [], nextCursor: String(++page) },
});
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
const { id, method } = JSON.parse(line);
if (id === undefined) return;
const result = results()[method];
const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
setTimeout(() => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer })), 20);
});`;
  const words = /took longer than \d+ ms, the limit of --timeout/;
  for (const tool of [[], ['t']]) {
    const { code: exit, stderr } = await withTimes(
      (timeout) => inThisProcess(['call', ...tool, '--timeout', timeout, '--', process.execPath, '-e', code]),
      (ran) => words.test(ran.stderr),
      ['400', '3000', '15000'],
    );
    assert.match(stderr, words);
    assert.equal(exit, 3);
  }
});
