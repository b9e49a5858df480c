import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createServer } from '../../../server.ts';
import { listen } from './http.ts';
import { LagAdmission, shareOf } from './lag.ts';

for (const [lag, share] of [
  [0, 0],
  [50, 0],
  [100, 0.25],
  [150, 0.5],
  [1_000, 0.95],
  [Infinity, 0.95],
] as const)
  test(`of new requests ${share * 100} % are refused where turns come ${lag} ms late and 50 ms are allowed`, () => {
    assert.equal(shareOf(lag, 50), share);
  });

test('a limit of nothing divides by nothing', () => {
  assert.equal(shareOf(0, 0), 0);
  assert.equal(shareOf(1, 0), 0.25);
});

/** An admission by a clock that a test moves; half of what is asked is below every share of a half. */
function admission(t: TestContext): { readonly lag: LagAdmission; pass(ms: number, late?: number): void } {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const lag = new LagAdmission(50, { random: () => 0.2, now: () => now });
  t.after(() => lag.close());
  return {
    lag,
    pass: (ms, late = 0) => {
      now += ms + late;
      t.mock.timers.tick(ms);
    },
  };
}

test('a process whose turns come in time admits everything', (t) => {
  const { lag, pass } = admission(t);
  for (let at = 0; at < 50; at++) pass(100);
  assert.ok(lag.admits());
});

test('turns that come late again and again refuse, and such as come in time admit again', (t) => {
  const { lag, pass } = admission(t);
  for (let at = 0; at < 10; at++) pass(100, 200);
  assert.equal(lag.admits(), false);
  for (let at = 0; at < 10; at++) pass(100);
  assert.ok(lag.admits());
});

test('one late turn alone is no load', (t) => {
  const { lag, pass } = admission(t);
  pass(100, 120);
  assert.ok(lag.admits());
});

test('a turn that is late by now counts before it has ended', (t) => {
  const { lag, pass } = admission(t);
  pass(0, 1_000);
  assert.equal(lag.admits(), false);
});

test('a server that could not be bound looks at no clock any more', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  const first = await listen(server, { port: 0 });
  t.after(() => first.close());
  const begun: unknown[] = [];
  const { setTimeout } = globalThis;
  const counted = (...given: Parameters<typeof setTimeout>): ReturnType<typeof setTimeout> => {
    if (given[1] === 100) begun.push(given);
    return setTimeout(...given);
  };
  t.mock.method(globalThis, 'setTimeout', counted);
  await assert.rejects(listen(server, { port: first.port, maxLagMs: 50 }), /the port is in use/);
  const looks = begun.length;
  await new Promise((resolve) => setTimeout(resolve, 350));
  assert.deepEqual([looks > 0, begun.length], [true, looks]);
});
