import assert from 'node:assert/strict';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { createServer } from '../../../server/server.ts';
import { portOf, send } from '../../../../../../test/support/http-entries.ts';
import { listen } from './http.ts';
import { pageRoutes, type BrowserPages } from './page-routes.ts';

/** BrowserPages that say what they were asked. */
const echo: BrowserPages = {
  pages(request) {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith('/connect')) return undefined;
    return (async () => {
      const body = await request.text();
      const headers = new Headers({ 'Content-Type': 'text/plain' });
      headers.append('Set-Cookie', 'a=1; Path=/');
      headers.append('Set-Cookie', 'b=2; Path=/');
      const said = `${request.method} ${pathname}${search} ${request.headers.get('cookie') ?? ''} ${body}`;
      return new Response(said, { status: 201, headers });
    })();
  },
};

const failing: BrowserPages = {
  pages: (request) => (request.url.endsWith('/fails') ? Promise.reject(new Error('a secret')) : undefined),
};

async function served(
  t: TestContext,
  before: (request: IncomingMessage) => void | Promise<void> = () => {},
): Promise<{ readonly http: Server; readonly port: number }> {
  const routes = pageRoutes(failing, echo);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await before(request);
    routes(request, response, () => {
      if (request.readableEnded) return void response.writeHead(418).end();
      request.setEncoding('utf8');
      let body = '';
      request.on('data', (part: string) => (body += part)).on('end', () => response.writeHead(418).end(body));
    });
  };
  const http = createHttpServer((request, response) => void answer(request, response));
  const port = await portOf(http);
  t.after(() => http.close());
  return { http, port };
}

test('a page is asked as browsers ask, and answers with its cookies', async (t) => {
  const { port } = await served(t);
  const asked = await fetch(`http://127.0.0.1:${port}/connect?visit=x`, {
    method: 'POST',
    body: 'a=1&b=2',
    headers: { cookie: 'session=ann' },
  });
  assert.equal(await asked.text(), 'POST /connect?visit=x session=ann a=1&b=2');
  assert.equal(asked.status, 201);
  assert.deepEqual(asked.headers.getSetCookie(), ['a=1; Path=/', 'b=2; Path=/']);
});

test('everything else is handed on whole', async (t) => {
  const { port } = await served(t);
  const body = 'x'.repeat(300_000);
  const other = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', body });
  assert.deepEqual([other.status, (await other.text()).length], [418, body.length]);
  assert.equal((await send(port, { method: 'TRACE', path: '/connect' })).status, 418);
  assert.equal((await send(port, { method: 'GET', path: '/', headers: { host: 'a b' } })).status, 418);
});

test('a page that fails says nothing of why', async (t) => {
  const { port } = await served(t);
  const answer = await fetch(`http://127.0.0.1:${port}/connect/fails`);
  assert.deepEqual([answer.status, await answer.text()], [500, '']);
});

test('a form that a framework has read is read from there, and its own address counts', async (t) => {
  const { port } = await served(t, async (request) => {
    for await (const _ of request);
    // As Express has it below a path at which something is mounted.
    Object.assign(request, { body: { a: '1', b: 'x y' }, originalUrl: '/connect/there', url: '/there' });
  });
  const asked = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'a=1' });
  assert.equal(await asked.text(), 'POST /connect/there  a=1&b=x+y');
});

test('whatever a framework made of a body of others, it goes to them', async (t) => {
  const hostile: unknown = JSON.parse('{"a":{"toString":1,"valueOf":1}}');
  const made: unknown[] = [[{ jsonrpc: '2.0', id: 1, method: 'ping' }], Buffer.from([1, 2]), hostile, 'text'];
  const { port } = await served(t, async (request) => {
    for await (const _ of request);
    Object.assign(request, { body: made[Number(request.headers['x-made'])] });
  });
  for (const at of made.keys()) {
    const init = { method: 'POST', body: 'x', headers: { 'x-made': String(at) } };
    assert.equal((await fetch(`http://127.0.0.1:${port}/mcp`, init)).status, 418);
  }
  const forms = [];
  for (const at of made.keys()) {
    const init = { method: 'POST', body: 'x', headers: { 'x-made': String(at) } };
    forms.push(await (await fetch(`http://127.0.0.1:${port}/connect`, init)).text());
  }
  assert.deepEqual(forms, ['POST /connect  ', 'POST /connect  \u0001\u0002', 'POST /connect  ', 'POST /connect  text']);
});

test('a form that a framework left alone is read, though it put an empty object in its place', async (t) => {
  // As the parsers of Express 4 do with what is not theirs.
  const { port } = await served(t, (request) => void Object.assign(request, { body: {} }));
  const asked = await fetch(`http://127.0.0.1:${port}/connect`, { method: 'POST', body: 'a=1' });
  assert.equal(await asked.text(), 'POST /connect  a=1');
});

test('a page that throws, or comes after something else has answered, ends nothing but its request', async (t) => {
  const late: BrowserPages = {
    pages(request) {
      if (request.url.endsWith('/throws')) throw new Error('a secret');
      return closed.then(() => new Response('late'));
    },
  };
  const routes = pageRoutes(late);
  let answered = (): void => {};
  const closed = new Promise<void>((resolve) => (answered = resolve));
  const http = createHttpServer((request, response) => {
    routes(request, response, () => assert.fail('it is a page'));
    if (request.url === '/late') response.on('close', answered).writeHead(503).end();
  });
  const port = await portOf(http);
  t.after(() => http.close());
  assert.equal((await fetch(`http://127.0.0.1:${port}/late`)).status, 503);
  await closed;
  assert.equal((await fetch(`http://127.0.0.1:${port}/throws`)).status, 500);
});

test('pages are there over HTTP/2 too', async (t) => {
  const routes = pageRoutes(echo);
  const http = createHttp2Server((request, response) => {
    // They are requests of Node to those who ask no more of them.
    routes(request as unknown as IncomingMessage, response as unknown as ServerResponse, () => response.end('other'));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const session = connectHttp2(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  t.after(() => {
    session.close();
    http.close();
  });
  const stream = session.request({ ':path': '/connect?visit=x', ':method': 'POST', cookie: 'session=ann' });
  stream.end('a=1');
  assert.equal(await text(stream), 'POST /connect?visit=x session=ann a=1');
});

test('a page that is being made is waited for by close, as calls are', async (t) => {
  let begun = (): void => {};
  let go = (): void => {};
  const asked = new Promise<void>((resolve) => (begun = resolve));
  const ready = new Promise<void>((resolve) => (go = resolve));
  const slow: BrowserPages = {
    pages: (request) =>
      request.url.endsWith('/slow') ? (begun(), ready.then(() => new Response('connected'))) : undefined,
  };
  const { url, close } = await listen(createServer({ name: 's', version: '1' }), { port: 0, pages: [slow] });
  t.after(() => close());
  const page = fetch(new URL('/slow', url)).then((answer) => answer.text());
  await asked;
  const closed = close();
  // The port is free only when all is done.
  assert.equal((await fetch(new URL('/other', url))).status, 404);
  go();
  assert.equal(await page, 'connected');
  await closed;
  await assert.rejects(fetch(new URL('/other', url)));
});

test('listen has pages beside its endpoint', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  const { url, close } = await listen(server, { port: 0, pages: [echo] });
  t.after(() => close());
  const { origin } = new URL(url);
  assert.equal((await fetch(`${origin}/connect/files`)).status, 201);
  assert.equal((await fetch(`${origin}/other`)).status, 404);
  assert.equal((await fetch(url, { method: 'PUT' })).status, 405);
  await assert.rejects(listen(server, { port: 0, pages: [{}] } as never), /pages must be/);
});
