import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { listen, toNodeHandler } from '../../../../parley/src/transports/node/server/http.ts';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';
import { createExampleServer } from '../example/server.ts';

/** URL of a server that answers everything in one way. */
async function answering(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server that listens has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** Words of a command that fails where no user is signed in. */
async function failure(t: TestContext, ...argv: readonly string[]): Promise<string> {
  return await failureWith(1, t, ...argv);
}

/** The same, with another exit code. */
async function failureWith(expected: number, t: TestContext, ...argv: readonly string[]): Promise<string> {
  const state = await mkdtemp(join(tmpdir(), 'parley-sought-'));
  t.after(() => rm(state, { recursive: true }));
  const { code, stdout, stderr } = await inThisProcess(argv, { XDG_STATE_HOME: state });
  assert.deepEqual([code, stdout], [expected, ''], stderr);
  return stderr;
}

const json = { 'content-type': 'application/json' };

describe('parley login', { concurrency: 4 }, () => {
  test('at a server that wants no login says that it answers without one', async (t) => {
    const server = createExampleServer();
    const http = await listen(server, { port: 0 });
    t.after(async () => {
      await http.close();
      await server.close();
    });
    assert.equal(
      await failure(t, 'login', http.url),
      `parley: ${http.url} answers without a login: there is nothing to sign in to, and parley call works as it is\n`,
    );
  });

  const others: readonly (readonly [string, RequestListener, string])[] = [
    [
      'a page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>shop</p>'),
      'nothing to sign in to: URL answered with text/html, neither JSON nor an event stream; is it the URL of an MCP server?',
    ],
    [
      'JSON of something else',
      (_, response) => void response.writeHead(200, json).end('{"users":[1]}'),
      'nothing to sign in to: URL answered with JSON that is no message of MCP: {"users":[1]}; is it the URL of an MCP server?',
    ],
    [
      'nothing in the body',
      (_, response) => void response.writeHead(200).end(),
      'nothing to sign in to: HTTP 200 from URL: an empty body instead of an answer; is it the URL of an MCP server?',
    ],
    [
      'a redirect',
      (_, response) => void response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
      'nothing to sign in to: URL answered with a redirect to https://elsewhere.example/, which is not followed: if you trust that address, give it in place of this one',
    ],
    [
      'trouble',
      (_, response) => void response.writeHead(500).end('boom'),
      'nothing to sign in to: HTTP 500 from URL: boom',
    ],
    [
      'a path that is not there',
      (_, response) => void response.writeHead(404).end('not found'),
      'nothing to sign in to: HTTP 404 from URL: not found; is the path /mcp that of an MCP server?',
    ],
    [
      'a wish for a key of its own',
      (_, response) => void response.writeHead(401, json).end('{"error":"no key"}'),
      "HTTP 401 from URL: no key: it wants authorization and says nowhere how to sign in (it has no metadata); give what its operator gave you, by --header 'Name: value' or --token-env",
    ],
  ];
  for (const [what, listener, words] of others)
    test(`at a URL that answers with ${what} says so`, async (t) => {
      const url = await answering(t, listener);
      assert.equal(await failure(t, 'login', url), `parley: ${words.replace('URL', url)}\n`);
    });

  test('says of what is not reached why, in the words of a call', async (t) => {
    const url = await answering(t, (_, response) => void response.end());
    for (const at of ['http://127.0.0.1:1/mcp', url.replace('http:', 'https:')])
      assert.equal(await failureWith(3, t, 'login', at), await failureWith(3, t, 'call', at));
    assert.match(await failureWith(3, t, 'login', 'http://127.0.0.1:1/mcp'), /: nothing listens there/);
  });

  test('keeps its own words where the server has metadata', async (t) => {
    const url = await answering(t, (request, response) => {
      const { origin } = new URL(url);
      const isMetadata = request.url?.includes('oauth-authorization-server') === true;
      const endpoints = { authorization_endpoint: `${origin}/a`, token_endpoint: `${origin}/t` };
      const said = { issuer: origin, ...endpoints, code_challenge_methods_supported: ['S256'] };
      response.writeHead(isMetadata ? 200 : 401, json).end(isMetadata ? JSON.stringify(said) : '');
    });
    assert.match(await failure(t, 'login', url), /does not let clients register themselves/);
    assert.match(await failure(t, 'call', url), /wants a login \(HTTP 401\).* run: parley login http.* --token-env$/m);
  });

  const passing = [
    ['all that it may publish is', (at: string) => at.startsWith('/.well-known/'), undefined, 503],
    [
      'all that it may publish is too often asked for, which',
      (at: string) => at.startsWith('/.well-known/'),
      undefined,
      429,
    ],
    ['what its challenge names is', (at: string) => at === '/meta', '/meta', 500],
  ] as const;
  for (const [what, isMetadata, named, status] of passing)
    test(`and a call keep the passing failure where ${what} ${status}`, async (t) => {
      const url = await answering(t, ({ url: at = '' }, response) => {
        const parameter =
          named === undefined ? 'error="invalid_token"' : `resource_metadata="${new URL(named, url).href}"`;
        if (isMetadata(at)) response.writeHead(status).end('restarting');
        else if (at === '/mcp') response.writeHead(401, { 'www-authenticate': `Bearer ${parameter}` }).end();
        else response.writeHead(404).end();
      });
      const said = await failure(t, 'login', url);
      assert.match(said, new RegExp(`the resource metadata at .* cannot be had now: HTTP ${status}; try again later`));
      assert.doesNotMatch(said + (await failure(t, 'call', url)), /says nowhere/);
    });

  test('keeps its own words where the challenge names metadata that are not there', async (t) => {
    const url = await answering(t, ({ url: at }, response) => {
      const challenge = `Bearer resource_metadata="${new URL('/meta', url).href}"`;
      if (at === '/mcp') response.writeHead(401, { 'www-authenticate': challenge }).end();
      else response.writeHead(404).end();
    });
    assert.match(await failure(t, 'login', url), /names its resource metadata at \S+\/meta, which has none/);
  });
});

describe('parley login with a client that was registered by hand', { concurrency: 4 }, () => {
  const atOrigin = (url: string): readonly string[] => [
    '--client-id',
    'x',
    '--issuer',
    new URL(url).origin,
    '--no-browser',
    '--login-timeout',
    '1',
  ];
  const wantsKey = (response: ServerResponse): void => void response.writeHead(401, json).end('{"error":"no key"}');

  for (const [what, status] of [
    ['refuses whatever is asked', 401],
    ['has nothing else', 404],
  ] as const)
    test(`says what there is not at a server that ${what}`, async (t) => {
      const url = await answering(t, ({ url: at }, response) => {
        if (at === '/mcp') wantsKey(response);
        else response.writeHead(status).end();
      });
      const { origin } = new URL(url);
      assert.equal(
        await failure(t, 'login', url, ...atOrigin(url)),
        `parley: HTTP 401 from ${url}: no key: it wants authorization and says nowhere how to sign in (it has no metadata, and no page at ${origin}/authorize, where it is looked for then); give what its operator gave you, by --header 'Name: value' or --token-env, or its endpoints by --issuer and --as-metadata\n`,
      );
    });

  test('says that it guesses where a page may be the one that is looked for without metadata', async (t) => {
    const url = await answering(t, ({ url: at = '' }, response) => {
      if (at === '/mcp') wantsKey(response);
      else if (at.startsWith('/authorize')) response.writeHead(400).end('client_id is missing');
      else response.writeHead(404).end();
    });
    const { origin } = new URL(url);
    const said = await failure(t, 'login', url, ...atOrigin(url), '--login-timeout', '5');
    assert.match(said, /^parley: \S+ publishes no metadata: that people sign in at \S+\/authorize is a guess$/m);
    assert.ok(said.includes(`${origin}/authorize?`), said);
  });

  test('opens no page for a server that wants no login, though it has one at every path', async (t) => {
    const server = createExampleServer();
    const handler = toNodeHandler(server);
    const url = await answering(t, (request, response) => {
      if (request.url === '/mcp') handler(request, response);
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<p>shop</p>');
    });
    t.after(() => server.close());
    assert.equal(
      await failure(t, 'login', url, ...atOrigin(url)),
      `parley: ${url} answers without a login: there is nothing to sign in to, and parley call works as it is\n`,
    );
  });

  test('opens no page for what is no server of MCP, though it has one at every path', async (t) => {
    const url = await answering(
      t,
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(),
    );
    assert.match(
      await failure(t, 'login', url, ...atOrigin(url)),
      /^parley: nothing to sign in to: \S+ answered with text\/html, .*; is it the URL of an MCP server\?\n$/,
    );
  });
});

test('a call to a server that wants a key says what it said, and how to give one', async (t) => {
  const url = await answering(t, (_, response) => void response.writeHead(401, json).end('{"error":"no key"}'));
  assert.match(
    await failure(t, 'call', url),
    /^parley: HTTP 401 from \S+: no key: .*--header 'Name: value' or --token-env$/m,
  );
});

for (const argv of [
  ['--port', '0'],
  ['--stdio', '--login', 'never'],
])
  test(`a bridge${argv.map((word) => ` ${word}`).join('')} before a server that wants a key says what it said`, async (t) => {
    const url = await answering(t, (_, response) => void response.writeHead(401, json).end('{"error":"no key"}'));
    assert.match(
      await failure(t, 'bridge', ...argv, url),
      /wants a login \(HTTP 401\), .* goes by --header or --token-env; the server said: no key$/m,
    );
  });
