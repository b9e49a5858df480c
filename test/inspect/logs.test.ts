/** What servers log, in the local process of `parley inspect`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { createServer, McpError } from '../../packages/parley/src/server.ts';
import { connected, inspecting, noPage, outcomeOf, planAt, served } from '../support/inspected.ts';

const skip = noPage;

test('what a server logs is asked for where it has to be, and a person may take that back', { skip }, async (t) => {
  const server = createServer({ name: 'talks', version: '1' }, { capabilities: { logging: {} } });
  server.tool('talk', {}, (_, ctx) => {
    ctx.log('debug', 'said');
    return 'done';
  });
  const scene = await inspecting(t, [planAt(await served(t, server))]);
  await connected(scene);
  const { server: view } = await scene.line('server', ({ server: { version } }) => version > 0);
  assert.deepEqual([view.logLevel, view.logsOnRequest], ['debug', true]);
  await outcomeOf(scene, { name: 'talk', text: '{}' });
  const { logs } = await scene.line('logs');
  assert.deepEqual(
    logs.map(({ level, text }) => [level, text]),
    [['debug', 'said']],
  );
  await scene.json('log-level', { server: 'A', level: '' });
  await outcomeOf(scene, { name: 'talk', text: '{}' });
  assert.equal(scene.lines.filter(({ kind }) => kind === 'logs').length, 1);
  await scene.json('connect', { server: 'A', revision: '2025-06-18' });
  await scene.line('server', (line) => line.server.revision === '2025-06-18' && !line.server.logsOnRequest);
  assert.equal((await scene.post('log-level', { server: 'A', level: '' })).status, 409);
});

test('a level that is none is refused, and the one before is kept', { skip }, async (t) => {
  const scene = await inspecting(t, [planAt(await served(t, createExampleServer()))], { revision: '2025-11-25' });
  await connected(scene);
  const response = await scene.post('log-level', { server: 'A', level: 'nonsense' });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /a level is one of debug, info, /);
  assert.ok(scene.lines.every((line) => line.kind !== 'server' || line.server.logLevel === ''));
});

test('a server that refuses a log level serves all the same', { skip }, async (t) => {
  const server = createExampleServer();
  server.use('logging/setLevel', () => {
    throw new McpError(-32_602, 'no such level here');
  });
  const scene = await inspecting(t, [planAt(await served(t, server))], { revision: '2025-11-25' });
  await connected(scene);
  const response = await scene.post('log-level', { server: 'A', level: 'error' });
  assert.equal(response.status, 500);
  await response.text();
  await scene.json('connect', { server: 'A', revision: '2025-11-25' });
  await scene.line('server', (line) => line.server.state === 'connected' && line.server.version > 1);
});
