/** Resources that somebody watches and may not see any more. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handshakeDates, open, settle, type Json, type Raw } from '../../../../test/support/raw.ts';
import type { AuthInfo } from './runtime/request-handler.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import type { ServerOptions } from './definition/options.ts';
import { createServer, type Server } from './server.ts';

function withOne(options: ServerOptions = {}): Server {
  const server = createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined, ...options });
  server.resource('memo://one', { name: 'one' }, () => 'x');
  return server;
}

const isAdmin = (auth: AuthInfo | undefined): boolean => auth?.claims?.['role'] === 'admin';

function ann(role: string): AuthInfo {
  return { principal: 'ann', claims: { role } };
}

/** A server with a resource for admins and one for everybody, and the updates of both that a conversation heard since. */
async function restricted(date: RevisionDate): Promise<{
  readonly raw: Raw;
  heard(): Promise<readonly unknown[]>;
}> {
  const server = withOne();
  server.resource('memo://secret', { name: 'secret', visible: isAdmin }, () => 'x');
  server.resourceTemplate('vault://{id}', { name: 'vault', visible: isAdmin }, () => 'x');
  const raw = await open(server, date, { auth: ann('admin') });
  const heard = async (): Promise<readonly unknown[]> => {
    await settle();
    raw.take();
    for (const uri of ['memo://one', 'memo://secret', 'vault://1']) server.resourceUpdated(uri);
    await settle();
    return raw.take().map(({ params }) => (params as Json)['uri']);
  };
  return { raw, heard };
}

for (const date of handshakeDates)
  test(`a session hears of no resource that its newest token may not see at ${date}`, async () => {
    const { raw, heard } = await restricted(date);
    for (const uri of ['memo://one', 'memo://secret', 'vault://1']) await raw.result('resources/subscribe', { uri });
    assert.deepEqual(await heard(), ['memo://one', 'memo://secret', 'vault://1']);
    const ping = { jsonrpc: '2.0', id: 'ping', method: 'ping' };
    await raw.conversation.receive(ping, ann('guest'));
    assert.deepEqual(await heard(), ['memo://one']);
    // Nothing was forgotten: whoever sees it again hears of it again.
    await raw.conversation.receive(ping, ann('admin'));
    assert.deepEqual(await heard(), ['memo://one', 'memo://secret', 'vault://1']);
  });

test('what becomes invisible while somebody watches it is told no more', async () => {
  const server = withOne();
  const handle = server.resource('memo://two', { name: 'two' }, () => 'x');
  const sessions = [await open(server, '2025-11-25', { auth: ann('guest') })];
  sessions.push(await open(server, '2025-11-25', { auth: ann('admin') }));
  for (const raw of sessions) await raw.result('resources/subscribe', { uri: 'memo://two' });
  handle.update({ visible: isAdmin });
  await settle();
  for (const raw of sessions) raw.take();
  server.resourceUpdated('memo://two');
  await settle();
  assert.deepEqual(
    sessions.map((raw) => raw.methods),
    [[], ['notifications/resources/updated']],
  );
});

test('a rule that fails keeps one resource from those who watch it, and is told to the host', async () => {
  const told: unknown[] = [];
  let fails = false;
  const server = withOne({ onError: (error) => told.push(error) });
  const visible = (): boolean => {
    if (fails) throw new Error('the rule failed');
    return true;
  };
  server.resource('memo://two', { name: 'two', visible }, () => 'x');
  const raw = await open(server, '2025-11-25');
  for (const uri of ['memo://one', 'memo://two']) await raw.result('resources/subscribe', { uri });
  fails = true;
  raw.take();
  for (const uri of ['memo://two', 'memo://one']) server.resourceUpdated(uri);
  await settle();
  assert.deepEqual(
    raw.take().map(({ params }) => params),
    [{ uri: 'memo://one' }],
  );
  assert.deepEqual(told.map(String), ['Error: the rule failed']);
});
