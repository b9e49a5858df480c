/** Behind Express, before and after a parser of bodies. */
import express from 'express';
import { toNodeHandler } from 'parley-mcp/node';
import { exampleServer, exerciseUrl, report } from './exercise.js';

const results = [];
for (const [way, parser] of [
  ['Express', undefined],
  ['Express, body read before', express.json({ limit: '8mb' })],
]) {
  const server = exampleServer();
  const app = express();
  if (parser !== undefined) app.use(parser);
  app.all('/mcp', toNodeHandler(server));
  const listening = await new Promise((resolve) => {
    const opened = app.listen(0, '127.0.0.1', () => resolve(opened));
  });
  results.push(...(await exerciseUrl(way, `http://127.0.0.1:${listening.address().port}/mcp`, server)));
}
report(results);
process.exit();
