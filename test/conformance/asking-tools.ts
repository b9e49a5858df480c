/** The tools that ask a client of the handshake revisions, and one that asks for what the client did not declare. */

import type { JsonSchema, Server } from '../../packages/parley/src/server.ts';

const titled = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
] as const;

/** Every way to write a choice. */
const choices = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  },
} as const satisfies JsonSchema;

/** A default for every kind of field. */
const defaults = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
} as const satisfies JsonSchema;

/** Adds them. */
export function addAskingTools(server: Server): void {
  server.tool(
    'test_sampling',
    {
      description: 'Asks the model of the client.',
      input: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    },
    async ({ prompt }, ctx) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }] as const;
      const answer = await ctx.sample({ messages, maxTokens: 100 });
      return `The model said ${JSON.stringify(answer.content)}.`;
    },
  );
  server.tool(
    'test_elicitation',
    {
      description: 'Asks the user for a name and an address.',
      input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    },
    async ({ message }, ctx) => {
      const schema = {
        type: 'object',
        properties: { username: { type: 'string' }, email: { type: 'string', format: 'email' } },
        required: ['username', 'email'],
      } as const;
      return `The user said ${JSON.stringify(await ctx.elicit({ message, schema }))}.`;
    },
  );
  server.tool('test_elicitation_sep1034_defaults', { description: 'Asks with defaults.' }, async (_args, ctx) => {
    return `The user said ${JSON.stringify(await ctx.elicit({ message: 'Please check.', schema: defaults }))}.`;
  });
  server.tool('test_elicitation_sep1330_enums', { description: 'Asks to choose.' }, async (_args, ctx) => {
    return `The user said ${JSON.stringify(await ctx.elicit({ message: 'Please choose.', schema: choices }))}.`;
  });
  server.tool(
    'test_missing_capability',
    { description: 'Cannot do without the model of the client.' },
    async (_args, ctx) => {
      const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }] as const;
      return `The model said ${JSON.stringify(await ctx.sample({ messages, maxTokens: 100 }))}.`;
    },
  );
  server.tool(
    'test_streaming_elicitation',
    { description: 'Reports progress, then asks the user.' },
    async (_args, ctx) => {
      ctx.progress(0, 1);
      const schema = { type: 'object', properties: { answer: { type: 'string' } } } as const;
      return `The user said ${JSON.stringify(await ctx.elicit({ message: 'Well?', schema }))}.`;
    },
  );
}
