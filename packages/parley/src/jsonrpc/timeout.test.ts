import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { execPath, getActiveResourcesInfo } from 'node:process';
import { test } from 'node:test';
import { after, monotonicNow, noteTime, settledWithin } from './timeout.ts';

test('after runs once the time is over', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  after(100, () => runs++);
  t.mock.timers.tick(99);
  assert.equal(runs, 0);
  t.mock.timers.tick(1);
  assert.equal(runs, 1);
});

test('a time that is over already runs at once, and the runtime has nothing to warn of', (t) => {
  const timed = t.mock.method(globalThis, 'setTimeout', () => 0 as never);
  after(-25, () => undefined);
  assert.equal(timed.mock.calls[0]?.arguments[1], 0);
});

test('what was cancelled does not run', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  const cancel = after(100, () => runs++);
  cancel();
  cancel();
  t.mock.timers.tick(1_000);
  assert.equal(runs, 0);
});

/** The longest time of one timer. */
const longest = 2_147_483_647;

for (const [ms, delays] of [
  [0, [0]],
  [longest, [longest]],
  [longest + 1, [longest, 1]],
  [2 * longest, [longest, longest]],
  [1e10, [longest, longest, longest, longest, 1_410_065_412]],
  [Number.MAX_SAFE_INTEGER, [longest, longest, longest]],
] as const)
  test(`${ms} ms are over in their time, however long one timer may take`, (t) => {
    const timers: { readonly run: () => void; readonly ms: number }[] = [];
    t.mock.method(globalThis, 'setTimeout', (run: () => void, delay: number) => timers.push({ run, ms: delay }));
    let runs = 0;
    after(ms, () => runs++);
    for (let turn = 0; turn < delays.length - 1; turn++) timers[turn]?.run();
    assert.deepEqual([timers.map((one) => one.ms), runs], [delays, 0]);
    timers.at(-1)?.run();
    assert.equal(runs, ms > 1e15 ? 0 : 1);
  });

test('a time that takes several timers is cancelled during each of them', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  const cancel = after(3 * longest, () => runs++);
  t.mock.timers.tick(longest);
  cancel();
  t.mock.timers.tick(longest);
  t.mock.timers.tick(longest);
  assert.equal(runs, 0);
});

test('an infinite time never comes', (t) => {
  const delays: unknown[] = [];
  t.mock.method(globalThis, 'setTimeout', (_run: () => void, ms: number) => delays.push(ms));
  after(Infinity, () => {})();
  assert.deepEqual(delays, []);
});

test('settledWithin tells work that ended in time, well or badly, from work that did not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  assert.equal(await settledWithin(10, Promise.resolve()), true);
  assert.equal(await settledWithin(10, Promise.reject(new Error('badly'))), true);
  const late = settledWithin(10, new Promise(() => {}));
  t.mock.timers.tick(10);
  assert.equal(await late, false);
});

test('a process lives long enough to see that something was not settled in time', () => {
  const source = `import { settledWithin } from ${JSON.stringify(new URL('timeout.ts', import.meta.url).href)};
    console.log(await settledWithin(1, new Promise(() => {})));`;
  assert.equal(execFileSync(execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' }), 'false\n');
});

test('a timer is ended by the clock that began it, whichever tells the time by then', (t) => {
  const waiting = (): number => getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = waiting();
  const cancel = after(60_000, () => undefined, true);
  assert.equal(waiting(), before + 1);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  cancel();
  t.mock.timers.reset();
  assert.equal(waiting(), before);
});

test('a noted time is that of the note, whenever it is read', () => {
  let passed: [number, number] = [2, 500_000];
  const noted = noteTime({ hrtime: () => passed });
  const before = monotonicNow();
  const time = noted();
  assert.ok(time >= before - 2_000.5 && time <= monotonicNow() - 2_000.5);
  passed = [3, 0];
  assert.equal(noted(), time);
});

test('a runtime without a quick clock notes the time at once', () => {
  const before = monotonicNow();
  const noted = noteTime({} as never);
  const after = monotonicNow();
  assert.ok(noted() >= before && noted() <= after);
});
