import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { AuthorizationError } from '../../../auth/common/errors.ts';
import type { ConnectionError } from '../../../jsonrpc/transport.ts';
import { httpTransport } from './transport.ts';
import { open, request } from '../../../../../../test/support/http-answers.ts';

for (const [status, challenge, words] of [
  [401, 'Bearer scope="x"', /HTTP 401 from http:\S+: it wants authorization, which the option `auth` gives$/],
  [401, 'Bearer error="invalid_token"', /: the authorization was refused \(invalid_token\)$/],
  [
    401,
    'Bearer error="invalid_token", error_description="it \\"expired\\""',
    /refused \(invalid_token: it "expired"\)$/,
  ],
  [401, `Bearer error="invalid_token", error_description="${'x'.repeat(999)}"`, /\(invalid_token: x{200}\)$/],
  [401, 'Bearer error="invalid_token", error_description="a\tb\u0085c"', /\(invalid_token: a b c\)$/],
  [401, 'Bearer error="invalid_token", scope="a"', /\(invalid_token\)$/],
  [
    403,
    'Bearer error_description="more", error="insufficient_scope", scope="a b"',
    /refused \(insufficient_scope: more; it wants the scope a b\)$/,
  ],
  [403, 'Bearer error="insufficient_scope", scope="a"', /refused \(insufficient_scope; it wants the scope a\)$/],
  [403, 'Bearer', /HTTP 403 from \S+$/],
] as const) {
  test(`${status} with ${challenge} says what to do`, async (t) => {
    const { channel } = await open(
      t,
      (_incoming, outgoing) => void outgoing.writeHead(status, { 'www-authenticate': challenge }).end('no'),
    );
    await assert.rejects(channel.send(request), words);
  });
}

for (const [how, options] of [
  ['a token', { auth: 'token-abcdefgh' }],
  ['a function that gives one', { auth: async () => 'token-abcdefgh' }],
  ['a header', { headers: { Authorization: 'Bearer token-abcdefgh' } }],
  ['a function that gives a header', { headers: () => ({ authorization: 'Bearer token-abcdefgh' }) }],
] as const) {
  test(`401 without an error code says that ${how} was refused`, async (t) => {
    const { channel } = await open(
      t,
      (_incoming, outgoing) => void outgoing.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no'),
      options,
    );
    await assert.rejects(channel.send(request), /HTTP 401 from http:\S+: the authorization was refused$/);
  });
}

for (const status of [401, 403]) {
  test(`${status} is unauthorized with its challenge`, async (t) => {
    const { channel } = await open(
      t,
      (_incoming, outgoing) => void outgoing.writeHead(status, { 'www-authenticate': 'Bearer scope="x"' }).end('no'),
    );
    await assert.rejects(channel.send(request), {
      reason: 'unauthorized',
      status,
      challenge: 'Bearer scope="x"',
      body: 'no',
    });
  });
}

for (const [body, words] of [
  ['{"jsonrpc":"2.0","error":{"code":-32600,"message":"this Host is not allowed"},"id":1}', 'this Host is not allowed'],
  ['go away\nplease', 'go away'],
  [`{"error":{"message":"\\u001b[2Ja\\u202eb${'c'.repeat(999)}"}}`, `[2Ja b${'c'.repeat(193)}`],
] as const)
  test(`403 without a challenge says what the server says, and is not about who asks: ${words.slice(0, 24)}`, async (t) => {
    const { channel, heard } = await open(t, (_incoming, outgoing) => void outgoing.writeHead(403).end(body));
    await assert.rejects(channel.send(request), ({ reason, status: of, message }: ConnectionError) => {
      assert.deepEqual([reason, of, message.replace(/^HTTP 403 from \S+: /, '')], ['http', 403, words]);
      return true;
    });
    assert.deepEqual(heard, []);
  });

/** An authorization that cannot find out who authorizes. */
const withoutMetadata = {
  context: () => 'nobody',
  bind: () => ({
    headers: () => ({}),
    refused: () => Promise.reject(new AuthorizationError('server-error', 'the resource metadata failed (HTTP 500)')),
  }),
};
const secret = 'query/secret+1';
const saying = `no key for /mcp?api_key=${encodeURIComponent(secret)}`;
const challenge = { 'www-authenticate': `Bearer error="invalid_token", error_description="${saying}"` };

for (const [where, status, headers, body, options] of [
  ['a challenge', 401, challenge, '', {}],
  ['a challenge for which metadata are missing', 401, challenge, '', { auth: withoutMetadata }],
  ['the body of a refusal', 403, {}, saying, {}],
  ['JSON that is no message', 200, { 'content-type': 'application/json' }, JSON.stringify({ saying }), {}],
] as const)
  test(`a secret in the query of the URL is hidden in ${where}`, async () => {
    const url = `https://mcp.example/mcp?api_key=${encodeURIComponent(secret)}`;
    const fetch = async (): Promise<Response> => new Response(body, { status, headers });
    const ignore = (): void => undefined;
    const heard = { message: ignore, problem: ignore, gap: ignore, closed: ignore };
    const channel = await httpTransport(url, { fetch, ...options }).open(heard);
    await assert.rejects(channel.send(request), (error: ConnectionError) => {
      assert.match(error.message, /no key for \/mcp\?api_key=•••/);
      assert.doesNotMatch(inspect(error, { depth: 9 }), /query.{1,3}secret/);
      return true;
    });
  });
