import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Raw, withMeta } from '../../test/support/raw.ts';
import { createServer } from './server.ts';

const nonsense: readonly unknown[] = [
  { content: [null] },
  { content: [{ type: 'image', data: 5, mimeType: 'image/png' }] },
  { content: [{ type: 'text' }] },
  { content: [], isError: 'yes' },
];

for (const [index, result] of nonsense.entries()) {
  test(`a tool's result that is none is not sent, and the server hears of it (${index})`, async () => {
    const errors: unknown[] = [];
    const server = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
    // What a program without types may return.
    server.tool('wrong', {}, () => result as string);
    const answer = await new Raw(server, false).result('tools/call', withMeta({ name: 'wrong' }));
    assert.partialDeepStrictEqual(answer, {
      isError: true,
      content: [{ type: 'text', text: 'the tool "wrong" failed' }],
    });
    assert.match(String(errors[0]), /tool "wrong" returned what cannot be sent: \S+ /);
  });
}

test('a prompt and a resource that are none are an internal error, without a word of them', async () => {
  const errors: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
  server.prompt('wrong', {}, () => [{ role: 'system', content: 'secret' }] as never);
  server.resource('x://y', { name: 'y' }, () => ({ contents: [{ uri: 'x://y' }] }) as never);
  const raw = new Raw(server, false);
  for (const [method, params] of [
    ['prompts/get', { name: 'wrong' }],
    ['resources/read', { uri: 'x://y' }],
  ] as const) {
    const error = await raw.error(method, withMeta(params));
    assert.deepEqual([error['code'], error['message']], [-32603, 'internal error']);
  }
  assert.equal(errors.length, 2);
});
