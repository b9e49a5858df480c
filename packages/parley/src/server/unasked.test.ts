import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, statelessDate } from '../../../../test/support/raw.ts';
import type { ToolContext } from './definition/tool-context.ts';
import { inputRequired } from './definition/input-required.ts';
import { createServer } from './server.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const capabilities = { elicitation: { form: {} }, roots: {} };
const junk = [5, null, 'x', [], {}, { roots: 'none' }, { action: 'shout' }];

const manual = (ctx: ToolContext): unknown =>
  ctx.inputResponses === undefined
    ? inputRequired({ requests: { a: { method: 'roots/list' } } })
    : JSON.stringify(ctx.inputResponses);

for (const [how, run, answer, text] of [
  [
    'by ctx.elicit',
    async (ctx: ToolContext) => JSON.stringify(await ctx.elicit({ message: 'a', schema }, { key: 'a' })),
    { action: 'accept', content: { name: 'Ann' } },
    '{"action":"accept","content":{"name":"Ann"}}',
  ],
  ['by hand', manual, { roots: [] }, '{"a":{"roots":[]}}'],
] as const) {
  for (const other of junk) {
    test(`an unasked entry of unknown shape is ignored, asked ${how}: ${JSON.stringify(other)} [mrtr-023, mrtr-025]`, async () => {
      const server = createServer({ name: 's', version: '1' });
      server.tool('t', {}, (_args, ctx) => run(ctx) as string);
      const client = await open(server, statelessDate, { capabilities });
      const { requestState, resultType } = await client.result('tools/call', { name: 't', inputResponses: { other } });
      assert.equal(resultType, 'input_required');
      const inputResponses = { other, a: answer };
      assert.partialDeepStrictEqual(await client.result('tools/call', { name: 't', requestState, inputResponses }), {
        content: [{ text }],
      });
    });
  }
}

for (const other of junk) {
  test(`an asked entry of unknown shape is asked again: ${JSON.stringify(other)} [mrtr-023, mrtr-026]`, async () => {
    const server = createServer({ name: 's', version: '1' });
    server.tool('t', {}, async (_args, ctx) => (await ctx.elicit({ message: 'a', schema }, { key: 'a' })).action);
    const client = await open(server, statelessDate, { capabilities });
    const { requestState } = await client.result('tools/call', { name: 't' });
    const again = await client.result('tools/call', { name: 't', requestState, inputResponses: { a: other } });
    assert.deepEqual(Object.keys(again['inputRequests'] ?? {}), ['a']);
  });
}
