/** Machines at servers that publish nothing of who authorizes. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { listen } from '../../../../../../test/support/http-answers.ts';
import { connect } from '../../../client.ts';
import { clientCredentials } from '../../../oauth.ts';
import type { RevisionDate } from '../../../protocol/revision.ts';

interface Scene {
  readonly url: string;
  /** Token requests that came. */
  readonly asked: readonly string[];
  readonly warnings: readonly string[];
  readonly auth: ReturnType<typeof clientCredentials>;
}

/** A server of a revision with sessions, without metadata; it wants a token for all, or for what follows `initialize`. */
async function scene(t: TestContext, date: RevisionDate, isOpenAtFirst: boolean): Promise<Scene> {
  const asked: string[] = [];
  const warnings: string[] = [];
  const url = await listen(t, async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const reply = (body: object): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/token') {
      asked.push(text);
      return reply({ access_token: 'secret-token', token_type: 'Bearer', expires_in: 3600 });
    }
    if (request.url !== '/mcp' || request.method !== 'POST') return void response.writeHead(404).end();
    const { id, method } = JSON.parse(text) as { readonly id?: number; readonly method: string };
    const isIn = request.headers.authorization === 'Bearer secret-token';
    if (!isIn && !(isOpenAtFirst && method === 'initialize')) return void response.writeHead(401).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'server/discover')
      return reply({ jsonrpc: '2.0', id, error: { code: -32601, message: 'there is no such method' } });
    const serverInfo = { name: 's', version: '1' };
    reply({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: date, capabilities: { tools: {} }, serverInfo, content: [] },
    });
  });
  const auth = clientCredentials({
    id: 'machine',
    secret: 'secret of the machine',
    onEvent: (event) => void (event.kind === 'warning' && warnings.push(event.message)),
  });
  return { url, asked, warnings, auth };
}

const nowhere = { name: 'AuthorizationError', reason: 'discovery' };

test('a machine that speaks 2025-03-26 asks for tokens where that has them without metadata, and says that it guesses [auth-011]', async (t) => {
  const { url, asked, warnings, auth } = await scene(t, '2025-03-26', false);
  const client = await connect(url, { auth });
  t.after(() => client.close());
  await client.callTool('x');
  assert.equal(asked.length, 1);
  assert.match(warnings.join('\n'), /publishes no metadata: that tokens are given at .*\/token is a guess/);
});

test('a machine that speaks later revisions alone shows its secret to no endpoint that is guessed', async (t) => {
  for (const date of ['2025-06-18', '2025-11-25'] as const) {
    const { url, asked, auth } = await scene(t, date, false);
    await assert.rejects(connect(url, { auth, revisions: [date] }), nowhere);
    assert.deepEqual(asked, []);
  }
});

test('so does one that has settled a later revision', async (t) => {
  const { url, asked, auth } = await scene(t, '2025-11-25', true);
  await assert.rejects(connect(url, { auth, revisions: ['2025-03-26', '2025-11-25'] }), nowhere);
  assert.deepEqual(asked, []);
});
