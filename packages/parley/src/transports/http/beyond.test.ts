import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../server/server.ts';
import { begin, settle, visit, type FakeVisit, type Sent } from '../../../../../test/support/fake-http.ts';
import { createHttpHandler } from './server/handler.ts';

test('at the limit of requests a session may still answer what it was asked, and cancel, but begin nothing', async () => {
  const server = createServer({ name: 's', version: '1' });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  server.tool('wait', { description: 'd' }, async () => {
    await held;
    return 'x';
  });
  const schema = { type: 'object', properties: {} } as const;
  server.tool('ask', { description: 'd' }, async (_, ctx) => (await ctx.elicit({ message: 'm', schema })).action);
  const handler = createHttpHandler(server, { maxRequests: 1 });
  const capabilities = { elicitation: {} };
  const params = { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'c', version: '1' } };
  const opened = await visit(handler, post({ id: 1, method: 'initialize', params }));
  const session = { 'Mcp-Session-Id': opened.headers['mcp-session-id'] };
  await visit(handler, post({ method: 'notifications/initialized' }, session));
  await settle();
  const asking = await begin(handler, post(callOf(2, 'ask'), session)).until(({ events }) => events.length > 0);
  const question = asking.events.at(-1) as { readonly id: string };

  const waiting: FakeVisit = begin(handler, post(callOf(3, 'wait'), session));
  assert.equal((await visit(handler, post(callOf(4, 'wait'), session))).status, 503);
  assert.equal((await visit(handler, post({ id: question.id, result: { action: 'decline' } }, session))).status, 202);
  assert.equal((await asking.until(({ ended }) => ended)).written.includes('decline'), true);
  const cancelled = post({ method: 'notifications/cancelled', params: { requestId: 3 } }, session);
  assert.equal((await visit(handler, cancelled)).status, 202);
  release();
  await waiting.until(({ status }) => status !== undefined);
  await handler.close();
});

function callOf(id: number, name: string): object {
  return { id, method: 'tools/call', params: { name, arguments: {} } };
}

function post(message: object, headers: Readonly<Record<string, string | undefined>> = {}): Sent {
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) };
}
