import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dates,
  handshakeDates,
  initializeParams,
  open,
  Raw,
  settle,
  statelessDate,
  withMeta,
} from '../../test/support/raw.ts';
import { loggingLevels } from '../protocol/logging.ts';
import { metaKey } from '../protocol/meta.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import { createServer, type Server } from '../server/server.ts';
import type { Ctx } from '../server/ctx.ts';

/** A server whose one tool does what the test says. */
function served(run: (ctx: Ctx) => unknown, options = {}): Server {
  const server = createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined, ...options });
  server.tool('run', {}, async (_, ctx) => {
    await run(ctx);
    return 'done';
  });
  return server;
}

const call = { name: 'run' };

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
    let late: Ctx | undefined;
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

for (const date of dates) {
  test(`a cancelled request is aborted and gets no response at ${date} [cancel-005]`, async () => {
    let signal: AbortSignal | undefined;
    const raw = await open(
      served((ctx) => {
        signal = ctx.signal;
        return new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
      }),
      date,
    );
    const answer = raw.send('tools/call', { ...call, _meta: { progressToken: 1 } }, 'long');
    await settle();
    await raw.notify('notifications/cancelled', { requestId: 'long', reason: 'enough' });
    assert.equal(await answer, undefined);
    assert.equal(signal?.aborted, true);
    assert.equal(signal?.reason.name, 'AbortError');
    await settle();
    assert.deepEqual(raw.heard, []);
  });

  test(`the id of a cancelled request is free again at ${date}`, async () => {
    let runs = 0;
    const raw = await open(
      served(async (ctx) => {
        if (++runs > 1) return;
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
        await settle();
      }),
      date,
    );
    const answer = raw.send('tools/call', call, 1);
    await settle();
    await raw.notify('notifications/cancelled', { requestId: 1 });
    await raw.result('tools/call', call, 1);
    assert.equal(await answer, undefined);
  });
}

test('cancellations of nothing, of what is over and of nonsense are ignored [cancel-007, cancel-010]', async () => {
  for (const date of dates) {
    const raw = await open(
      served(() => undefined),
      date,
    );
    await raw.result('tools/call', call, 'over');
    for (const params of [
      { requestId: 'over' },
      { requestId: 'never' },
      { requestId: 7 },
      { requestId: null },
      { requestId: {} },
      { requestId: ['over'] },
      { reason: 'x' },
      {},
    ]) {
      await raw.notify('notifications/cancelled', params);
    }
    await raw.notify('notifications/cancelled');
    await raw.result('tools/call', call, 'over');
  }
});

test('the number 7 does not cancel the text "7"', async () => {
  let release: (value?: unknown) => void = () => undefined;
  const raw = await open(
    served(() => new Promise((resolve) => (release = resolve))),
    '2025-11-25',
  );
  const answer = raw.ask('tools/call', call, '7');
  await settle();
  await raw.notify('notifications/cancelled', { requestId: 7 });
  release();
  assert.ok('result' in (await answer));
});

test('initialize cannot be cancelled', async () => {
  const raw = new Raw(
    served(() => undefined),
    false,
  );
  const answer = raw.result('initialize', initializeParams('2025-06-18'), 'first');
  await raw.notify('notifications/cancelled', { requestId: 'first' });
  assert.equal((await answer)['protocolVersion'], '2025-06-18');
});

test("a handler that ignores the cancellation sends nothing more, and its failure is nobody's", async () => {
  const errors: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
  const late = async (ctx: Ctx): Promise<never> => {
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    ctx.progress(1);
    ctx.log('emergency', 'late');
    throw new Error('aborted');
  };
  server.tool('late', {}, (_, ctx) => late(ctx));
  server.prompt('late', {}, (_, ctx) => late(ctx));
  for (const date of dates) {
    const raw = await open(server, date, { meta: { [metaKey.logLevel]: 'debug' } });
    for (const method of ['tools/call', 'prompts/get']) {
      const answer = raw.send(method, { name: 'late', _meta: { progressToken: 1 } }, 'long');
      await settle();
      await raw.notify('notifications/cancelled', { requestId: 'long' });
      assert.equal(await answer, undefined);
      await settle();
    }
    assert.deepEqual(raw.heard, []);
  }
  assert.deepEqual(errors, []);
});

test('a tool whose call is cancelled before it began does not run [cancel-005]', async () => {
  let runs = 0;
  const server = served(() => void runs++);
  for (const date of dates) {
    const raw = await open(server, date);
    const answer = raw.send('tools/call', call, 1);
    await raw.notify('notifications/cancelled', { requestId: 1 });
    assert.equal(await answer, undefined);
    await settle();
  }
  assert.equal(runs, 0);
});

test('a signal that is asked for after the cancellation is aborted already', async () => {
  let seen: boolean | undefined;
  const raw = await open(
    served(async (ctx) => {
      await settle();
      seen = ctx.signal.aborted;
    }),
    '2025-06-18',
  );
  const answer = raw.send('tools/call', call, 1);
  await settle();
  await raw.notify('notifications/cancelled', { requestId: 1 });
  await answer;
  await settle();
  await settle();
  assert.equal(seen, true);
});

test('a handler sees who asks, in which revision and under which id', async () => {
  let seen: unknown;
  const server = served(({ requestId, revision, client, auth, meta }) => {
    seen = {
      requestId,
      revision,
      info: client.info,
      roots: client.supports('roots'),
      elicitation: client.supports('elicitation.form'),
      auth,
      trace: meta['com.example/trace'],
    };
  });
  for (const date of dates satisfies readonly RevisionDate[]) {
    const raw = await open(server, date, { capabilities: { roots: {} } });
    await raw.result('tools/call', { ...call, _meta: { 'com.example/trace': 't' } }, 'mine');
    assert.deepEqual(seen, {
      requestId: 'mine',
      revision: date,
      info: { name: 'raw', version: '1' },
      roots: true,
      elicitation: false,
      auth: undefined,
      trace: 't',
    });
  }
});
