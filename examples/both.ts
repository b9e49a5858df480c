import { listen } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';
import { serveStdio } from 'parley-mcp/stdio';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', { description: 'Returns the weather.' }, () => 'sunny');

// A host starts the program with `--stdio`. Without this argument, it serves HTTP.
if (process.argv.includes('--stdio')) serveStdio(server, { exit: true });
else {
  const { url } = await listen(server, { port: Number(process.env['PORT'] ?? 3000) });
  console.log(`listening at ${url}`);
}
