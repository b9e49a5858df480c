import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeBefore, clientOf, serverAt } from '../../../../../../test/support/bridged.ts';

test('a question that a revision does not have is one of the revision in which the server was called, whoever hears of it', async (t) => {
  const server = serverAt('2024-11-05');
  server.tool('ask', {}, async (_, ctx) => {
    await ctx.elicit({ message: 'Sure?', schema: { type: 'object', properties: {} } });
    return 'done';
  });
  const client = await clientOf(t, await bridgeBefore(t, server), '2025-06-18', {
    onElicit: () => ({ action: 'accept' }),
  });
  const words = /elicitation\/create does not exist in 2024-11-05, the revision in which this server was called/;
  const said = await client.callTool('ask').then(
    (result) => JSON.stringify(result),
    (error: unknown) => String(error),
  );
  assert.match(said, words);
  assert.doesNotMatch(said, /revision of this client/);
});
