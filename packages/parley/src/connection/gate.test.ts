import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dates,
  handshakeDates,
  initializeParams,
  open,
  settle,
  statelessDate,
  type Json,
} from '../../../../test/support/raw.ts';
import { methodOf } from '../protocol/catalogue.ts';
import { newestRevision } from '../protocol/revision.ts';
import { createServer, type Server } from '../server/server.ts';
import type { ServerOptions } from '../server/definition/options.ts';
import { gate } from './gate.ts';

const info = { name: 'tested', version: '1.0.0' };

function served(options: ServerOptions = {}): Server {
  const server = createServer(info, { onError: () => undefined, ...options });
  server.tool('echo', { input: { type: 'object' } }, (args) => JSON.stringify(args));
  return server;
}

const nowhere = [
  'nobody/knows',
  'tools/juggle',
  '',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  'TOOLS/LIST',
];
const serverOnly = ['sampling/createMessage', 'elicitation/create', 'roots/list'];
const notifications = ['notifications/initialized', 'notifications/cancelled', 'notifications/message'];

for (const date of dates) {
  test(`methods that nobody has, that servers send and that are no requests are not found at ${date}`, async () => {
    const raw = await open(served(), date);
    for (const method of [...nowhere, ...serverOnly, ...notifications]) {
      assert.equal((await raw.error(method, { messages: [], maxTokens: 1, requestId: 1 })).code, -32601, method);
    }
  });
}

test('methods of the handshake are gone from the stateless revision [ping-005, logging-007, resources-007]', async () => {
  const raw = await open(served({ capabilities: { resources: {} } }), statelessDate);
  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'tasks/result',
  ]) {
    assert.equal(
      (await raw.error(method, { ...initializeParams('2025-06-18'), level: 'info', uri: 'a://b', taskId: 't' })).code,
      -32601,
      method,
    );
  }
});

for (const date of handshakeDates) {
  test(`methods of the stateless revision are not found at ${date} [lifecycle-008]`, async () => {
    const raw = await open(served(), date);
    for (const method of ['server/discover', 'subscriptions/listen', 'tasks/update']) {
      assert.equal(
        (await raw.error(method, { notifications: {}, taskId: 't', inputResponses: {} })).code,
        -32601,
        method,
      );
    }
  });
}

for (const date of dates) {
  test(`tasks are not found at ${date} on a server without them [B03]`, async () => {
    const raw = await open(served(), date);
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/list', 'tasks/result', 'tasks/update']) {
      assert.equal((await raw.error(method, { taskId: 't', inputResponses: {} })).code, -32601, method);
    }
  });

  test(`what the server does not offer is not found at ${date}, whatever the client declares [prompts-013, D09, D18, D19, D20]`, async () => {
    const bare = createServer(info, { logging: false });
    const raw = await open(bare, date, { capabilities: { tools: {}, prompts: {}, resources: {} } });
    for (const method of [
      'tools/list',
      'tools/call',
      'prompts/list',
      'prompts/get',
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'resources/subscribe',
      'logging/setLevel',
    ]) {
      assert.equal((await raw.error(method, { name: 'a', uri: 'a://b', level: 'info' })).code, -32601, method);
    }
  });

  test(`what the server offers is served at ${date} to a client that declares nothing [D18, D19, D20, D30]`, async () => {
    const raw = await open(served(), date);
    assert.ok(Array.isArray((await raw.result('tools/list'))['tools']));
  });
}

test('what the server says of a feature of the client needs no promise of its own', async () => {
  const server = served();
  server.tool('visit', {}, async (_, ctx) => {
    const visit = await ctx.elicitUrl({ message: 'Go there.', url: 'https://a.example/' });
    visit.completed();
    return visit.action;
  });
  const raw = await open(server, '2025-11-25', { capabilities: { elicitation: { url: {} } } });
  const answer = raw.result('tools/call', { name: 'visit' });
  await settle();
  const [question] = raw.take();
  assert.equal(question?.['method'], 'elicitation/create');
  await raw.receive({ jsonrpc: '2.0', id: question?.['id'], result: { action: 'accept' } });
  assert.partialDeepStrictEqual(await answer, { content: [{ text: 'accept' }] });
  const { elicitationId } = (question?.['params'] ?? {}) as Json;
  assert.deepEqual(raw.take(), [
    { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } },
  ]);
});

test('a method of an extension is there for a server that has the extension, in the revisions that make it one', () => {
  const refusal = { kind: 'methodNotFound', message: /needs the extension io\.modelcontextprotocol\/tasks/ };
  assert.throws(() => gate('tasks/get', newestRevision, {}), refusal);
  const row = gate('tasks/get', newestRevision, { extensions: { 'io.modelcontextprotocol/tasks': {} } });
  assert.equal(row, methodOf('tasks/get'));
});
