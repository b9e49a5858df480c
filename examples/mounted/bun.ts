import { createHandler, type FetchHandler } from 'parley-mcp/http';
import { createServer } from 'parley-mcp/server';

const server = createServer({ name: 'weather', version: '1.0.0' });
server.tool('forecast', {}, () => 'sunny');

// `bun run server.ts` and `deno serve server.ts` serve the default export.
const served: { readonly port: number; readonly fetch: FetchHandler } = {
  port: 3000,
  fetch: createHandler(server, { allowedHosts: ['mcp.example.com'] }),
};
// oxlint-disable-next-line import/no-default-export -- workers are modules with a default export
export default served;
