import express from 'express';
import { toNodeHandler } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

const app = express();
app.use(express.json()); // optional; Parley uses the parsed body
app.all('/mcp', toNodeHandler(server, { allowedHosts: ['mcp.example.com'] }));
const listening = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening at http://127.0.0.1:${listening.address().port}/mcp`);
});
