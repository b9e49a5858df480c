/** The prompts of the suite. */

import { inputRequired, type Server } from '../../packages/parley/src/server.ts';
import { picture } from './media.ts';

/** Adds them. */
export function addPrompts(server: Server): void {
  server.prompt('test_simple_prompt', { description: 'A prompt without arguments.' }, () => 'This is a simple prompt.');
  server.prompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt that says its arguments.',
      arguments: [
        { name: 'arg1', description: 'The first.', required: true },
        { name: 'arg2', description: 'The second.', required: true },
      ],
      complete: { arg1: (typed) => ['testValue1', 'testing'].filter((value) => value.startsWith(typed)) },
    },
    ({ arg1, arg2 }) => `The arguments are ${arg1} and ${arg2}.`,
  );
  server.prompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'A prompt that encloses a resource.',
      arguments: [{ name: 'resourceUri', description: 'Where the resource is.', required: true }],
    },
    ({ resourceUri }) => [
      {
        role: 'user',
        content: { type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Enclosed.' } },
      },
      { role: 'user', content: { type: 'text', text: 'What does the enclosed resource say?' } },
    ],
  );
  server.prompt('test_prompt_with_image', { description: 'A prompt that shows an image.' }, () => [
    { role: 'user', content: picture },
    { role: 'user', content: { type: 'text', text: 'What is in the image?' } },
  ]);
  server.prompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks before it is written.' },
    (_args, ctx) => {
      const answer = ctx.inputResponses?.['user_context'];
      if (answer !== undefined) return `The context is ${JSON.stringify(answer)}.`;
      const requestedSchema = { type: 'object', properties: { context: { type: 'string' } } } as const;
      return inputRequired({
        requests: {
          user_context: { method: 'elicitation/create', params: { message: 'What is it about?', requestedSchema } },
        },
      });
    },
  );
}
