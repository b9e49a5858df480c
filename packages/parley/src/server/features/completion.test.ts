import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, open, type Json } from '../../../../../test/support/raw.ts';
import type { Completer, Completions } from '../definition/definition.ts';
import { createServer, type Server } from '../server.ts';

function served(complete: Completer): Server {
  const server = createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined });
  server.prompt('p', { arguments: [{ name: 'a' }, { name: 'b' }], complete: { a: complete } }, () => 'x');
  server.resourceTemplate('user://{id}/{part}', { name: 'user', complete: { id: complete } }, () => 'x');
  return server;
}

const ofPrompt = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'v' } };

async function completed(found: Completions): Promise<Json> {
  const raw = await open(
    served(() => found),
    '2025-06-18',
  );
  const { completion } = await raw.result('completion/complete', ofPrompt);
  assert.ok(typeof completion === 'object' && completion !== null);
  return completion as Json;
}

const many = Array.from({ length: 150 }, (_, at) => `v${at}`);

for (const [what, found, wanted] of [
  ['a few values', ['x', 'y'], { values: ['x', 'y'], total: 2, hasMore: false }],
  ['no values', [], { values: [], total: 0, hasMore: false }],
  ['exactly 100', many.slice(0, 100), { values: many.slice(0, 100), total: 100, hasMore: false }],
  ['more than 100', many, { values: many.slice(0, 100), total: 150, hasMore: true }],
  ['values alone', { values: ['x'] }, { values: ['x'], hasMore: false }],
  ['values of a greater total', { values: ['x'], total: 7 }, { values: ['x'], total: 7, hasMore: true }],
  ['values with more to come', { values: ['x'], hasMore: true }, { values: ['x'], hasMore: true }],
  [
    'more than 100 that claim to be all',
    { values: many, hasMore: false },
    { values: many.slice(0, 100), hasMore: true },
  ],
] as const) {
  test(`${what}: at most 100 are sent, and whether there are more is true [compl-002]`, async () => {
    assert.deepEqual(await completed(found), wanted);
  });
}

test('a completer gets what was typed, by prompt, by template and by a URI of the template', async () => {
  for (const date of dates) {
    const seen: string[] = [];
    const raw = await open(
      served((value) => {
        seen.push(value);
        return [value];
      }),
      date,
    );
    await raw.result('completion/complete', ofPrompt);
    await raw.result('completion/complete', {
      ref: { type: 'ref/resource', uri: 'user://{id}/{part}' },
      argument: { name: 'id', value: 'w' },
    });
    await raw.result('completion/complete', {
      ref: { type: 'ref/resource', uri: 'user://7/x' },
      argument: { name: 'id', value: '' },
    });
    assert.deepEqual(seen, ['v', 'w', '']);
  }
});

test('what is settled already reaches the completer where the revision has it', async () => {
  for (const date of dates) {
    let seen: unknown;
    const raw = await open(
      served((_, ctx) => {
        seen = [ctx.arguments, ctx.revision, ctx.requestId, ctx.signal.aborted];
        return [];
      }),
      date,
    );
    await raw.result('completion/complete', { ...ofPrompt, context: { arguments: { b: 'set' } } }, 'c');
    assert.deepEqual(seen, [date < '2025-06-18' ? {} : { b: 'set' }, date, 'c', false]);
    await raw.result('completion/complete', ofPrompt);
    await raw.result('completion/complete', { ...ofPrompt, context: null });
    await raw.result('completion/complete', { ...ofPrompt, context: {} });
  }
});

test('an argument that nobody completes has no values', async () => {
  const raw = await open(
    served(() => ['x']),
    '2025-06-18',
  );
  for (const name of ['b', 'nobody', '__proto__', 'toString', 'constructor']) {
    assert.deepEqual(
      (await raw.result('completion/complete', { ...ofPrompt, argument: { name, value: '' } }))['completion'],
      { values: [], total: 0, hasMore: false },
    );
  }
});

for (const date of dates) {
  test(`references and arguments that are none are refused at ${date} [compl-004, compl-008]`, async () => {
    const raw = await open(
      served(() => ['x']),
      date,
    );
    const argument = { name: 'a', value: '' };
    for (const params of [
      {},
      { ref: ofPrompt.ref },
      { argument },
      { ref: { type: 'ref/prompt', name: 'nobody' }, argument },
      { ref: { type: 'ref/prompt', name: '__proto__' }, argument },
      { ref: { type: 'ref/prompt' }, argument },
      { ref: { type: 'ref/prompt', uri: 'user://{id}/{part}' }, argument },
      { ref: { type: 'ref/resource', uri: 'nothing://{id}' }, argument },
      { ref: { type: 'ref/resource' }, argument },
      { ref: { type: 'ref/resource', name: 'p' }, argument },
      { ref: { type: 'ref/tool', name: 'p' }, argument },
      { ref: { type: 'ref/tool', uri: 'user://{id}/{part}' }, argument },
      { ref: { name: 'p' }, argument },
      { ref: { type: 7, name: 'p' }, argument },
      { ref: 'p', argument },
      { ref: null, argument },
      { ref: ofPrompt.ref, argument: { name: 'a' } },
      { ref: ofPrompt.ref, argument: { value: '' } },
      { ref: ofPrompt.ref, argument: { name: 'a', value: 7 } },
      { ref: ofPrompt.ref, argument: 'a' },
    ]) {
      assert.equal((await raw.error('completion/complete', params)).code, -32602, JSON.stringify(params));
    }
  });

  test(`a server that completes nothing has no completion at ${date} [compl-001, compl-004]`, async () => {
    const server = createServer({ name: 's', version: '1' });
    server.prompt('p', {}, () => 'x');
    const raw = await open(server, date);
    const response = await raw.ask('completion/complete', ofPrompt);
    // 2024-11-05 has no capability for it, so nothing can be missing.
    assert.partialDeepStrictEqual(
      response,
      date === '2024-11-05' ? { result: { completion: { values: [] } } } : { error: { code: -32601 } },
    );
  });
}
