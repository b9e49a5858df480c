/** Which measures a request takes from, and what holds while the store of them is away. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { McpError } from '../../protocol/error.ts';
import type { Limits } from '../../storage/limits.ts';
import type { RateLimits, ServerRates } from './rate-limit.ts';
import type { Measured } from './measured.ts';
import { serverRates } from './rates.ts';
import { withinRates } from '../parts/within.ts';

const one = { perSecond: 1, burst: 1 };
const two = { perSecond: 1, burst: 2 };
const from = (principal: string, more: object = {}): Measured => ({ auth: { principal }, ...more }) as never;
const ann = from('ann');

function ratesOf(limits: RateLimits, shared?: Limits): { readonly rates: ServerRates; readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  return { rates: serverRates({ limits: { now: () => 0, ...limits }, shared, name: 's', onError }), errors };
}

test('a call takes from the measure of its tool, and then from that of all tools', async () => {
  const { rates } = ratesOf({ tools: two, byTool: { a: one } });
  const call = async (tool: string, by = from('ann')): Promise<boolean> => (await rates.call(tool, by)) === undefined;
  assert.deepEqual([await call('a'), await call('a'), await call('b'), await call('b')], [true, false, true, false]);
  assert.equal(await call('b', from('bob')), true);
  assert.match(String(await rates.call('b', from('ann'))), /too many tool calls in a short time/);
});

test('the rounds of one call take once, and a state that comes again is another call', async () => {
  const { rates } = ratesOf({ tools: two });
  const call = async (by: Measured): Promise<boolean> => (await rates.call('a', by)) === undefined;
  assert.equal(await call(ann), true);
  assert.equal(await call(ann), true, 'the same call');
  assert.equal(await call(from('ann', { continues: 'state' })), true);
  assert.equal(await call(from('ann', { continues: 'state' })), true, 'it took the second');
  assert.equal(await call(from('ann', { continues: 'state' })), false);
});

test('completions, tasks and requests have measures of their own', async () => {
  const { rates } = ratesOf({ completions: one, tasks: two, requests: two, initialize: one });
  assert.deepEqual([await rates.complete(ann), await rates.complete(ann)], [true, false]);
  assert.deepEqual([await rates.tasks(ann), await rates.tasks(ann), await rates.tasks(ann)], [true, true, false]);
  assert.equal(await rates.asked('initialize', ann), undefined);
  const again = await rates.asked('initialize', ann);
  assert.ok(again instanceof McpError);
  assert.deepEqual(again.data, { retryAfterMs: 1000, rate: 'initialize' });
  assert.equal(await rates.asked('ping', ann), undefined);
  assert.deepEqual((await rates.asked('ping', ann))?.data, { retryAfterMs: 1000, rate: 'requests' });
  const free = ratesOf({}).rates;
  assert.deepEqual(
    [await free.complete(ann), await free.call('a', ann), await free.asked('ping', ann)],
    [true, undefined, undefined],
  );
});

test('without a burst a rate lets one second of it through at once, and one at least', async () => {
  for (const [perSecond, most] of [
    [3, 3],
    [0.1, 1],
  ] as const) {
    const { rates } = ratesOf({ requests: { perSecond } });
    let count = 0;
    while ((await rates.asked('ping', ann)) === undefined) count++;
    assert.equal(count, most);
  }
});

/** A store of measures, as it answers now. */
function store(t: TestContext) {
  const state = { now: 0, asked: 0, answer: (): unknown => ({ ok: true }) };
  t.mock.method(performance, 'now', () => state.now);
  const limits: Limits = {
    take: () => {
      state.asked++;
      return state.answer() as never;
    },
  };
  return { state, limits };
}

const failing = {
  throws: () => {
    throw new Error('away');
  },
  rejects: () => Promise.reject(new Error('away')),
  'answers nothing': () => undefined,
  'answers no time': () => ({ ok: false }),
  'answers later with nothing': async () => undefined,
} as const;

for (const [what, answer] of Object.entries(failing))
  test(`a store that ${what} is asked again after 2 seconds, by one request, and its failure told once`, async (t) => {
    const { state, limits } = store(t);
    const { rates, errors } = ratesOf({ requests: { perSecond: 1, burst: 100 } }, limits);
    const ask = async (): Promise<number> => (await rates.asked('ping', ann), state.asked);
    assert.equal(await ask(), 1);
    state.answer = answer;
    assert.equal(await ask(), 2);
    state.now = 1999;
    assert.equal(await ask(), 2);
    state.now = 2000;
    assert.equal(await ask(), 3);
    assert.equal(await ask(), 3);
    assert.equal(errors.length, 1);
    state.answer = () => ({ ok: true });
    state.now = 4000;
    assert.equal(await ask(), 4);
    assert.equal(await ask(), 5, 'it is back');
    state.answer = answer;
    assert.equal(await ask(), 6);
    assert.equal(errors.length, 2);
  });

test('while one request asks whether the store is back, the others do not', async (t) => {
  const { state, limits } = store(t);
  const { rates } = ratesOf({ requests: two }, limits);
  state.answer = failing.throws;
  await rates.asked('ping', ann);
  state.now = 2000;
  let settle = (_: object): void => {};
  state.answer = () => new Promise((resolve) => (settle = resolve));
  const asking = rates.asked('ping', ann);
  assert.equal(await rates.asked('ping', ann), undefined);
  assert.equal(state.asked, 2);
  settle({ ok: true });
  assert.equal(await asking, undefined);
});

for (const lost of ['own', 'refuse'] as const)
  test(`while the store is away ${lost === 'own' ? 'this process measures itself' : 'nothing is let through'}`, async (t) => {
    const { state, limits } = store(t);
    state.answer = failing.throws;
    const { rates } = ratesOf({ lost, requests: one, tools: one }, limits);
    const first = await rates.asked('ping', ann);
    const second = await rates.asked('ping', ann);
    if (lost === 'own') assert.deepEqual([first, second?.data], [undefined, { retryAfterMs: 1000, rate: 'requests' }]);
    else {
      assert.deepEqual([first?.data, second?.data], [{ retryAfterMs: 2000 }, { retryAfterMs: 2000 }]);
      assert.match(String(await rates.call('a', ann)), /cannot be found out now/);
    }
  });

test('only calls of tools and completions take from measures, where there are any', async () => {
  const taken: string[] = [];
  const rates = (): ServerRates =>
    ({
      call: (tool: string) => (taken.push(tool), tool === 'b' ? 'too many' : undefined),
      complete: () => taken.push('complete') < 3,
    }) as never;
  const run = async (method: string, limits: RateLimits, name: unknown = 'a'): Promise<unknown> =>
    await withinRates({ method, name, call: ann }, { limits, rates }, () => 'run');
  for (const method of ['tools/list', 'tools/call', 'completion/complete', 'prompts/get'])
    assert.equal(await run(method, {}), 'run');
  for (const limits of [{ tools: one }, { byTool: {} }]) assert.equal(await run('completion/complete', limits), 'run');
  assert.equal(await run('prompts/get', { tools: one, completions: one }), 'run');
  assert.deepEqual(taken, []);
  assert.equal(await run('tools/call', { tools: one }), 'run');
  assert.equal(await run('completion/complete', { completions: one }), 'run');
  assert.deepEqual(taken.splice(0), ['a', 'complete']);
  const refused = (await run('tools/call', { byTool: {} }, 'b')) as { readonly isError?: boolean };
  assert.equal(refused.isError, true);
  await run('completion/complete', { completions: one });
  await assert.rejects(run('completion/complete', { completions: one }), /too many completion requests/);
});
