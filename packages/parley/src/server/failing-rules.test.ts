/** Rules of who sees something that throw. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectInMemory } from '../testing.ts';
import { createServer } from './server.ts';

/** A rule that throws, and one that gives what no compiler takes. */
const wrong = {
  thrown: (): boolean => {
    throw new Error('the rule failed');
  },
  // A program without types can give a promise.
  later: (async () => true) as unknown as () => boolean,
};

for (const [how, visible] of Object.entries(wrong))
  test(`a rule that fails (${how}) leaves out its own entry and is reported`, async (t) => {
    const reported: string[] = [];
    const server = createServer({ name: 's', version: '1' }, { onError: (_, where) => void reported.push(where) });
    const hidden = { visible };
    server.tool('a', hidden, () => 'x');
    server.tool('b', {}, () => 'x');
    server.prompt('a', hidden, () => 'x');
    server.prompt('b', {}, () => 'x');
    server.resource('memo://a', { name: 'a', ...hidden }, () => 'x');
    server.resource('memo://b', { name: 'b' }, () => 'x');
    server.resourceTemplate('first://{id}', { name: 'a', ...hidden }, () => 'x');
    server.resourceTemplate('second://{id}', { name: 'b', list: () => [{ uri: 'second://1', name: 'c' }] }, () => 'x');
    const client = await connectInMemory(server, {});
    t.after(() => client.close());
    const lists = [
      (await client.listTools()).map(({ name }) => name),
      (await client.listPrompts()).map(({ name }) => name),
      (await client.listResources()).map(({ name }) => name),
      (await client.listResourceTemplates()).map(({ name }) => name),
    ];
    assert.deepEqual(lists, [['b'], ['b'], ['b', 'c'], ['b']]);
    const kinds = ['tool', 'prompt', 'resource', 'resource template'].map((kind) => `visible of a ${kind}`);
    assert.deepEqual([...new Set(reported)].toSorted(), kinds.toSorted());
    // A rule of another template is no reason to fail a read.
    assert.equal((await client.readResource('second://1')).contents.length, 1);
    await assert.rejects(client.callTool('c'), /c/);
  });

test('a rule that fails keeps its own tool from being called', async (t) => {
  const server = createServer({ name: 's', version: '1' }, { onError: () => undefined });
  server.tool('a', { visible: wrong.thrown }, () => 'x');
  const client = await connectInMemory(server, {});
  t.after(() => client.close());
  await assert.rejects(client.callTool('a'));
});
