/** Two resource templates that match one URI ask under one key. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf, open, settle, statelessDate } from '../../../../../../test/support/raw.ts';
import { createServer } from '../../server.ts';

test('two open questions of one request need different keys, and the second is refused by name', async () => {
  const failures: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => void failures.push(error) });
  const question = { message: 'q', schema: { type: 'object', properties: {} } } as const;
  server.resourceTemplate('memo:{one}', { name: 'one' }, (_uri, _variables, ctx) => {
    // Nothing is found here, so that the next template is asked.
    void ctx.elicit(question, { key: 'q' }).catch(() => undefined);
    return undefined;
  });
  server.resourceTemplate('memo:{two}', { name: 'two' }, async (_uri, _variables, ctx) => {
    await ctx.elicit(question, { key: 'q' });
    return 'found';
  });
  const raw = await open(server, statelessDate, { capabilities: { elicitation: { form: {} } } });
  assert.equal(errorOf(await raw.ask('resources/read', { uri: 'memo:x' })).code, -32603);
  await settle();
  assert.match(String(failures[0]), /^TypeError: two questions wait under the key "q"; give each a key of its own/);
});
