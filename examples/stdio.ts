import { createServer } from 'parley-mcp/server';
import { serveStdio } from 'parley-mcp/stdio';

const server = createServer({ name: 'weather', version: '1.0.0' });
let degrees = 20;
server.tool('temperature', { description: 'Says how warm it is.' }, () => `${degrees} °C`);
const timer = setInterval(() => (degrees += Math.random() - 0.5), 1000);

// It is over when the host closes standard input. The process ends when nothing else runs: timers and pools end here.
await serveStdio(server).closed;
clearInterval(timer);
await server.close();
