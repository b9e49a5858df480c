import { AsyncLocalStorage } from 'node:async_hooks';
import express from 'express';
import { toNodeHandler } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const requests = new AsyncLocalStorage();
const server = createServer({ name: 'notes', version: '1.0.0' });
server.tool('who', {}, (_, ctx) => `${ctx.auth?.principal}, in ${requests.getStore()?.headers['accept-language']}`);

const app = express();
// Here stands what signs people in for the rest of the app: a session, passport, a library for tokens.
app.use((request, _response, next) => {
  request.user = { id: request.headers['x-user'] };
  next();
});
// What a handler is called for runs within `run`: it finds the request there, whatever the revision.
app.use('/mcp', (request, _response, next) => requests.run(request, next));
// Sessions, limits and private answers are bound to the principal.
const authenticate = () => {
  const id = requests.getStore()?.user?.id;
  return id === undefined ? { status: 401, headers: {} } : { principal: id };
};
app.all('/mcp', toNodeHandler(server, { authenticate }));
const listening = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening at http://127.0.0.1:${listening.address().port}/mcp`);
});
