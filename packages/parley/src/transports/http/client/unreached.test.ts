import assert from 'node:assert/strict';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { listen, request, sending } from '../../../../../../test/support/http-answers.ts';
import { connect } from '../../../client.ts';
import { nodeFetch } from '../../node/client/fetch.ts';
import { httpTransport } from './transport.ts';
import { notReached } from './unreached.ts';
import { asSaid } from './described-url.ts';

/** A server that takes connections and closes them without a word, as one does that wants TLS. */
async function silent(t: TestContext): Promise<string> {
  const server = createSocketServer((socket) => socket.once('data', () => socket.destroy()).on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // A server that listens on a port has the address of one.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

// "https to an http port; wrong path": "what was tried, what answered, what to write"
for (const fetch of [undefined, nodeFetch()]) {
  const options = fetch === undefined ? sending : { fetch };
  describe(`a server that is not reached by ${fetch === undefined ? 'fetch' : 'connections of ours'}`, () => {
    it('as https, since it is http, is told so', async (t) => {
      const url = await listen(t, (_request, response) => void response.end());
      const tried = url.replace('http:', 'https:');
      await assert.rejects(connect(tried, options), {
        reason: 'refused',
        message: `${tried} cannot be reached: what answers there does not speak TLS (wrong version number); if it is an http server, write ${url}`,
      });
    });

    it('as http, since it may be https, is told so', async (t) => {
      const url = await silent(t);
      await assert.rejects(connect(url, options), (error: Error) => {
        const start = `no answer from ${url}: the connection was closed (`;
        assert.equal(error.message.slice(0, start.length), start);
        assert.match(error.message, new RegExp(`; if it is an https server, write ${url.replace('http:', 'https:')}$`));
        return true;
      });
    });

    it('at a wrong path, is told where', async (t) => {
      const bodies = [
        '',
        '<html><title>404 not there</title>',
        '{"jsonrpc":"2.0","error":{"code":-32600,"message":"none"}}',
      ];
      for (const [index, said] of ['', ': 404 not there', ': none'].entries()) {
        const url = await listen(t, (_request, response) => void response.writeHead(404).end(bodies[index]));
        const elsewhere = url.replace('/mcp', '/api?key=secret');
        await assert.rejects(connect(elsewhere, options), {
          reason: 'http',
          status: 404,
          message: `HTTP 404 from ${url.replace('/mcp', '/api')}${said}; is the path /api that of an MCP server? (many servers have theirs at /mcp)`,
        });
      }
    });

    it('with a page, is told what it is', async (t) => {
      const type = { 'content-type': 'text/html' };
      const url = await listen(t, (_request, response) => void response.writeHead(200, type).end('<p>hi'));
      await assert.rejects(connect(url, options), {
        message: `${url} answered with text/html, neither JSON nor an event stream; is it the URL of an MCP server?`,
      });
    });

    it('with JSON of something else, is told how that begins', async (t) => {
      const type = { 'content-type': 'application/json' };
      const body = `{"users":["\u202eann"],"more":"${'x'.repeat(500)}"}`;
      const url = await listen(t, (_request, response) => void response.writeHead(200, type).end(body));
      await assert.rejects(connect(url, options), {
        reason: 'invalid-message',
        status: 200,
        message: `${url} answered with JSON that is no message of MCP: ${asSaid(body)}; is it the URL of an MCP server?`,
      });
    });

    it('with an empty body, is told so', async (t) => {
      const url = await listen(t, (_request, response) => void response.writeHead(200).end());
      await assert.rejects(connect(url, options), {
        reason: 'closed',
        status: 200,
        body: '',
        message: `HTTP 200 from ${url}: an empty body instead of an answer; is it the URL of an MCP server?`,
      });
    });

    it('with a refusal that has no challenge, is told what it says', async (t) => {
      const url = await listen(t, (_request, response) => void response.writeHead(401).end('{"error":"no key"}'));
      await assert.rejects(connect(url, options), {
        reason: 'unauthorized',
        message: `HTTP 401 from ${url}: no key: it wants authorization, which the option \`auth\` gives`,
      });
    });

    it('with a redirect to another place, is told to use that', async (t) => {
      const location = { location: 'https://elsewhere.example/mcp?key=secret' };
      const url = await listen(t, (_request, response) => void response.writeHead(302, location).end());
      await assert.rejects(connect(url, options), {
        reason: 'http',
        message: `${url} answered with a redirect to https://elsewhere.example/mcp, which is not followed: if you trust that address, give it in place of this one`,
      });
    });
  });
}

it('a certificate that nobody vouches for is told with what makes it known', () => {
  for (const code of ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])
    assert.match(
      notReached(
        new TypeError('fetch failed', { cause: Object.assign(new Error('self-signed certificate'), { code }) }),
        new URL('https://x/y'),
      ).message,
      /^https:\/\/x\/y cannot be reached: self-signed certificate; if it is meant to be trusted, put the certificate of its issuer into a file and name that in NODE_EXTRA_CA_CERTS$/,
    );
});

it('a failure of the platform is told in words and as it is', () => {
  const failed = (code: string, message: string): string =>
    notReached(
      new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) }),
      new URL('https://x/y?z'),
    ).message;
  const start = 'https://x/y cannot be reached: ';
  assert.equal(
    failed('ECONNREFUSED', 'connect ECONNREFUSED ::1:1'),
    `${start}nothing listens there (connect ECONNREFUSED ::1:1)`,
  );
  assert.equal(failed('ENOTFOUND', ''), `${start}the host does not exist (ENOTFOUND)`);
  assert.equal(failed('CERT_HAS_EXPIRED', 'certificate has expired'), `${start}certificate has expired`);
  const raw =
    '4F:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:../s.c:916:SSL alert number 70\n';
  assert.equal(failed('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', raw), `${start}tlsv1 alert protocol version`);
});

it('a failed request is refused only if nothing can have been sent', () => {
  const failed = (code: string, syscall?: string, message = ''): string =>
    notReached(
      new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code, syscall }) }),
      new URL('https://x/y'),
    ).reason;
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused'])
    assert.equal(failed(code), 'refused', code);
  for (const code of ['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNRESET'])
    assert.equal(failed(code, 'connect'), 'refused', code);
  for (const code of [
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
  ])
    assert.equal(failed(code), 'refused', code);
  const early = 'Client network socket disconnected before secure TLS connection was established';
  assert.equal(failed('ECONNRESET', undefined, early), 'refused');
  const all = Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' });
  assert.equal(notReached(new TypeError('fetch failed', { cause: all }), new URL('http://x/')).reason, 'refused');
  for (const code of [
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'UND_ERR_SOCKET',
    'UND_ERR_HEADERS_TIMEOUT',
    'ERR_SSL_UNEXPECTED_EOF_WHILE_READING',
  ])
    assert.equal(failed(code, 'read'), 'closed', code);
  assert.equal(notReached(new TypeError('Failed to fetch'), new URL('https://x/')).reason, 'closed');
});

for (const fetch of [undefined, nodeFetch()])
  it(`a request that the server has when the connection ends was not refused, by ${fetch === undefined ? 'fetch' : 'connections of ours'}`, async (t) => {
    const url = await listen(t, (request) => void request.resume().once('end', () => request.socket.resetAndDestroy()));
    const channel = await httpTransport(url, fetch === undefined ? sending : { fetch }).open({
      message() {},
      problem() {},
      closed() {},
    });
    await assert.rejects(channel.send(request), { reason: 'closed', message: /^no answer from / });
    await channel.close();
  });
