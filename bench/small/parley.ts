import { createServer, type Server } from '../../packages/parley/src/server.ts';

const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const;

/** A server of Parley with the tool `add`, whose arguments are checked. */
export function build(): Server {
  const server = createServer({ name: 'bench', version: '1.0.0' });
  server.tool('add', { description: 'Adds two numbers.', input: numbers }, ({ a, b }) => String(Number(a) + Number(b)));
  return server;
}
