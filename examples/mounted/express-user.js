import { AsyncLocalStorage } from 'node:async_hooks';
import express from 'express';
import { toNodeHandler } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const requests = new AsyncLocalStorage();
const server = createServer({ name: 'notes', version: '1.0.0' });
server.tool('who', {}, (_, ctx) => `${ctx.auth?.principal}, in ${requests.getStore()?.headers['accept-language']}`);

const app = express();
// Replace this with the sign-in of your app, such as a session or passport.
app.use((request, _response, next) => {
  request.user = { id: request.headers['x-user'] };
  next();
});
// Handlers run inside `run`, so they can read the request.
app.use('/mcp', (request, _response, next) => requests.run(request, next));
// Sessions, limits and private responses belong to the principal.
const authenticate = () => {
  const id = requests.getStore()?.user?.id;
  return id === undefined ? { status: 401, headers: {} } : { principal: id };
};
app.all('/mcp', toNodeHandler(server, { authenticate }));
const listening = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening at http://127.0.0.1:${listening.address().port}/mcp`);
});
