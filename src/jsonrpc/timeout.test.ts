import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { execPath } from 'node:process';
import { test } from 'node:test';
import { after, settledWithin } from './timeout.ts';

test('after runs once the time is over', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let runs = 0;
  after(100, () => runs++);
  t.mock.timers.tick(99);
  assert.equal(runs, 0);
  t.mock.timers.tick(1);
  assert.equal(runs, 1);
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

test('an infinite time never comes, and one too long for the runtime does not come at once', (t) => {
  const delays: unknown[] = [];
  t.mock.method(globalThis, 'setTimeout', (_run: () => void, ms: number) => delays.push(ms));
  after(Infinity, () => {})();
  after(1e12, () => {});
  assert.deepEqual(delays, [2_147_483_647]);
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
