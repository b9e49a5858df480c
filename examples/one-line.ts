import { createServer } from 'parley-mcp/server';
import { serveStdio } from 'parley-mcp/stdio';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');
serveStdio(server, { exit: true });
