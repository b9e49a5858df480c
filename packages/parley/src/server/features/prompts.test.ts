import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { dates, open, type Json } from '../../../../../test/support/raw.ts';
import type { PromptReturn } from '../definition/definition.ts';
import { createServer, type Server } from '../server.ts';

function empty(): Server {
  return createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined });
}

const hello = { role: 'user', content: { type: 'text', text: 'Hello.' } } as const;
const answer = { role: 'assistant', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } } as const;

const forms: readonly (readonly [string, PromptReturn, Json])[] = [
  ['text', 'Hello.', { description: 'Greets.', messages: [hello] }],
  ['one message', answer, { description: 'Greets.', messages: [answer] }],
  ['several messages', [hello, answer], { description: 'Greets.', messages: [hello, answer] }],
  ['no messages', [], { description: 'Greets.', messages: [] }],
  ['a whole result', { description: 'Own.', messages: [hello] }, { description: 'Own.', messages: [hello] }],
  ['a whole result without description', { messages: [hello] }, { description: 'Greets.', messages: [hello] }],
];

for (const [what, given, wanted] of forms) {
  test(`a prompt may give ${what} [prompts-006, prompts-015]`, async () => {
    const server = empty();
    server.prompt('greet', { description: 'Greets.' }, () => given);
    for (const date of dates) {
      const raw = await open(server, date);
      assert.partialDeepStrictEqual(await raw.result('prompts/get', { name: 'greet' }), wanted);
    }
  });
}

test('audio in a message is text where the revision has none, an embedded resource goes everywhere [prompts-007, prompts-008]', async () => {
  const server = empty();
  const resource = { uri: 'a://b', mimeType: 'text/plain', text: 'x' };
  server.prompt('play', {}, () => [
    { role: 'user', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } },
    { role: 'user', content: { type: 'resource', resource } },
  ]);
  for (const date of dates) {
    const raw = await open(server, date);
    const audio = date === '2024-11-05' ? { type: 'text' } : { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
    assert.partialDeepStrictEqual(await raw.result('prompts/get', { name: 'play' }), {
      messages: [{ content: audio }, { content: { type: 'resource', resource } }],
    });
  }
});

test('something else from a prompt is an internal error [prompts-010]', async () => {
  for (const given of [undefined, null, 7, {}]) {
    const server = empty();
    server.prompt('bad', {}, () => given as unknown as string);
    const raw = await open(server, '2025-11-25');
    assert.deepEqual(await raw.error('prompts/get', { name: 'bad' }), { code: -32603, message: 'internal error' });
  }
});

for (const date of dates) {
  test(`a prompt that is not there and arguments that do not fit are refused at ${date} [prompts-009, prompts-011]`, async () => {
    const server = empty();
    const list = [{ name: 'who', required: true }, { name: 'tone' }, { name: 'toString', required: true }] as const;
    server.prompt('listed', { arguments: list }, ({ who }) => `Greet ${who}.`);
    server.prompt('schema', { arguments: z.object({ who: z.string().min(2) }) }, ({ who }) => `Greet ${who}.`);
    server.prompt('hidden', {}, () => 'x').disable();
    const raw = await open(server, date);
    for (const params of [
      {},
      { name: 7 },
      { name: null },
      { name: 'hidden' },
      { name: '__proto__' },
      { name: 'x'.repeat(10_000) },
      { name: 'listed' },
      { name: 'listed', arguments: {} },
      { name: 'listed', arguments: { who: 'Ada' } },
      { name: 'listed', arguments: { who: 7, toString: 'x' } },
      { name: 'listed', arguments: { who: null, toString: 'x' } },
      { name: 'listed', arguments: [] },
      { name: 'listed', arguments: 'Ada' },
      { name: 'schema' },
      { name: 'schema', arguments: { who: 'A' } },
    ]) {
      const { code, message } = await raw.error('prompts/get', params);
      assert.equal(code, -32602, JSON.stringify(params));
      assert.ok(message.length < 500);
    }
    await raw.result('prompts/get', { name: 'listed', arguments: { who: 'Ada', toString: 'x' } });
    await raw.result('prompts/get', { name: 'schema', arguments: { who: 'Ada' } });
  });
}

test('the error names every argument that is missing [prompts-009]', async () => {
  const server = empty();
  server.prompt(
    'p',
    {
      arguments: [
        { name: 'a', required: true },
        { name: 'b', required: true },
      ],
    },
    () => 'x',
  );
  const raw = await open(server, '2025-06-18');
  const { message } = await raw.error('prompts/get', { name: 'p' });
  assert.ok(message.includes('"a"') && message.includes('"b"'), message);
});

test('arguments of a schema are listed, and given as the schema makes them', async () => {
  const server = empty();
  const schema = z.object({
    count: z.string().regex(/^\d+$/).describe('How many.'),
    tone: z.string().default('warm').meta({ title: 'Tone' }),
  });
  server.prompt('p', { arguments: schema }, (args) => JSON.stringify(args));
  const raw = await open(server, '2025-06-18');
  assert.deepEqual((await raw.result('prompts/list'))['prompts'], [
    {
      name: 'p',
      arguments: [
        { name: 'count', description: 'How many.', required: true },
        { name: 'tone', title: 'Tone', required: false },
      ],
    },
  ]);
  assert.partialDeepStrictEqual(await raw.result('prompts/get', { name: 'p', arguments: { count: '3' } }), {
    messages: [{ content: { text: '{"count":"3","tone":"warm"}' } }],
  });
});

test('prompts are listed in the words of the revision, fields of their own untouched', async () => {
  const server = empty();
  const icons = [{ src: 'https://a.example/i.png' }];
  server.prompt(
    'p',
    {
      title: 'P',
      description: 'D',
      icons,
      meta: { 'com.example/x': [1] },
      arguments: [{ name: 'a', title: 'A', description: 'd', required: false }],
    },
    () => 'x',
  );
  for (const date of dates) {
    const raw = await open(server, date);
    const since06 = date >= '2025-06-18';
    assert.deepEqual((await raw.result('prompts/list'))['prompts'], [
      {
        name: 'p',
        description: 'D',
        arguments: [{ name: 'a', description: 'd', required: false, ...(since06 ? { title: 'A' } : {}) }],
        _meta: { 'com.example/x': [1] },
        ...(since06 ? { title: 'P' } : {}),
        ...(date >= '2025-11-25' ? { icons } : {}),
      },
    ]);
  }
});

test('handles update, hide, show and remove prompts', async () => {
  const server = empty();
  const handle = server.prompt('p', { title: 'Old' }, () => 'x');
  const raw = await open(server, '2025-06-18');
  const list = async (): Promise<unknown> => (await raw.result('prompts/list'))['prompts'];
  handle.update({ title: 'New' });
  assert.deepEqual(await list(), [{ name: 'p', title: 'New' }]);
  handle.disable();
  assert.deepEqual(await list(), []);
  handle.enable();
  handle.remove();
  assert.deepEqual(await list(), []);
  assert.equal((await raw.error('prompts/get', { name: 'p' })).code, -32602);
  assert.throws(() => server.prompt('', {}, () => 'x'), TypeError);
});
