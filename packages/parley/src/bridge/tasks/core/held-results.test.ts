import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import type { Bus } from '../../../storage/bus.ts';
import { HeldResults } from './held-results.ts';

/** The id is hashed in another thread, which takes its time. */
async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await settle();
}

test('what waits for a process that holds a result is asked at once, and once, when the bridge is closed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let published = 0;
  const bus: Bus = { publish: () => (published++, 0), subscribe: () => () => undefined };
  const warnings: string[] = [];
  const results = new HeldResults({ ttlMs: 1_000, bus, onWarning: (warning) => warnings.push(warning) });
  const answering = results.answer('id', { '01234567-1-1': {} });
  await until(() => published === 1);
  results.close();
  await until(() => published === 2);
  assert.equal(await answering, false);
  assert.equal(await results.answer('id', { '01234567-1-1': {} }), false);
  assert.deepEqual([published, warnings], [3, []]);
});

test('without a bus an answer to a question of another process is lost, and any other is ignored', async () => {
  const results = new HeldResults({ ttlMs: 1_000, onWarning: (warning) => assert.fail(warning) });
  assert.equal(await results.answer('id', { '01234567-1-1': {} }), false);
  assert.equal(await results.answer('id', { 'no-key': {} }), true);
  results.close();
});

test('32 tasks of one owner wait for answers, beside those of others', () => {
  const results = new HeldResults({ ttlMs: 1_000, onWarning: (warning) => assert.fail(warning) });
  const upstream = { during: () => new Promise(() => undefined) };
  let count = 0;
  const begin = (principal: string): unknown =>
    results.begin(`id-${++count}`, 'task', {
      call: { auth: { principal }, facts: {}, client: {} },
      upstream,
    } as never);
  for (let at = 0; at < 32; at++) begin('ada');
  begin('bob');
  assert.throws(() => begin('ada'), { kind: 'busy', message: /^32 tasks wait for answers already/ });
  begin('bob');
  results.close();
  begin('ada');
  results.close();
});
