/** What a wish for input says of caching: nothing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { createServer, inputRequired } from '../../packages/parley/src/server.ts';
import { open, statelessDate } from '../support/raw.ts';

const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} };

test('a wish for input has no cache hint, whatever the resource and the server say [caching-002]', async () => {
  const cache = { ttlMs: 60_000, cacheScope: 'public' } as const;
  const server = createServer({ name: 'tested', version: '1.0.0' }, { cache });
  server.resource('a://asks', { name: 'asks', cache }, async (_, ctx) => JSON.stringify(await ctx.roots()));
  server.resource('a://by-hand', { name: 'by hand', cache }, (_, { inputResponses }) =>
    inputResponses === undefined ? inputRequired({ requests: { where: { method: 'roots/list' } } }) : 'x',
  );
  const raw = await open(server, statelessDate, { capabilities: everything });
  for (const uri of ['a://asks', 'a://by-hand']) {
    const { requestState, inputRequests, ...rest } = await raw.result('resources/read', { uri });
    assert.equal(rest['resultType'], 'input_required');
    assert.deepEqual(Object.keys(rest).toSorted(), ['_meta', 'resultType']);
    assert.ok(isObject(inputRequests));
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { roots: [] } };
    const done = await raw.result('resources/read', { uri, requestState, inputResponses });
    assert.partialDeepStrictEqual(done, { resultType: 'complete', ...cache });
  }
});
