/** Odd shapes of lists and results, over HTTP; everything else is right. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreed, agrees } from './agreed.ts';
import { oddFetch } from './odd-fetch.ts';
import { outcomes, type Fetch, type Peer, type User } from './peers.ts';
import { rows, type Row } from './shape-rows.ts';

type Json = Readonly<Record<string, unknown>>;

const info = { name: 'odd', version: '1' };
const everything = { tools: {}, prompts: {}, resources: {}, completions: {} };
const session: Json = { protocolVersion: '2025-11-25', capabilities: everything, serverInfo: info };

/** What a server answers that a row says nothing of. */
const results: Readonly<Record<string, Json>> = {
  'tools/list': { tools: [{ name: 'odd', inputSchema: { type: 'object' } }] },
  'prompts/list': { prompts: [{ name: 'odd' }] },
  'resources/list': { resources: [{ uri: 'x:odd', name: 'odd' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'x:{odd}', name: 'odd' }] },
  initialize: session,
};

function serving({ method, result }: Row): Fetch {
  return oddFetch((message) => {
    if (message['method'] === method) return result as Json;
    if (method === 'server/discover' && message['method'] === 'tools/list')
      return { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...results['tools/list'] };
    return results[String(message['method'])];
  });
}

/** What a user of each method has in the end. */
const uses: Readonly<Record<string, (user: User) => Promise<string>>> = {
  initialize: async (user) => (await user.listTools()).map(({ name }) => name).join(),
  'server/discover': async (user) => (await user.listTools()).map(({ name }) => name).join(),
  'tools/list': async (user) => (await user.listTools()).map(({ name }) => name).join(),
  'prompts/list': async (user) => (await user.listPrompts()).map(({ name }) => name).join(),
  'resources/list': async (user) => (await user.listResources()).map(({ uri }) => uri).join(),
  'resources/templates/list': async (user) =>
    (await user.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate).join(),
  'tools/call': async (user) => JSON.stringify((await user.callTool('odd'))['content']),
  'prompts/get': async (user) => JSON.stringify((await user.getPrompt('odd'))['messages']),
  'resources/read': async (user) => JSON.stringify((await user.readResource('x:odd'))['contents']),
  'completion/complete': async (user) => JSON.stringify(await user.complete()).replace(/^\{"completion":(.*)\}$/, '$1'),
};

const peers: readonly Peer[] = ['1.32.2', '2.4.0', 'parley'];

for (const row of rows) {
  const { title, method, because } = row;
  test(`${method}: ${title}`, async () => {
    const use = uses[method];
    assert.ok(use !== undefined);
    const { error, ...made } = await outcomes({ fetch: serving(row) }, use);
    assert.deepEqual(
      peers.map((peer) => made[peer]),
      [row['1.32.2'], row['2.4.0'], row.parley],
      String(error),
    );
    // Stricter than an official client only for a reason.
    const isStricter = row.parley === 'fails' && (row['1.32.2'] !== 'fails' || row['2.4.0'] !== 'fails');
    assert.equal(isStricter, because !== undefined);
  });
}

const methods = ['initialize', 'server/discover', 'tools/list', 'tools/call', 'prompts/list', 'resources/list'];

for (const method of [...methods, 'resources/templates/list'])
  test(`${method}: explain, connect, call and bridge agree about each odd shape`, async () => {
    for (const row of rows.filter((one) => one.method === method)) {
      const made = await agreed({ fetch: serving(row) });
      assert.ok(agrees(made), `${row.title}: ${JSON.stringify(made)}`);
      if (method === 'initialize' || method === 'server/discover')
        assert.equal(made.connect.lists === 'fails', row.parley === 'fails', row.title);
    }
  });
