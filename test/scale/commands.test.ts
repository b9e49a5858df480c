/** What a store is asked: it is used where a service needs it, and by nothing else. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { define, World } from './definition.ts';
import { startService, url, type Service } from './service.ts';
import { Speaker } from './speaker.ts';

const ten = Array.from({ length: 10 }, (_, at) => at);

function service(t: TestContext): Service {
  return startService(t, define(new World()), { nodes: 3, isRemote: false });
}

/** Number of commands, once what follows from what was done is done too: lists are told of 100 ms after they changed. */
async function commandsOf(over: Service): Promise<number> {
  for (;;) {
    const before = over.commands();
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (over.commands() === before) return before;
  }
}

test('a stateless call asks the store that is given for nothing', async (t) => {
  const over = service(t);
  const client = await connect(url, { fetch: over.fetch, revisions: ['2026-07-28'] });
  await client.callTool('where');
  const before = await commandsOf(over);
  for (const _ of ten) await client.callTool('where');
  assert.equal(await commandsOf(over), before);
  await client.close();
});

test('a session is known to the store before its client knows it, and costs nothing more where its copy is', async (t) => {
  const over = service(t);
  const client = await new Speaker(over, '2025-11-25').open(0, 0);
  assert.ok(over.commands() > 0);
  await client.request(0, 'ping').whole();
  const before = await commandsOf(over);
  for (const _ of ten) assert.equal(await client.request(0, 'ping').status(), 200);
  assert.equal(await commandsOf(over), before);
});

test('a session that comes to each process in turn is looked up by each, and then believed by all', async (t) => {
  const over = service(t);
  const client = await new Speaker(over, '2025-11-25').open(0, 1);
  const before = await commandsOf(over);
  for (const at of [0, 1, 2]) assert.equal(await client.request(at, 'ping').status(), 200);
  const known = await commandsOf(over);
  assert.ok(known > before);
  for (const at of ten) assert.equal(await client.request(at, 'ping').status(), 200);
  assert.equal(await commandsOf(over), known);
});
