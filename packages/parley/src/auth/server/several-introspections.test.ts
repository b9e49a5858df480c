/** Opaque tokens, where several issuers can be asked about them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../server/server.ts';
import { createHandler } from '../../transports/http/server/fetch.ts';
import { protect } from './protect.ts';

const resource = 'https://mcp.example.com/mcp';

/** The hosts that saw a token, and the status of the answer. */
async function shown(token: string, prefixes: readonly (string | undefined)[]): Promise<readonly [string[], number]> {
  const seen: string[] = [];
  const issuers = prefixes.map((prefix, at) => {
    const issuer = `https://${at}.example`;
    const introspection = {
      endpoint: `${issuer}/introspect`,
      clientId: 'mcp',
      clientSecret: 's',
      ...(prefix === undefined ? {} : { prefix }),
    };
    return { issuer, introspection };
  });
  const fetch = async (url: string, { body = '' }: { readonly body?: string }): Promise<Response> => {
    seen.push(new URL(url).host);
    const own = new URLSearchParams(body).get('token')?.endsWith(new URL(url).host[0] ?? '') === true;
    return Response.json(own ? { active: true, aud: resource, sub: 'ann' } : { active: false });
  };
  const server = createServer({ name: 's', version: '1' });
  const handle = createHandler(protect(server, { resource, issuers, fetch }), { allowedHosts: ['mcp.example.com'] });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const { status } = await handle(new Request(resource, { method: 'POST', headers, body }));
  await server.close();
  return [seen, status];
}

test('an opaque token is shown only to the issuer whose prefix it has', async () => {
  assert.deepEqual((await shown('b_1', ['a_', 'b_', 'c_']))[0], ['1.example']);
  assert.deepEqual((await shown('a_0', ['a_', 'b_', undefined]))[0], ['0.example']);
  assert.notEqual((await shown('b_1', ['a_', 'b_']))[1], 401);
});

test('a token with no known prefix is shown only to issuers without one', async () => {
  assert.deepEqual((await shown('x2', ['a_', 'b_', undefined]))[0], ['2.example']);
  assert.deepEqual(await shown('x1', ['a_', 'b_']), [[], 401]);
  // Without any prefix they are asked in their order.
  assert.deepEqual((await shown('x1', [undefined, undefined, undefined]))[0], ['0.example', '1.example']);
});

test('a prefix that is no text is refused', () => {
  const server = createServer({ name: 's', version: '1' });
  const introspection = { clientId: 'mcp', clientSecret: 's', prefix: 7 as unknown as string };
  assert.throws(
    () => protect(server, { resource, issuers: [{ issuer: 'https://a.example', introspection }] }),
    /prefix must be/,
  );
});
