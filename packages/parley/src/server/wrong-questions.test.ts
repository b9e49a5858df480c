import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, open } from '../../../../test/support/raw.ts';
import type { ToolContext } from './definition/tool-context.ts';
import { inputRequired } from './definition/input-required.ts';
import { createServer } from './server.ts';

const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} };
const chat = { messages: [], maxTokens: 1 };

for (const [what, ask, words] of [
  [
    'part of a token',
    (ctx: ToolContext) => ctx.sample({ ...chat, maxTokens: 100 / 3 }),
    /maxTokens must be an integer/,
  ],
  [
    'a priority above 1',
    (ctx: ToolContext) => ctx.sample({ ...chat, modelPreferences: { costPriority: 7 } }),
    /modelPreferences\.costPriority must be a number of at least 0 and at most 1/,
  ],
  [
    'a bigint',
    (ctx: ToolContext) => ctx.sample({ ...chat, metadata: { a: 1n } }),
    /cannot be written as JSON: .*BigInt/,
  ],
  [
    'part of a token by hand',
    () => inputRequired({ requests: { a: { method: 'sampling/createMessage', params: { ...chat, maxTokens: 1.5 } } } }),
    /inputRequests\.a: maxTokens must be an integer/,
  ],
  [
    'what is no question',
    () => inputRequired({ requests: { a: { method: 'tools/list' } as never } }),
    /inputRequests\.a: "tools\/list" is no question; there are sampling\/createMessage, elicitation\/create, roots\/list/,
  ],
] as const)
  test(`a question with ${what} fails its handler, and nothing is asked`, async () => {
    for (const date of dates) {
      const told: string[] = [];
      const server = createServer({ name: 's', version: '1' }, { onError: (error) => told.push(String(error)) });
      server.tool('t', {}, async (_, ctx) => (await ask(ctx)) as never);
      const raw = await open(server, date, { capabilities: everything });
      assert.partialDeepStrictEqual(await raw.result('tools/call', { name: 't' }), { isError: true });
      assert.match(told.join(), words);
      assert.deepEqual(raw.take(), []);
    }
  });
