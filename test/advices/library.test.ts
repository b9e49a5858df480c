/** An error of the library names an option or a function; with it, the same program works. */

import assert from 'node:assert/strict';
import { createServer as createHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createBridge, type BridgeOptions } from '../../packages/parley/src/bridge.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { createHandler } from '../../packages/parley/src/http.ts';
import { loopback } from '../../packages/parley/src/node.ts';
import { clientCredentials, oauth, page, type OAuthOptions } from '../../packages/parley/src/oauth.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { connectInMemory } from '../../packages/parley/src/testing.ts';
import { failure } from '../support/authorization-failure.ts';
import { createWorld, issuer, redirectUri, refuse } from '../support/authorization-world.ts';
import { bridgeBefore, serverAt } from '../support/bridged.ts';
import { settle } from '../support/raw.ts';

const info = { name: 's', version: '1' };

/** The option that a message names. */
function named(message: string, advice: RegExp): string {
  return advice.exec(message)?.[1] ?? assert.fail(`no advice in: ${message}`);
}

function thrown(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof TypeError) return error.message;
  }
  return assert.fail('no TypeError was thrown');
}

test('a resource with a template is defined by the named function', async (t) => {
  const server = createServer(info);
  const message = thrown(() => server.resource('memo://{name}', { name: 'm' }, () => 'x'));
  assert.equal(named(message, /define it with (\w+)$/), 'resourceTemplate');
  server.resourceTemplate('memo://{name}', { name: 'm' }, () => 'x');
  const client = await connectInMemory(server);
  t.after(() => client.close());
  assert.equal((await client.readResource('memo://a')).contents.length, 1);
});

test('roots that a server was not told of are given by the named option', async (t) => {
  const roots = [{ uri: 'file:///a' }];
  const without = await connectInMemory(createServer(info), { revision: '2025-11-25' });
  t.after(() => without.close());
  const message = await without.setRoots(roots).then(() => assert.fail(), String);
  const option = named(message, /give `(\w+)` to connect$/);
  const told = await connectInMemory(createServer(info), { revision: '2025-11-25', [option]: roots });
  t.after(() => told.close());
  await told.setRoots(roots);
});

test('a method of an extension is declared by the named options, at both ends', async (t) => {
  const extension = 'com.example/search';
  const run = (): { readonly found: number } => ({ found: 1 });
  const define = (server: Server): unknown => server.method('com.example/find', { extension }, run);
  const message = thrown(() => define(createServer(info)));
  const atServer = named(message, /give it in `(\w+)`, or by server\.extension$/);
  const servers = [createServer(info, { [atServer]: { [extension]: {} } }), createServer(info)];
  servers[1]?.extension(extension, {});
  for (const server of servers) {
    define(server);
    const without = await connectInMemory(server);
    t.after(() => without.close());
    const refused = await without.request('com.example/find', {}, { extension }).then(() => assert.fail(), String);
    const option = named(refused, /give it to connect in `(\w+)`$/);
    const client = await connectInMemory(server, { [option]: { [extension]: {} } });
    t.after(() => client.close());
    assert.equal((await client.request('com.example/find', {}, { extension }))['found'], 1);
  }
});

test('the text of an error reaches a client by the named option', async (t) => {
  const printed: string[] = [];
  t.mock.method(console, 'error', (...words: readonly unknown[]) => void printed.push(words.join(' ')));
  const failing = async (options: object): Promise<string> => {
    const server = createServer(info, options);
    server.tool('a', {}, () => {
      throw new Error('the reason');
    });
    const client = await connectInMemory(server);
    const result = await client.callTool('a');
    await client.close();
    return JSON.stringify(result.content);
  };
  assert.ok(!(await failing({})).includes('the reason'));
  const option = named(printed.join('\n'), /or set (\w+)$/m);
  assert.ok((await failing({ [option]: true })).includes('the reason'));
});

test('a body that was refused as too large is taken with the named option', async () => {
  const warnings: string[] = [];
  const server = createServer(info);
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { a: 'x'.repeat(2_000) } } });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = async (maxBodyBytes: object): Promise<number> => {
    const onWarning = (message: string): void => void warnings.push(message);
    const handler = createHandler(server, { onWarning, ...maxBodyBytes });
    const { status } = await handler(new Request('http://localhost/mcp', { method: 'POST', headers, body: text }));
    return status;
  };
  assert.equal(await send({ maxBodyBytes: 1_000 }), 413);
  const option = named(warnings.join(), /serve with a larger (\w+)$/);
  assert.notEqual(await send({ [option]: 10_000 }), 413);
});

/** A server over HTTP that wants some header. */
async function wanting(t: TestContext, header: string, challenge?: string): Promise<string> {
  const server = createServer(info);
  const handler = createHandler(server);
  const http = createHttp((incoming, outgoing) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { method = '', url = '', headers } = incoming;
      const isLet = headers.authorization === header;
      const sent = Object.entries(headers).flatMap(([name, value]) =>
        typeof value === 'string' && name !== 'connection' ? [[name, value] as [string, string]] : [],
      );
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      const refusal = new Response('{}', { status: 401, headers: challenge ? { 'www-authenticate': challenge } : {} });
      const request = new Request(`http://${headers.host}${url}`, { method, headers: sent, ...body });
      const answer = isLet ? await handler(request) : refusal;
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      outgoing.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

test('a server that wants authorization is reached with the named option', async (t) => {
  for (const challenge of [undefined, 'Bearer']) {
    const url = await wanting(t, 'Bearer abc', challenge);
    const message = await connect(url).then(() => assert.fail(), String);
    const option = named(message, /it wants authorization, which the option `(\w+)` gives$/);
    const client = await connect(url, { [option]: 'abc' });
    await client.close();
  }
});

test('credentials of another scheme are given by the named option', async (t) => {
  const url = await wanting(t, 'Basic YTpi', 'Basic realm="a"');
  const auth = oauth({ redirect: () => assert.fail(), redirectUri });
  const message = await connect(url, { auth }).then(() => assert.fail(), String);
  const option = named(message, /give its credentials with the option (\w+)$/);
  const both = { auth: 'abc', [option]: { authorization: 'Basic YTpi' } };
  const refused = await connect(url, both).then(() => assert.fail(), String);
  assert.match(refused, /auth makes the header authorization, .* the option headers has too: give one of them$/);
  const client = await connect(url, { [option]: { authorization: 'Basic YTpi' } });
  await client.close();
});

test('a client whose registration fails is registered by hand and named by the option', async () => {
  const answers = { '/register': () => refuse('invalid_client_metadata') };
  const { message } = await failure(createWorld({ answers }));
  const option = named(message, /register this client there by hand, and give its id with the option (\w+)$/);
  const world = createWorld({ answers });
  const client = await world.connect(world.oauth({ [option]: { id: 'by-hand', issuer } }));
  await client.close();
});

test('a login without a way to its page gets one of those that are named', async () => {
  const message = thrown(() => oauth({} as OAuthOptions));
  assert.match(message, /loopback\(\) of parley-mcp\/node, popup\(\), page\(\), or a function with redirectUri$/);
  const redirectTo = 'https://app.example/back';
  oauth({ redirect: loopback() });
  // `popup` is for browsers alone, and is tested there.
  oauth({ redirect: page({ redirectUri: redirectTo, navigate: () => assert.fail() }) });
  oauth({ redirect: () => assert.fail(), redirectUri });
});

test('a bridge takes the authorization that its error names', async (t) => {
  const made = (options: Partial<BridgeOptions>): Promise<unknown> =>
    createBridge({ upstream: 'http://127.0.0.1:1/mcp', ...options } as BridgeOptions).then(
      (bridge) => {
        t.after(() => bridge.close());
        return undefined;
      },
      (error: unknown) => (error instanceof TypeError ? error.message : undefined),
    );
  const person = oauth({ redirect: () => assert.fail(), redirectUri });
  const service = await made({ auth: person, upstreamAuth: 'service' });
  assert.match(String(service), /give clientCredentials\(\), workloadIdentity\(\) or a token$/);
  const machine = clientCredentials({ id: 'a', secret: 'b', issuer });
  for (const auth of [machine, 'token']) assert.equal(await made({ auth, upstreamAuth: 'service' }), undefined);
  const twice = await made({ auth: 'token', upstreamAuth: 'exchange' });
  assert.match(String(twice), /give upstream as a URL, without auth$/);
  assert.equal(await made({ upstreamAuth: 'exchange' }), undefined);
});

test('sessions that were ended for want of places live on with the named options', async (t) => {
  for (const [limits, addresses] of [
    [{ maxUpstreams: 4, maxUpstreamsPerClient: 3 }, ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5']],
    [{ maxUpstreams: 9, maxUpstreamsPerClient: 2 }, ['192.0.2.1', '192.0.2.1', '192.0.2.1']],
  ] as const) {
    const warnings: string[] = [];
    const held = async (options: object): Promise<void> => {
      const server = serverAt('2025-11-25');
      server.tool('any', {}, () => 'any');
      const bridge = await bridgeBefore(t, server, { ...options, warnings });
      for (const address of addresses) {
        const dismiss = (): void => conversation.close();
        const conversation = bridge.endpoint.openConnection({ lasting: true, send: () => undefined, address, dismiss });
        t.after(dismiss);
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
        await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
        await conversation.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
        // What a call may have left in the server is lost with the session.
        await conversation.receive({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'any' } });
        await settle();
      }
    };
    await held(limits);
    const option = named(warnings.splice(0).join(), /(maxUpstreams\w*) \(--max-upstreams[\w-]*\) allows more$/);
    await held({ ...limits, [option]: 8 });
    assert.deepEqual(warnings, []);
  }
});
