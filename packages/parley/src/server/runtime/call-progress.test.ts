import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, open, settle } from '../../../../../test/support/raw.ts';
import { served, call } from '../../../../../test/support/run-tool.ts';
import { metaKey } from '../../protocol/meta.ts';
import { createServer } from '../server.ts';
import type { ToolContext } from '../definition/tool-context.ts';

for (const date of dates) {
  test(`progress goes to the stream of its request, with the client's token, at ${date} [progress-001, progress-012]`, async () => {
    const raw = await open(
      served((ctx) => ctx.progress(1, 2, 'half')),
      date,
    );
    for (const progressToken of ['t', 7, 0, -1, '']) {
      await raw.result('tools/call', { ...call, _meta: { progressToken } }, 'id');
      const [only, ...others] = raw.heard.splice(0);
      assert.deepEqual(others, []);
      assert.equal(only?.related, 'id');
      const message = date === '2024-11-05' ? {} : { message: 'half' };
      assert.deepEqual(only?.message, {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2, ...message },
      });
    }
  });

  test(`without a token there is no progress at ${date} [progress-005]`, async () => {
    const raw = await open(
      served((ctx) => ctx.progress(1)),
      date,
    );
    await raw.result('tools/call', call);
    await raw.ask('tools/call', { ...call, _meta: {} });
    assert.deepEqual(raw.heard, []);
  });
}

test('a token that is neither text nor an integer asks for nothing [progress-001]', async () => {
  for (const date of dates) {
    const raw = await open(
      served((ctx) => ctx.progress(1)),
      date,
    );
    for (const progressToken of [null, 1.5, 2 ** 60, {}, [], true])
      await raw.ask('tools/call', { ...call, _meta: { progressToken } });
    assert.deepEqual(raw.heard, []);
  }
});

test('progress only ever rises [progress-003]', async () => {
  const reported = [1, 1, 0.5, Number.NaN, 2, -3, 2.5, Number.POSITIVE_INFINITY, 2.25, 3];
  const raw = await open(
    served((ctx) => reported.forEach((done) => ctx.progress(done))),
    '2025-06-18',
  );
  await raw.result('tools/call', { ...call, _meta: { progressToken: 1 } });
  assert.deepEqual(
    raw.take().map(({ params }) => (params as { progress: unknown }).progress),
    [1, 2, 2.5, 3],
  );
});

test('a total that is no number is left out', async () => {
  const raw = await open(
    served((ctx) => {
      ctx.progress(1, Number.POSITIVE_INFINITY);
      ctx.progress(2, Number.NaN);
    }),
    '2025-06-18',
  );
  await raw.result('tools/call', { ...call, _meta: { progressToken: 1 } });
  assert.deepEqual(
    raw.take().map(({ params }) => params),
    [
      { progressToken: 1, progress: 1 },
      { progressToken: 1, progress: 2 },
    ],
  );
});

test('after the result there is neither progress nor a log message [progress-006, logging-005]', async () => {
  for (const date of dates) {
    let late: ToolContext | undefined;
    const raw = await open(
      served((ctx) => void (late = ctx)),
      date,
      { meta: { [metaKey.logLevel]: 'debug' } },
    );
    await raw.result('tools/call', { ...call, _meta: { progressToken: 1 } });
    late?.progress(1);
    late?.log('emergency', 'late');
    await settle();
    assert.deepEqual(raw.heard, []);
  }
});

test('requests at the same time report under their own tokens [progress-005, progress-007]', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('count', { input: { type: 'object' } }, async (args, ctx) => {
    for (const step of [1, 2, 3]) {
      ctx.progress(step, undefined, String(args['who']));
      await settle();
    }
  });
  const raw = await open(server, '2025-11-25');
  await Promise.all(
    ['a', 'b', 'c'].map((who) =>
      raw.result('tools/call', { name: 'count', arguments: { who }, _meta: { progressToken: who } }, `id-${who}`),
    ),
  );
  assert.equal(raw.heard.length, 9);
  for (const { message, related } of raw.heard) {
    const { progressToken, message: said } = message['params'] as { progressToken: unknown; message: unknown };
    assert.equal(said, progressToken);
    assert.equal(related, `id-${String(progressToken)}`);
  }
});
