import type { Client } from 'parley-mcp/client';
import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

// Two servers; a host has their commands and URLs in a file, and gives those to `connect`.
const weather = createServer({ name: 'weather', version: '1.0.0' });
const input = z.object({ city: z.string() });
weather.tool('forecast', { description: 'Tells the weather.', input }, ({ city }) => `sunny in ${city}`);
const clock = createServer({ name: 'clock', version: '1.0.0' });
clock.tool('time', { description: 'Tells the time.' }, () => '12:00');

const clients = new Map<string, Client>([
  ['weather', await connectInMemory(weather)],
  ['clock', await connectInMemory(clock)],
]);

// Tools as APIs of models want them: a name of letters, digits, `_` and `-`, 64 at most, a text, and a JSON Schema.
const owners = new Map<string, { readonly client: Client; readonly tool: string }>();
const functions: object[] = [];
for (const [server, client] of clients) {
  for (const { name: tool, description = '', inputSchema } of await client.listTools()) {
    const name = `${server}__${tool}`.replaceAll(/[^\w-]/g, '_').slice(0, 64);
    owners.set(name, { client, tool });
    functions.push({ type: 'function', function: { name, description, parameters: inputSchema } });
  }
}
console.log(functions.length, JSON.stringify(functions[0]));

/** The text that the model gets for a call of its own; a failed call is one that it reads, and may mend. */
async function answerTo(name: string, argumentsAsJson: string): Promise<string> {
  const owner = owners.get(name);
  if (owner === undefined) return `there is no tool ${name}`;
  const result = await owner.client.callTool(owner.tool, JSON.parse(argumentsAsJson));
  const texts = result.content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`));
  return result.isError === true ? `failed: ${texts.join('\n')}` : texts.join('\n');
}

// As the model said it.
console.log(await answerTo('weather__forecast', '{"city":"Oslo"}'));
console.log(await answerTo('clock__time', '{}'));
for (const client of clients.values()) await client.close();
