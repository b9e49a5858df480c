import { createServer } from 'parley-mcp/server';
import { serveStdio } from 'parley-mcp/stdio';

const server = createServer({ name: 'weather', version: '1.0.0' });
let degrees = 20;
server.tool('temperature', { description: 'Returns the temperature.' }, () => `${degrees} °C`);
const timer = setInterval(() => (degrees += Math.random() - 0.5), 1000);

// Resolves when the host closes standard input. Close timers and pools, so that the process can end.
await serveStdio(server).closed;
clearInterval(timer);
await server.close();
