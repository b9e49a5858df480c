import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, errorOf, open, resultOf } from '../../../../../test/support/raw.ts';
import { McpError } from '../../protocol/error.ts';
import { createServer } from '../server.ts';
import type { ServerCore } from './server-core.ts';
import { errorPrinter, guarded, reportUnanswered } from './masking.ts';

const info = { name: 'tested', version: '1.0.0' };

test('what an error of a handler says never leaves the server, and onError hears it', async () => {
  const secret = 'password=hunter2';
  const heard: [unknown, string][] = [];
  const server = createServer(info, { onError: (error, where) => heard.push([error, where]) });
  const fail = (): never => {
    throw new TypeError(secret, { cause: new Error(secret) });
  };
  server.tool('fail', {}, fail);
  server.resource('a://b', { name: 'b' }, fail);
  server.resourceTemplate('t://{x}', { name: 't', complete: { x: fail }, list: fail }, fail);
  server.prompt('p', { arguments: [{ name: 'a' }], complete: { a: fail } }, fail);
  for (const date of dates) {
    const raw = await open(server, date);
    const answers = [
      await raw.ask('tools/call', { name: 'fail' }),
      await raw.ask('resources/read', { uri: 'a://b' }),
      await raw.ask('resources/read', { uri: 't://1' }),
      await raw.ask('resources/list'),
      await raw.ask('prompts/get', { name: 'p' }),
      await raw.ask('completion/complete', {
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'a', value: '' },
      }),
      await raw.ask('completion/complete', {
        ref: { type: 'ref/resource', uri: 't://{x}' },
        argument: { name: 'x', value: '' },
      }),
    ];
    assert.equal(heard.splice(0).length, answers.length);
    const [tool, ...others] = answers;
    assert.equal(resultOf(tool)['isError'], true);
    for (const other of others) assert.deepEqual(errorOf(other), { code: -32603, message: 'internal error' });
    assert.ok(!JSON.stringify([answers, raw.heard]).includes('hunter2'));
  }
});

test('an onError that throws takes no answer away', async () => {
  const server = createServer(info, {
    onError: () => {
      throw new Error('the log is full');
    },
  });
  server.tool('fail', {}, () => {
    throw new Error('no');
  });
  server.prompt('fail', {}, () => {
    throw new Error('no');
  });
  const raw = await open(server, '2025-06-18');
  assert.equal((await raw.result('tools/call', { name: 'fail' }))['isError'], true);
  assert.equal((await raw.error('prompts/get', { name: 'fail' })).code, -32603);
});

test('whatever is thrown is answered [resources-015, prompts-010]', async () => {
  const thrown: readonly unknown[] = [undefined, null, 'text', 7, { message: 'x' }, Symbol('s'), () => 1, 10n];
  const server = createServer(info, { onError: () => undefined });
  let next: unknown;
  server.prompt('throw', {}, () => {
    // oxlint-disable-next-line typescript/only-throw-error -- what careless handlers throw
    throw next;
  });
  const raw = await open(server, '2025-11-25');
  for (next of thrown)
    assert.deepEqual(await raw.error('prompts/get', { name: 'throw' }), { code: -32603, message: 'internal error' });
});

test('an McpError of a handler keeps its code, message and data, and nothing of its cause', async () => {
  const server = createServer(info);
  const fail = (): never => {
    throw new McpError(4711, 'sold out', { data: { until: 'monday' }, cause: new Error('secret') });
  };
  server.tool('fail', {}, fail);
  server.prompt('fail', {}, fail);
  server.resource('a://b', { name: 'b' }, fail);
  for (const date of dates) {
    const raw = await open(server, date);
    const wanted = { code: 4711, message: 'sold out', data: { until: 'monday' } };
    assert.deepEqual(await raw.error('tools/call', { name: 'fail' }), wanted);
    assert.deepEqual(await raw.error('prompts/get', { name: 'fail' }), wanted);
    assert.deepEqual(await raw.error('resources/read', { uri: 'a://b' }), wanted);
  }
});

test('a result that comes while a question is open is reported with its place, unless it asks or failed', () => {
  const heard: string[] = [];
  const host = {
    onError: (error: Error, where: string) => heard.push(`${where}: ${error.message}`),
  } as unknown as ServerCore;
  const report = (result: object | undefined, params: object = {}): readonly string[] => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params } as never;
    reportUnanswered(host, message, result && ({ jsonrpc: '2.0', id: 1, ...result } as never));
    return heard.splice(0);
  };
  const why =
    'the handler returned before its question to the client was answered, or its ctx.once had ended; await ctx.elicit, ctx.once and their like';
  assert.deepEqual(report({ result: {} }, { name: 'x' }), [`tools/call "x": ${why}`]);
  assert.deepEqual(report({ result: { isError: false, resultType: 'complete' } }), [`tools/call: ${why}`]);
  for (const other of [
    undefined,
    { error: { code: 1, message: 'x' } },
    { result: { isError: true } },
    { result: { resultType: 'input_required' } },
  ])
    assert.deepEqual(report(other), []);
  assert.deepEqual(report({ result: {} }, { uri: 'u'.repeat(201) }), [`tools/call "${'u'.repeat(200)}": ${why}`]);
});

test('an error is printed with a hint, the first of a tool and of another request each', (t) => {
  const printed: string[] = [];
  t.mock.method(console, 'error', (...words: readonly unknown[]) => printed.push(words.join(' ')));
  const print = errorPrinter(false);
  const hints = (where: string): number => {
    print('x', where);
    const [error, ...others] = printed.splice(0);
    assert.equal(error, `${where}: x`);
    return others.length;
  };
  const places = [
    'tool "a"',
    'tool "b"',
    'prompts/get "p"',
    'resources/read',
    'serving over HTTP',
    'tools/call',
    'tools/call',
  ];
  assert.deepEqual(places.map(hints), [1, 0, 1, 0, 0, 1, 0]);
  errorPrinter(true)('x', 'tool "a"');
  assert.equal(printed.splice(0).length, 1);
  errorPrinter(false)('x', 'tool "a"');
  errorPrinter()('x', 'tool "a"');
  assert.deepEqual(
    printed.map((line) => line.endsWith(', or set exposeErrors')),
    [false, true, false, false],
  );
});

test('a hook that fails, at once or later, is reported and stops nothing', async () => {
  const heard: unknown[] = [];
  const host = { onError: (error: unknown, where: string) => heard.push([error, where]) } as unknown as ServerCore;
  const error = new Error('no');
  assert.equal(
    guarded(host, 'hook', () => {
      throw error;
    }),
    undefined,
  );
  assert.deepEqual(heard.splice(0), [[error, 'hook']]);
  const later = guarded(host, 'hook', () => Promise.reject(error));
  await assert.rejects(
    async () => await later,
    (thrown) => thrown === error,
  );
  assert.deepEqual(heard.splice(0), [[error, 'hook']]);
  assert.equal(
    guarded(host, 'hook', () => 7),
    7,
  );
  assert.deepEqual(heard, []);
});
