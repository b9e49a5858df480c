import { createServer, ToolError } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const server = createServer({ name: 'shop', version: '1.0.0' });

// One map for all clients. Each cart has a handle, and belongs to the signed-in user.
const carts = new Map<string, { readonly owner: string | undefined; readonly items: string[] }>();

const opened = z.object({ cart: z.string() });
server.tool('open_cart', { output: opened }, (_, ctx) => {
  const cart = crypto.randomUUID();
  carts.set(cart, { owner: ctx.auth?.principal, items: [] });
  return { cart };
});

server.tool('put', { input: z.object({ cart: z.string(), item: z.string() }) }, ({ cart, item }, ctx) => {
  const found = carts.get(cart);
  // Other people may read what a model was told, so a handle alone does not give access.
  if (found === undefined || found.owner !== ctx.auth?.principal) throw new ToolError('unknown cart');
  found.items.push(item);
  return found.items.join(', ');
});

const ann = await connectInMemory(server, { auth: { principal: 'ann' } });
const bob = await connectInMemory(server, { auth: { principal: 'bob' } });
const { cart } = opened.parse((await ann.callTool('open_cart')).structuredContent);
console.log((await ann.callTool('put', { cart, item: 'milk' })).content);
console.log((await bob.callTool('put', { cart, item: 'beer' })).content);
await ann.close();
await bob.close();
