/** A server in a process of its own, whose tool asks three times; it prints its URL and lives until it is killed. */

import { listen } from '../../packages/parley/src/node.ts';
import { createServer } from '../../packages/parley/src/server.ts';

const key = process.env['SEALING_KEY'];
const server = createServer(
  { name: 'one of several', version: '1.0.0' },
  key === undefined ? {} : { rounds: { keys: [key] } },
);

server.tool('three', { description: 'Asks three times.' }, async (_, ctx) => {
  const answers: string[] = [String(process.pid)];
  for (const field of ['first', 'second', 'third']) {
    const schema = { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] };
    const { action, content } = await ctx.elicit({ message: field, schema });
    answers.push(action === 'accept' ? JSON.stringify(content) : action);
  }
  return answers.join(' ');
});

const { url } = await listen(server, { port: 0 });
console.log(url);
