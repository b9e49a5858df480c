/** The query of a URL may be a key, and is in no word of an error, a warning or a cause. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { connect } from '../../../client.ts';
import { oauth } from '../../../oauth.ts';

const key = 'a-secret-in-a-query';
const origin = 'https://mcp.example';
const url = `${origin}/mcp?key=${key}`;

type Answer = (path: string, method: string) => Response | Promise<Response>;

const challenge = { 'www-authenticate': 'Bearer' };
const document = (value: object): Response => Response.json(value);
const events = (text: string): Response => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
const metadata = {
  issuer: origin,
  authorization_endpoint: `${origin}/authorize?key=${key}`,
  token_endpoint: `${origin}/token?key=${key}`,
  registration_endpoint: `${origin}/register?key=${key}`,
  code_challenge_methods_supported: ['S256'],
  response_types_supported: ['code'],
};

/** A guarded server, by its resource metadata and those of its authorization server. */
const guarded =
  (resource: object, server: object | number): Answer =>
  (path) => {
    if (path.startsWith('/.well-known/oauth-protected-resource')) return document(resource);
    if (!path.startsWith('/.well-known/'))
      return new Response('{"error":"invalid_client"}', { status: 401, headers: challenge });
    return typeof server === 'number' ? new Response('', { status: server }) : document(server);
  };

const failures: Readonly<Record<string, Answer>> = {
  'answers 401': () => new Response('no', { status: 401 }),
  'answers 401 with a challenge': () => new Response('', { status: 401, headers: challenge }),
  'answers 403': () => new Response('', { status: 403 }),
  'answers 404': () => new Response('', { status: 404 }),
  'answers 500': () => new Response('', { status: 500 }),
  'redirects to a key': () => new Response(null, { status: 302, headers: { location: `${origin}/else?key=${key}` } }),
  'redirects elsewhere': () =>
    new Response(null, { status: 307, headers: { location: `https://else.example/?key=${key}` } }),
  'redirects to itself': () => new Response(null, { status: 307, headers: { location: url } }),
  'answers with a page': () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
  'answers with nothing': () => new Response(''),
  'answers with other JSON': () => document({ a: 1 }),
  'is not there': () =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ENOTFOUND' }) })),
  'resets the connection': () =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNRESET' }) })),
  'sends messages elsewhere': (_, method) =>
    method === 'GET'
      ? events(`event: endpoint\ndata: https://else.example/?key=${key}\n\n`)
      : new Response('', { status: 404 }),
  'refuses what it is sent there': (_, method) =>
    method === 'GET' ? events(`event: endpoint\ndata: /m?key=${key}\n\n`) : new Response('', { status: 404 }),
  'names another resource': guarded(
    { resource: `https://else.example/?key=${key}`, authorization_servers: [origin] },
    metadata,
  ),
  'names an odd issuer': guarded({ resource: url, authorization_servers: [`${origin}/?key=${key}`] }, metadata),
  'has an authorization server that fails': guarded({ resource: url, authorization_servers: [origin] }, 500),
  'has an authorization server without metadata': guarded({ resource: url, authorization_servers: [origin] }, 404),
  'has metadata of another issuer': guarded(
    { resource: url, authorization_servers: [origin] },
    { ...metadata, issuer: `${origin}/?key=${key}` },
  ),
  'does not register clients': guarded({ resource: url, authorization_servers: [origin] }, metadata),
  'protects no codes': guarded(
    { resource: url, authorization_servers: [origin] },
    { ...metadata, code_challenge_methods_supported: [] },
  ),
};

for (const [what, answer] of Object.entries(failures))
  for (const isAuthorized of [false, true])
    test(`a server that ${what} puts no query into an error, ${isAuthorized ? 'with' : 'without'} a login`, async () => {
      const fetch = async (to: string, request: { readonly method?: string }): Promise<Response> =>
        await answer(new URL(to).pathname, request.method ?? 'GET');
      const auth = oauth({
        redirect: () => Promise.reject(new Error('nobody is asked')),
        redirectUri: 'https://client.example/callback',
        fetch,
      });
      const warnings: unknown[] = [];
      const error: unknown = await connect(url, {
        fetch,
        ...(isAuthorized ? { auth } : {}),
        onWarning: (...warning) => warnings.push(warning),
      }).then(
        () => assert.fail('it connected'),
        (cause: unknown) => cause,
      );
      assert.ok(error instanceof Error && error.name !== 'AssertionError', String(error));
      assert.doesNotMatch(error.message, new RegExp(key));
      assert.doesNotMatch(inspect([error, warnings], { depth: 9 }), new RegExp(key));
    });
