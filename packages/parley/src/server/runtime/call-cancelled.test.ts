import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, initializeParams, open, Raw, settle, withMeta } from '../../../../../test/support/raw.ts';
import { served, call } from '../../../../../test/support/run-tool.ts';
import { metaKey } from '../../protocol/meta.ts';
import type { StandardSchema } from '../../schema/standard.ts';
import { createServer } from '../server.ts';
import type { ToolContext } from '../definition/tool-context.ts';

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
  const late = async (ctx: ToolContext): Promise<never> => {
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
  const server = createServer({ name: 'tested', version: '1.0.0' });
  const object = { type: 'object' };
  const slow: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'slow',
      validate: async (value) => ({ value }),
      jsonSchema: { input: () => object, output: () => object },
    },
  };
  server.tool('slow', { input: slow }, () => void runs++);
  for (const date of dates) {
    const raw = await open(server, date);
    const answer = raw.send('tools/call', { name: 'slow' }, 1);
    await raw.notify('notifications/cancelled', { requestId: 1 });
    assert.equal(await answer, undefined);
    await settle();
  }
  assert.equal(runs, 0);
});

test('a signal that is asked for after the cancellation is aborted already', async () => {
  let seen: boolean | undefined;
  let goOn = (): void => undefined;
  const cancelled = new Promise<void>((resolve) => (goOn = resolve));
  const raw = await open(
    served(async (ctx) => {
      await cancelled;
      seen = ctx.signal.aborted;
    }),
    '2025-06-18',
  );
  const answer = raw.send('tools/call', call, 1);
  await settle();
  await raw.notify('notifications/cancelled', { requestId: 1 });
  goOn();
  await answer;
  await settle();
  await settle();
  assert.equal(seen, true);
});

test('a client that turns out to be gone while its handler begins is not waited for', async () => {
  let isGone = false;
  let signal: AbortSignal | undefined;
  const server = createServer({ name: 'tested', version: '1.0.0' });
  server.tool('run', {}, (_, ctx) => {
    if (!isGone) return 'done';
    ({ signal } = ctx);
    ctx.progress(1);
    return new Promise<string>(() => undefined);
  });
  const conversation = server.endpoint.openConnection({
    lasting: true,
    // What cannot be delivered shows that nobody is there.
    send: () => conversation.close(),
  });
  const ask = (id: number) =>
    conversation.receive({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: withMeta({ name: 'run' }, { meta: { progressToken: 1 } }),
    });
  // The first call loads what checks arguments, and begins later than the second one.
  assert.ok((await ask(1)) !== undefined);
  isGone = true;
  assert.equal(await ask(2), undefined);
  assert.equal(signal?.aborted, true);
});
