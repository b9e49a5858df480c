/** Defaults and bounds of the options of a bridge. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeOver } from './bridge.ts';
import { bridgeSettingsOf, checkUpstream, type BridgeBehavior, type UpstreamOptions } from './options.ts';

/** Options of a program that no compiler checked. */
const settings = (options: unknown) => bridgeSettingsOf(options as BridgeBehavior);
const check = (options: unknown) => checkUpstream('here', options as UpstreamOptions);

test('a bridge without options has 64 connections, half of them for one client', () => {
  const { maxUpstreams, maxUpstreamsPerClient, taskOnly, asked, suspended, store, rates, info, tasks } = settings({});
  assert.deepEqual([maxUpstreams, maxUpstreamsPerClient, taskOnly, asked], [64, 32, 'wait', 'required']);
  assert.deepEqual([suspended.ttlMs, suspended.bus, store, rates], [300_000, undefined, undefined, undefined]);
  assert.deepEqual([info.name, tasks], ['parley-bridge', {}]);
});

test('createBridge rejects a second argument, also beside valid options', async () => {
  const create = bridgeOver(() => assert.fail('it connects')) as (...given: readonly unknown[]) => Promise<unknown>;
  await assert.rejects(create({ upstream: 'http://a.example' }, {}), /^TypeError: createBridge takes all its options/);
  await assert.rejects(create({ upstream: 'http://a.example' }, undefined), /it connects/);
  for (const options of [undefined, {}, { upstream: 'http://a.example', upstreams: {} }])
    await assert.rejects(create(options), /^TypeError: createBridge takes \{ upstream \} for one server/);
});

test('one client has half of the connections, rounded up, or what is given', () => {
  for (const [maxUpstreams, half] of [
    [1, 1],
    [2, 1],
    [3, 2],
  ])
    assert.equal(settings({ maxUpstreams }).maxUpstreamsPerClient, half);
  assert.equal(settings({ maxUpstreams: 3, maxUpstreamsPerClient: 1 }).maxUpstreamsPerClient, 1);
});

test('the smallest limits are accepted, and what is below them is rejected by name', () => {
  settings({ maxUpstreams: 1, maxUpstreamsPerClient: 1, rounds: { ttlMs: 1 } });
  for (const wrong of [0, -1, 1.5, Number.NaN, '1', null]) {
    assert.throws(
      () => settings({ maxUpstreams: wrong, maxUpstreamsPerClient: 1 }),
      /^TypeError: maxUpstreams must be/,
    );
    assert.throws(() => settings({ maxUpstreamsPerClient: wrong }), /^TypeError: maxUpstreamsPerClient must be/);
    assert.throws(() => settings({ rounds: { ttlMs: wrong } }), /^TypeError: rounds\.ttlMs must be/);
  }
});

test('words that are options are accepted alone', () => {
  assert.equal(settings({ taskOnly: 'refuse' }).taskOnly, 'refuse');
  for (const tasks of ['always', { ask: 'always' }]) assert.equal(settings({ tasks }).asked, 'always');
  for (const tasks of ['required', {}, { ask: 'required' }]) assert.equal(settings({ tasks }).asked, 'required');
  assert.throws(() => settings({ taskOnly: 'no' }), /taskOnly is wait or refuse, not "no"/);
  for (const tasks of ['no', { ask: 'no' }])
    assert.throws(() => settings({ tasks }), /tasks.ask is required or always, not "no"/);
});

test('an upstream is a URL of HTTP or has a function open', () => {
  const open = (): void => {};
  for (const upstream of ['http://a.example/', 'HTTPS://a.example/', new URL('http://a.example/'), { open }])
    check({ upstream });
  for (const upstream of [undefined, null, 1, 'a.example', 'http://', 'file:///a', {}, { close: open }, open])
    assert.throws(() => check({ upstream }), /^TypeError: here: upstream is a URL/);
});

test('a login has the functions known and keep, and a sharing is one of two', () => {
  const upstream = 'http://a.example/';
  const [known, keep] = [(): void => {}, (): void => {}];
  check({ upstream, login: { known, keep } });
  for (const login of [null, {}, { known }, { keep }, { known, keep: 1 }, { known: 1, keep }])
    assert.throws(() => check({ upstream, login }), /^TypeError: here: login has/);
  for (const sharing of [undefined, 'per-client', 'shared']) check({ upstream, sharing });
  for (const sharing of ['', null, 'all'])
    assert.throws(() => check({ upstream, sharing }), /^TypeError: here: sharing/);
});
