import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../packages/parley/src/server.ts';
import { connectInMemory } from '../packages/parley/src/testing.ts';

/** A server with everything that changes. */
function changing(): ReturnType<typeof createServer> {
  const server = createServer({ name: 's', version: '1' }, { capabilities: { tools: {}, prompts: {}, resources: {} } });
  server.resource('memo://a', { name: 'a' }, () => 'x');
  return server;
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test(`a list has one word, at the server, as a topic and in events, at ${revision}`, async (t) => {
    const server = changing();
    const client = await connectInMemory(server, { revision });
    t.after(() => client.close());
    for (const list of ['tools', 'prompts', 'resources'] as const) {
      let heard = (_: unknown): void => undefined;
      const event = new Promise((resolve) => (heard = resolve));
      const subscription = await client.subscribe({ [list]: true }, (one) => heard(one));
      assert.deepEqual(subscription.honored, { [list]: true });
      server.changed(list);
      assert.deepEqual(await event, { type: 'list', list });
      await subscription.close();
    }
    let heard = (_: unknown): void => undefined;
    const event = new Promise((resolve) => (heard = resolve));
    await client.subscribe({ updates: ['memo://a'] }, (one) => heard(one));
    server.resourceUpdated('memo://a');
    assert.deepEqual(await event, { type: 'update', uri: 'memo://a' });
  });
}

test('words that mean nothing are refused, and the error names those that do', async (t) => {
  const server = changing();
  const client = await connectInMemory(server);
  t.after(() => client.close());
  const subscribe = (topics: object): Promise<unknown> => client.subscribe(topics, () => undefined);
  for (const [topics, message] of [
    [{ tools: true, resourceList: true }, /no topic "resourceList"; there are tools, prompts, resources and updates/],
    [{ resources: ['memo://a'] }, /resources is true or false; the URIs .* updates/],
    [{ updates: true }, /updates is a list of URIs; .* resources/],
    [{ updates: 'memo://a' }, /updates is a list of URIs/],
    [{ updates: [7] }, /updates is a list of URIs/],
    [{ tools: 'yes' }, /tools is true or false/],
  ] as const)
    await assert.rejects(subscribe(topics), (error) => error instanceof TypeError && message.test(error.message));
  for (const list of ['resourceList', 'tool', undefined, '__proto__', 'options'])
    assert.throws(
      () => server.changed(list as 'tools'),
      (error) => error instanceof TypeError && /there are tools, resources, prompts/.test(error.message),
    );
});
