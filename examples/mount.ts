import { createServer } from 'parley-mcp';
import { connectInMemory } from 'parley-mcp/testing';
import { z } from 'zod';

const git = createServer({ name: 'git', version: '1.0.0' });
git.tool('status', { input: z.object({ path: z.string() }) }, ({ path }) => `${path}: nothing to commit`);

const server = createServer({ name: 'desk', version: '1.0.0' });
const unmount = server.mount('git', git);

const client = await connectInMemory(server);
console.log(await client.callTool('git__status', { path: '/srv/notes' }));
unmount();
console.log(await client.listTools()); // []
await client.close();
await server.close();
