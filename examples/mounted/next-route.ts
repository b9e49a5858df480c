// app/api/mcp/route.ts
import { createHandler, type FetchHandler } from 'parley-mcp/http';
import { createServer } from 'parley-mcp/server';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

// Requests can reach different processes, so clients get no session.
const handler: FetchHandler = createHandler(server, { sessions: false, allowedHosts: ['app.example.com'] });
export { handler as GET, handler as POST, handler as DELETE, handler as OPTIONS };
