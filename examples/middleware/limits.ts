import { createServer, ToolError } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';

const server = createServer({ name: 'search', version: '1.0.0' });
server.tool('search', {}, () => 'found');

const used = new Map<unknown, { readonly minute: number; count: number }>();

// The claims of the token decide how many calls a tenant has in a minute. The model reads the `ToolError`.
server.use('tools/call', ({ auth }, next) => {
  const tenant = auth?.claims?.['tenant'] ?? 'anonymous';
  const limit = auth?.claims?.['plan'] === 'paid' ? 100 : 2;
  const minute = Math.floor(performance.now() / 60_000);
  let place = used.get(tenant);
  if (place?.minute !== minute) {
    if (used.size > 10_000) used.clear();
    used.set(tenant, (place = { minute, count: 0 }));
  }
  if (++place.count > limit)
    throw new ToolError(`The limit of ${limit} calls a minute is used up. Wait for the next minute.`);
  return next();
});

for (const [tenant, plan] of [
  ['small', 'free'],
  ['large', 'paid'],
]) {
  const client = await connectInMemory(server, { auth: { principal: `ada of ${tenant}`, claims: { tenant, plan } } });
  for (let call = 1; call <= 3; call++) console.log(tenant, (await client.callTool('search')).content);
  await client.close();
}
