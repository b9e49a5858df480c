import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, McpError } from '../../client.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import { ToolError } from './tool-result.ts';
import { createServer } from '../server.ts';

test('a ToolError is told by prompts, reads and own methods too, and is no failure of the server', async (t) => {
  const told: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => told.push(error) });
  const fail = (): never => {
    throw new ToolError('there is no such city', { cause: new Error('a secret') });
  };
  server.prompt('p', {}, fail);
  server.resource('city://x', { name: 'x' }, async () => fail());
  server.resourceTemplate('town://{name}', { name: 'y' }, fail);
  server.method('example/own', {}, fail);
  const client = await connect(memoryTransport(server));
  t.after(() => client.close());
  for (const ask of [
    () => client.getPrompt('p'),
    () => client.readResource('city://x'),
    () => client.readResource('town://x'),
    () => client.request('example/own', {}),
  ])
    await assert.rejects(ask(), (error) => {
      assert.ok(error instanceof McpError);
      assert.deepEqual([error.kind, error.message, error.data], ['internalError', 'there is no such city', undefined]);
      return true;
    });
  assert.deepEqual(told, []);
});
