import type { Client } from 'parley-mcp/client';
import { createServer } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

// Two servers in this process. A host reads commands and URLs from a file and passes them to `connect`.
const weather = createServer({ name: 'weather', version: '1.0.0' });
const input = z.object({ city: z.string() });
weather.tool('forecast', { description: 'Returns the weather.', input }, ({ city }) => `sunny in ${city}`);
const clock = createServer({ name: 'clock', version: '1.0.0' });
clock.tool('time', { description: 'Returns the time.' }, () => '12:00');

const clients = new Map<string, Client>([
  ['weather', await connectInMemory(weather)],
  ['clock', await connectInMemory(clock)],
]);

// Model APIs take a name of at most 64 letters, digits, `_` and `-`, a description, and a JSON Schema.
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

/** Returns the text for the model. It also reads the text of a failed call, and can correct the arguments. */
async function answerTo(name: string, argumentsAsJson: string): Promise<string> {
  const owner = owners.get(name);
  if (owner === undefined) return `unknown tool ${name}`;
  try {
    const result = await owner.client.callTool(owner.tool, JSON.parse(argumentsAsJson), { timeoutMs: 30_000 });
    const texts = result.content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`));
    return result.isError === true ? `failed: ${texts.join('\n')}` : texts.join('\n');
  } catch (error) {
    // The server rejected the call, or cannot be reached. The model continues with other tools.
    return `failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

// Calls as the model returns them.
console.log(await answerTo('weather__forecast', '{"city":"Oslo"}'));
console.log(await answerTo('clock__time', '{}'));
console.log(await answerTo('clock__time', 'no JSON'));
for (const client of clients.values()) await client.close();
