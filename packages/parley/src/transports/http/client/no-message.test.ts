/** Which JSON counts as a message, however badly it is made. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerJson, open, request } from '../../../../../../test/support/http-answers.ts';

test('JSON in place of an answer is a message by its version, its error, or its id with a result', async (t) => {
  let body: unknown;
  const { channel, heard } = await open(t, (_, outgoing) => answerJson(outgoing, body));
  for (const message of [
    { jsonrpc: '2.0', id: 1, result: {} },
    { id: 1, result: {} },
    { id: '1', result: {} },
    { error: { code: -32600, message: 'x' } },
    { jsonrpc: '1.0' },
    [7, { id: 1, result: {} }],
  ]) {
    body = message;
    await channel.send(request).catch(() => undefined);
    assert.equal(heard.splice(0).length, 1, JSON.stringify(message));
  }
  for (const other of [
    { id: 1 },
    { result: {} },
    { id: null, result: {} },
    { error: 'x' },
    {},
    7,
    'x',
    null,
    [],
    [{ id: 1 }],
  ]) {
    body = other;
    await assert.rejects(channel.send(request), { reason: 'invalid-message', message: /is no message of MCP/ });
    assert.deepEqual(heard, [], JSON.stringify(other));
  }
});
