/** Behind Express, before and after a parser of bodies. */
import express from 'express';
import { metadataRoutes, toNodeHandler } from 'parley-mcp/node';
import { exampleServer, exerciseUrl, report } from './exercise.js';
import { exerciseGuarded, guardedServer } from './guarded.js';

const results = [];
for (const [way, parser] of [
  ['Express', undefined],
  ['Express, body read before', express.json({ limit: '8mb' })],
]) {
  const server = exampleServer();
  const app = express();
  if (parser !== undefined) app.use(parser);
  app.all('/mcp', toNodeHandler(server));
  const { guarded, issuer } = guardedServer();
  app.use(metadataRoutes(guarded));
  app.all('/guarded', toNodeHandler(guarded));
  const listening = await new Promise((resolve) => {
    const opened = app.listen(0, '127.0.0.1', () => resolve(opened));
  });
  const origin = `http://127.0.0.1:${listening.address().port}`;
  results.push(...(await exerciseUrl(way, `${origin}/mcp`, server)));
  results.push(...(await exerciseGuarded(way, `${origin}/guarded`, issuer)));
}
report(results);
process.exit();
