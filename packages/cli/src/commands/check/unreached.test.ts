import assert from 'node:assert/strict';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { test, type TestContext } from 'node:test';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';

async function urlOf(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // A server that listens on a port has the address of one.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** Words of the revision that was tried. */
async function why(url: string): Promise<string> {
  const { code, stdout } = await inThisProcess(['check', '--revision', '2025-11-25', url]);
  assert.equal(code, 3, stdout);
  return /^ {2}not 2025-11-25: (.*)$/m.exec(stdout)?.[1] ?? stdout;
}

const page: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/html' }).end('<p>shop</p>');
};
const api: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"users":[1]}');
};

test('a server that may want TLS, and one that does not, are told with what to write', async (t) => {
  const silent = createServer((socket) => socket.once('data', () => socket.destroy()).on('error', () => {}));
  const url = await urlOf(t, silent);
  const closed = 'no answer came: the connection was closed \\(.*\\)';
  assert.match(
    await why(url),
    new RegExp(`^${closed}; if it is an https server, write ${url.replace('http:', 'https:')}$`),
  );
  const plain = await urlOf(t, createHttpServer(page));
  assert.equal(
    await why(plain.replace('http:', 'https:')),
    `no answer came: what answers there does not speak TLS (wrong version number); if it is an http server, write ${plain}`,
  );
});

test('a page and JSON of something else are told, with the question whether the URL is right', async (t) => {
  assert.equal(
    await why(await urlOf(t, createHttpServer(page))),
    'HTTP 200 with a page of HTML; is it the URL of an MCP server?',
  );
  assert.equal(
    await why(await urlOf(t, createHttpServer(api))),
    'HTTP 200 {"users":[1]}; is it the URL of an MCP server?',
  );
});
