/** The defaults that the documentation states. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeSettingsOf } from '../packages/parley/src/bridge/options.ts';
import { settingsOf } from '../packages/parley/src/client/requests/settings.ts';
import { resolveHttpOptions } from '../packages/parley/src/transports/http/server/exchanges/options.ts';
import { resolveOptions } from '../packages/parley/src/server/definition/options.ts';
import { taskLimits, taskTimes } from '../packages/parley/src/tasks/limits.ts';

/** The plain values among settings. */
function plain(settings: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([, value]) => value !== undefined && typeof value !== 'function' && Object(value) !== value,
    ),
  );
}

test('a client waits, retries and reads as documented where no option says otherwise', () => {
  assert.deepEqual(plain(settingsOf({})), {
    cache: 'use',
    connectTimeoutMs: 60_000,
    exactNumbers: false,
    maxItems: 100_000,
    maxPages: 1_000,
    maxReconnects: 5,
    maxReopens: 10,
    maxRounds: 10,
    sessionLost: 'fail',
    ownStore: true,
    probeTimeoutMs: 8_000,
    reconnect: true,
    tasks: true,
    timeoutMs: 60_000,
    trustToolHints: false,
    validateOutput: true,
  });
  const probe = (options: object): number => settingsOf(options).probeTimeoutMs;
  assert.deepEqual(
    [
      probe({ timeoutMs: 7_999 }),
      probe({ timeoutMs: 0 }),
      probe({ maxTotalTimeoutMs: 15_998 }),
      probe({ maxTotalTimeoutMs: 0 }),
      probe({ probeTimeoutMs: 1 }),
    ],
    [3_999.5, 8_000, 7_999, 8_000, 1],
  );
  assert.equal(settingsOf({ advertise: false }).tasks, false);
  assert.equal(settingsOf({ advertise: false, tasks: true }).tasks, true);
  assert.deepEqual(settingsOf({}).info, { name: 'parley', version: '0.1.0' });
  assert.throws(() => settingsOf({ extensions: { nothing: {} } }), TypeError);
});

test('a server over HTTP has the documented limits', () => {
  assert.deepEqual(plain(resolveHttpOptions({})), {
    bodyTimeoutMs: 30_000,
    drainTimeoutMs: 10_000,
    keepAliveIntervalMs: 6_000,
    maxBatch: 100,
    maxBodyBytes: 4_194_304,
    maxBodyBytesAtOnce: 16_777_216,
    maxDepth: 128,
    maxHeaders: 100,
    maxRequests: 2_048,
    maxSessions: 10_000,
    maxSessionsPerPrincipal: 1_000,
    maxStreamBufferBytes: 1_048_576,
    maxStreams: 16_384,
    maxStreamsPerPrincipal: 1_000,
    retryMs: 1_000,
    sessionIdleTimeoutMs: 1_800_000,
    sessions: true,
  });
  const none = resolveHttpOptions({ keepAliveIntervalMs: 0, bodyTimeoutMs: 0 });
  assert.deepEqual(
    [none.keepAliveIntervalMs, none.bodyTimeoutMs],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  );
  assert.equal(resolveHttpOptions({ maxBatch: undefined } as never).maxBatch, 100);
});

test('a server has the documented limits', () => {
  const settings = resolveOptions({});
  assert.deepEqual(plain(settings), { pageSize: 1_000, logging: true, requestTimeoutMs: 600_000, exposeErrors: false });
  assert.deepEqual(settings.cache, { ttlMs: 0, cacheScope: 'private' });
  assert.deepEqual(settings.subscriptions, { resourcesPerClient: 1_000, listeners: Number.POSITIVE_INFINITY });
  assert.deepEqual(plain(settings.rounds), { maxRounds: 32 });
  assert.equal(resolveOptions({ rounds: { requestTimeoutMs: 0 } }).requestTimeoutMs, Number.POSITIVE_INFINITY);
  assert.equal(resolveOptions({ pageSize: 1 }).pageSize, 1);
  for (const pageSize of [0, 1.5, '1' as never]) assert.throws(() => resolveOptions({ pageSize }), TypeError);
});

test('tasks have the documented limits and times', () => {
  assert.deepEqual(taskLimits, {
    perOwner: 100,
    ofNobody: 1_000,
    running: 16,
    waiting: 1_000,
    results: 32,
    textLength: 4_194_304,
  });
  assert.deepEqual(taskTimes, {
    ttlMs: 3_600_000,
    maxTtlMs: 86_400_000,
    outcomeTtlMs: 300_000,
    pollIntervalMs: 1_000,
    leaseTtlMs: 30_000,
    waitTimeoutMs: 600_000,
  });
});

test('a bridge has the documented limits', () => {
  const settings = bridgeSettingsOf({});
  assert.deepEqual(plain(settings), {
    maxUpstreams: 64,
    maxUpstreamsPerClient: 32,
    taskOnly: 'wait',
    asked: 'required',
  });
  assert.equal(settings.suspended.ttlMs, 300_000);
  assert.deepEqual(settings.info, { name: 'parley-bridge', version: '0.1.0' });
  assert.equal(bridgeSettingsOf({ maxUpstreams: 3 }).maxUpstreamsPerClient, 2);
  assert.equal(bridgeSettingsOf({ tasks: 'always' }).asked, 'always');
  assert.equal(bridgeSettingsOf({ tasks: { ask: 'always' } }).asked, 'always');
  for (const wrong of [
    { taskOnly: 'x' },
    { tasks: 'x' },
    { maxUpstreams: 0 },
    { maxUpstreamsPerClient: 1.5 },
    { rounds: { ttlMs: 0 } },
    { rounds: { ttlMs: 1.5 } },
  ])
    assert.throws(() => bridgeSettingsOf(wrong as never), TypeError, JSON.stringify(wrong));
  bridgeSettingsOf({ maxUpstreams: 1, maxUpstreamsPerClient: 1, rounds: { ttlMs: 1 } });
});
