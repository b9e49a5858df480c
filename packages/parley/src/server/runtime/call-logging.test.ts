import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, handshakeDates, open, statelessDate, withMeta } from '../../../../../test/support/raw.ts';
import { served, call } from '../../../../../test/support/run-tool.ts';
import { loggingLevels } from '../../protocol/features/logging.ts';
import { metaKey } from '../../protocol/meta.ts';

for (const date of handshakeDates) {
  test(`logging/setLevel decides for the session at ${date} [logging-002, logging-008]`, async () => {
    const raw = await open(
      served((ctx) => loggingLevels.forEach((level) => ctx.log(level, level))),
      date,
    );
    for (const [at, level] of loggingLevels.entries()) {
      assert.deepEqual(await raw.result('logging/setLevel', { level }), {});
      await raw.result('tools/call', call);
      assert.deepEqual(
        raw.take().map(({ params }) => (params as { level: unknown }).level),
        loggingLevels.slice(at),
      );
    }
  });

  test(`an unknown level changes nothing at ${date} [logging-003]`, async () => {
    const raw = await open(
      served((ctx) => ctx.log('warning', 'w')),
      date,
    );
    await raw.result('logging/setLevel', { level: 'error' });
    for (const level of ['loud', 7, null, undefined, '__proto__'])
      assert.equal((await raw.error('logging/setLevel', { level })).code, -32602);
    await raw.result('tools/call', call);
    assert.deepEqual(raw.heard, []);
  });
}

test('sessions have their own levels', async () => {
  const server = served((ctx) => ctx.log('warning', 'w'));
  const quiet = await open(server, '2025-06-18');
  const loud = await open(server, '2025-06-18');
  await quiet.result('logging/setLevel', { level: 'alert' });
  await loud.result('logging/setLevel', { level: 'debug' });
  await quiet.result('tools/call', call);
  await loud.result('tools/call', call);
  assert.deepEqual([quiet.heard.length, loud.heard.length], [0, 1]);
});

test('a stateless request hears nothing without a level, and from its level on with one [logging-004, E05]', async () => {
  const raw = await open(
    served((ctx) => loggingLevels.forEach((level) => ctx.log(level, level))),
    statelessDate,
  );
  await raw.result('tools/call', call);
  assert.deepEqual(raw.take(), []);
  for (const [at, level] of loggingLevels.entries()) {
    await raw.result('tools/call', { ...call, _meta: { [metaKey.logLevel]: level } });
    assert.deepEqual(
      raw.take().map(({ params }) => (params as { level: unknown }).level),
      loggingLevels.slice(at),
    );
  }
  await raw.result('tools/call', call);
  assert.deepEqual(raw.take(), []);
});

test('the level of a session is nothing to a stateless request beside it [logging-004, basic-032]', async () => {
  const raw = await open(
    served((ctx) => ctx.log('emergency', 'e')),
    '2025-06-18',
  );
  await raw.result('logging/setLevel', { level: 'debug' });
  await raw.receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: withMeta(call) });
  assert.deepEqual(raw.heard, []);
});

test('a log message carries its logger and any JSON value', async () => {
  const values = [undefined, null, 0, '', [1], { deep: { er: true } }];
  const raw = await open(
    served((ctx) => values.forEach((value) => ctx.log('error', value, 'kettle'))),
    '2025-11-25',
  );
  await raw.result('tools/call', call);
  assert.deepEqual(
    raw.take().map(({ params }) => params),
    values.map((data) => ({ level: 'error', logger: 'kettle', data: data ?? null })),
  );
});

test('a server that declares no logging sends no log messages [logging-001]', async () => {
  for (const date of dates) {
    const raw = await open(
      served((ctx) => ctx.log('emergency', 'e'), { logging: false }),
      date,
      { meta: { [metaKey.logLevel]: 'debug' } },
    );
    await raw.result('tools/call', call);
    assert.deepEqual(raw.heard, []);
  }
});
