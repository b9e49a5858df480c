import { connect } from 'parley-mcp/client';
import type { Authenticate } from 'parley-mcp/http';
import { listen } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const { TOKENS = 'ann:4f9d,bob:81c2', PORT = '0' } = process.env;

// Tokens, each with its user. Generate long random ones, for example with `openssl rand -hex 32`.
const users = new Map(TOKENS.split(',').map((entry) => entry.split(':').toReversed() as [string, string]));
const authenticate: Authenticate = (request) => {
  const principal = users.get(request.header('authorization')?.replace(/^Bearer /i, '') ?? '');
  return principal === undefined ? { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } } : { principal };
};

const server = createServer({ name: 'notes', version: '1.0.0' });
server.tool('who', {}, (_, ctx) => ctx.auth?.principal ?? 'nobody');
const served = await listen(server, { port: Number(PORT), authenticate });

// A client sends its token in the `Authorization` header of each request.
const client = await connect(served.url, { auth: '4f9d' });
console.log((await client.callTool('who')).content);
await client.close();
console.log(await connect(served.url, { auth: 'wrong' }).catch((error: Error) => error.message));
await served.close();
await server.close();
