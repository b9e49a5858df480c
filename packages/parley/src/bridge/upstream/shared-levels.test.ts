/** Log levels of sessions: on the connection that all share, and on one that was closed meanwhile. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeBefore, clientOf, lineOver, bridgeTo, serverAt } from '../../../../../test/support/bridged.ts';
import { settle } from '../../../../../test/support/raw.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import type { Server } from '../../server/server.ts';

/** A server that logs, and the levels that were set there. */
function logging(levels: unknown[]): Server {
  const server = serverAt('2025-06-18');
  server.tool('log', {}, (_, ctx) => {
    for (const level of ['debug', 'warning', 'error'] as const) ctx.log(level, level);
    return 'logged';
  });
  server.use('logging/setLevel', (passing, next) => {
    levels.push(passing.params['level']);
    return next();
  });
  return server;
}

test('a shared connection has the most verbose level of its sessions, as long as they live', async (t) => {
  const levels: unknown[] = [];
  const bridge = await bridgeBefore(t, logging(levels), { sharing: 'shared' });
  const [one, other] = [await clientOf(t, bridge, '2025-06-18'), await clientOf(t, bridge, '2025-11-25')];
  await one.setLogLevel('error');
  await other.setLogLevel('debug');
  await one.setLogLevel('warning');
  assert.deepEqual(levels.splice(0), ['error', 'debug', 'debug']);
  await other.close();
  await settle();
  await one.setLogLevel('error');
  assert.deepEqual(levels, ['error']);
});

test('a session whose connection made room has its level again on the next one', async (t) => {
  const levels: unknown[] = [];
  const line = lineOver(memoryTransport(logging(levels)));
  const bridge = await bridgeTo(t, line.transport, { maxUpstreams: 2 });
  const heard: unknown[] = [];
  const one = await clientOf(t, bridge, '2025-06-18', { onLog: ({ data }) => heard.push(data) });
  await one.setLogLevel('error');
  await one.listTools();
  const other = await clientOf(t, bridge, '2025-06-18');
  await other.listTools();
  assert.equal(line.open, 2);
  levels.length = 0;
  await one.callTool('log');
  assert.deepEqual([levels, heard, line.open], [['error'], ['error'], 2]);
});
