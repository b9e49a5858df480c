import type { Server } from '../../../../parley/src/server/server.ts';
import { cityNames } from './data.ts';

/** Tools that ask their caller: for a form, for a visit to a page, for a model's text, and for folders. */
export function addQuestions(server: Server): void {
  addForm(server);
  addOthers(server);
}

function addForm(server: Server): void {
  server.tool(
    'book',
    {
      title: 'Book a journey',
      description: 'Asks when and how you want to travel, by a form, and books nothing.',
      input: {
        type: 'object',
        properties: { city: { type: 'string', description: `One of ${cityNames.join(', ')}.` } },
        required: ['city'],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ city }, ctx) => {
      const { action, content } = await ctx.elicit({
        message: `When and how do you travel to ${city}?`,
        schema: {
          type: 'object',
          properties: {
            day: { type: 'string', format: 'date', title: 'Day' },
            travellers: { type: 'integer', title: 'Travellers', minimum: 1, maximum: 9, default: 1 },
            seat: { type: 'string', title: 'Seat', enum: ['window', 'aisle', 'any'] },
            bicycle: { type: 'boolean', title: 'With a bicycle' },
          },
          required: ['day', 'seat'],
        },
      });
      return action === 'accept' ? `Noted for ${city}: ${JSON.stringify(content)}` : `Nothing is noted: ${action}.`;
    },
  );
}

function addOthers(server: Server): void {
  server.tool(
    'map',
    {
      title: 'Map',
      description: 'Asks you to look at a page.',
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (_, ctx) => {
      const { action } = await ctx.elicitUrl({ message: 'Here is a map.', url: 'https://example.com/map?zoom=3' });
      return `You said: ${action}.`;
    },
  );
  server.tool(
    'rhyme',
    {
      title: 'Rhyme',
      description: 'Asks a model for a rhyme about the weather.',
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (_, ctx) => {
      const { content } = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'Give me two lines about the rain that rhyme.' } }],
        maxTokens: 100,
      });
      const [first] = [content].flat();
      return first?.type === 'text' ? first.text : 'The model gave no text.';
    },
  );
  server.tool(
    'folders',
    {
      title: 'Folders',
      description: 'Says which folders it may see.',
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (_, ctx) => {
      const roots = await ctx.roots();
      return roots.length === 0 ? 'None.' : roots.map(({ uri }) => uri).join('\n');
    },
  );
}
