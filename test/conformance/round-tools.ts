/** The tools whose questions travel in results, most by `ctx`, some by hand. */

import { inputRequired, type ToolContext, type Server } from '../../packages/parley/src/server.ts';

const nameSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const confirmation = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } as const;
const greeting = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }],
  maxTokens: 100,
} as const;

/** Adds them. */
export function addRoundTools(server: Server): void {
  addSingleQuestions(server);
  addSeveralQuestions(server);
  addStates(server);
}

function addSingleQuestions(server: Server): void {
  server.tool('test_input_required_result_elicitation', { description: 'Asks for a name.' }, async (_args, ctx) => {
    const answer = await ctx.elicit({ message: 'What is your name?', schema: nameSchema }, { key: 'user_name' });
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello, whoever you are!';
  });
  server.tool('test_input_required_result_sampling', { description: 'Asks the model.' }, async (_args, ctx) => {
    return `The model said ${JSON.stringify(await ctx.sample(greeting, { key: 'capital_question' }))}.`;
  });
  server.tool('test_input_required_result_list_roots', { description: 'Asks for the roots.' }, async (_args, ctx) => {
    return `The roots are ${JSON.stringify(await ctx.roots({ key: 'client_roots' }))}.`;
  });
  server.tool('test_input_required_result_capabilities', { description: 'Asks whoever can be asked.' }, (_args, ctx) =>
    askSomebody(ctx),
  );
}

async function askSomebody(ctx: ToolContext): Promise<string> {
  if (ctx.client.supports('sampling')) return `The model said ${JSON.stringify(await ctx.sample(greeting))}.`;
  const answer = await ctx.elicit({ message: 'What is your name?', schema: nameSchema });
  return `The user said ${JSON.stringify(answer)}.`;
}

function addSeveralQuestions(server: Server): void {
  server.tool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks everybody at once.' },
    async (_args, ctx) => {
      const answers = await Promise.all([
        ctx.elicit({ message: 'What is your name?', schema: nameSchema }, { key: 'user_name' }),
        ctx.sample(greeting, { key: 'greeting' }),
        ctx.roots({ key: 'client_roots' }),
      ]);
      return `The answers are ${JSON.stringify(answers)}.`;
    },
  );
  server.tool('test_input_required_result_multi_round', { description: 'Asks twice.' }, async (_args, ctx) => {
    const name = await ctx.elicit({ message: 'What is your name?', schema: nameSchema }, { key: 'step1' });
    const color = await ctx.elicit(
      {
        message: 'What is your favourite colour?',
        schema: { type: 'object', properties: { color: { type: 'string' } } },
      },
      { key: 'step2' },
    );
    return `The answers are ${JSON.stringify([name, color])}.`;
  });
}

function addStates(server: Server): void {
  for (const [name, description] of [
    ['test_input_required_result_request_state', 'Asks for a confirmation and keeps a state, by hand.'],
    ['test_input_required_result_tampered_state', 'Does the same; its state comes back tampered with.'],
  ] as const) {
    server.tool(name, { description }, (_args, ctx) => {
      if (ctx.inputResponses?.['confirm'] !== undefined) return ctx.requestState === name ? 'state-ok' : 'state-lost';
      const params = { message: 'Please confirm.', requestedSchema: confirmation };
      return inputRequired({ requests: { confirm: { method: 'elicitation/create', params } }, state: name });
    });
  }
}
