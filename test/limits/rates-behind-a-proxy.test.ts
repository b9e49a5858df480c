import assert from 'node:assert/strict';
import { createServer as createProxy, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { endToEnd } from '../../examples/cluster/proxy.ts';
import { listen, toNodeHandler, type TrustedProxies } from '../../packages/parley/src/node.ts';
import { createServer } from '../../packages/parley/src/server.ts';

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has the address of one.
  return (server.address() as AddressInfo).port;
}

/** A proxy on this machine; it takes every connection for one of `address`, and adds that to what came, as proxies do. */
async function proxied(t: TestContext, target: URL, address: string): Promise<URL> {
  const proxy = createProxy((incoming, response) => {
    const { 'x-forwarded-for': before = [], ...headers } = endToEnd(incoming.headers);
    const forwarded = [before].flat().concat(address).join(', ');
    const { method } = incoming;
    const outgoing = request(target, { method, headers: { ...headers, 'x-forwarded-for': forwarded } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  const port = await portOf(proxy);
  t.after(() => proxy.close());
  t.after(() => proxy.closeAllConnections());
  return new URL(target.pathname, `http://127.0.0.1:${port}`);
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};

/** Opens a session, and tells the status. */
async function openAt(url: URL, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const init = { method: 'POST', headers: { ...accept, ...headers }, body: JSON.stringify(initialize) };
  const response = await fetch(url, init);
  await response.text();
  return response.status;
}

/** A server at which each address may open one session. */
function limited(): ReturnType<typeof createServer> {
  const rateLimits = { initialize: { perSecond: 0.01, burst: 1 }, now: () => 0 };
  return createServer({ name: 's', version: '1' }, { rateLimits });
}

const trustedProxies: TrustedProxies = { addresses: ['127.0.0.0/8'], header: 'x-forwarded-for' };

/** The endpoint of `listen`, and what two clients call by way of a proxy. */
async function scene(t: TestContext, trusted: TrustedProxies | undefined): Promise<readonly [URL, URL, URL]> {
  const listening = await listen(limited(), {
    port: 0,
    drainTimeoutMs: 0,
    ...(trusted && { trustedProxies: trusted }),
  });
  t.after(() => listening.close());
  const url = new URL(listening.url);
  return [url, await proxied(t, url, '192.0.2.1'), await proxied(t, url, '2001:db8::2')];
}

test('two clients behind a proxy that is trusted have a measure each, whatever they claim', async (t) => {
  const [, first, second] = await scene(t, trustedProxies);
  assert.equal(await openAt(first), 200);
  assert.equal(await openAt(second), 200);
  assert.equal(await openAt(first), 429);
  assert.equal(await openAt(first, { 'x-forwarded-for': '192.0.2.77' }), 429);
  assert.equal(await openAt(first, { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=192.0.2.78' }), 429);
});

test('two clients behind a proxy have one measure where nobody is trusted, whatever they claim', async (t) => {
  const [, first, second] = await scene(t, undefined);
  assert.equal(await openAt(first), 200);
  assert.equal(await openAt(second), 429);
  assert.equal(await openAt(second, { 'x-forwarded-for': '192.0.2.77' }), 429);
});

test('whoever is not trusted has the measure of his connection, whatever he claims', async (t) => {
  const [url] = await scene(t, { addresses: ['10.0.0.0/8'], header: 'x-forwarded-for' });
  assert.equal(await openAt(url, { 'x-forwarded-for': '192.0.2.77' }), 200);
  assert.equal(await openAt(url, { 'x-forwarded-for': '192.0.2.78' }), 429);
  assert.equal(await openAt(url, { 'x-forwarded-for': '10.0.0.1, 10.0.0.2' }), 429);
});

test('the clients of one network of IPv6 have one measure, and those of two have one each', async (t) => {
  const [url, , first] = await scene(t, trustedProxies);
  const [same, other] = [await proxied(t, url, '2001:db8::ffff:3'), await proxied(t, url, '2001:db8:0:1::2')];
  assert.deepEqual([await openAt(first), await openAt(same), await openAt(other)], [200, 429, 200]);
});

test('a server that is mounted knows the clients of a trusted proxy too', async (t) => {
  const handler = toNodeHandler(limited(), { trustedProxies });
  const server = createProxy(handler);
  const url = new URL(`http://127.0.0.1:${await portOf(server)}/`);
  t.after(() => server.close());
  t.after(() => handler.close({ drainTimeoutMs: 0 }));
  const [first, second] = [await proxied(t, url, '192.0.2.1'), await proxied(t, url, '192.0.2.2')];
  assert.deepEqual([await openAt(first), await openAt(second), await openAt(first)], [200, 200, 429]);
});

test('middleware and hooks are told the address of the client behind a trusted proxy', async (t) => {
  const seen: unknown[] = [];
  const server = createServer({ name: 's', version: '1' });
  server.use((passing, next) => {
    seen.push(passing.address);
    return next();
  });
  const authenticate = (asked: { readonly remoteAddress: string | undefined }): { principal: string } => {
    seen.push(asked.remoteAddress);
    return { principal: 'p' };
  };
  const listening = await listen(server, { port: 0, drainTimeoutMs: 0, trustedProxies, authenticate });
  t.after(() => listening.close());
  assert.equal(await openAt(await proxied(t, new URL(listening.url), '::ffff:192.0.2.1')), 200);
  assert.deepEqual(seen, ['192.0.2.1', '192.0.2.1']);
});
