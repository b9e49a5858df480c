/** In a worker of workerd: what a client outside asks at `/mcp`, and at `/exercise` what runs within. */
import { createHandler } from 'parley-mcp/http';
import { exampleServer, exerciseWithin } from './exercise.js';

let handler;

// oxlint-disable-next-line import/no-default-export -- workers are modules with a default export
export default {
  async fetch(request) {
    if (new URL(request.url).pathname === '/exercise') return Response.json(await exerciseWithin());
    handler ??= createHandler(exampleServer());
    return await handler(request);
  },
};
