import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure } from '../../../../../../test/support/authorization-failure.ts';
import { createWorld, issuer, mcp, type Laws } from '../../../../../../test/support/authorization-world.ts';
import { connect } from '../../../client.ts';
import { AuthorizationError } from '../../../oauth.ts';

const metadata = createWorld().laws.server as Readonly<Record<string, unknown>>;
const callback = (change: (callback: URL) => void): Partial<Laws> => ({
  callback: (url) => {
    change(url);
    return url;
  },
});

test('on a mismatch of the issuer nothing that the answer says is shown [auth-091]', async () => {
  const world = createWorld(
    callback((url) => {
      url.searchParams.set('iss', 'https://evil.example');
      url.searchParams.set('error', 'access_denied');
      url.searchParams.set('error_description', 'call this number');
    }),
  );
  const { message, code } = await failure(world);
  assert.doesNotMatch(message, /call this number|access_denied|evil/);
  assert.equal(code, undefined);
});

test('what an authorization server writes is shown as plain characters on one line, cut short', async () => {
  const world = createWorld(
    callback((url) => {
      url.searchParams.set('error', 'access_denied');
      url.searchParams.set('error_description', `\u001b[31m\n${'x'.repeat(1000)}`);
    }),
  );
  const { message } = await failure(world);
  assert.match(message, /^[\x20-\x7e]{1,500}$/);
});

const unwritten = '\u001b]0;x\u0007';

for (const [what, laws] of [
  ['an issuer', { resource: { resource: mcp, authorization_servers: [`${issuer}/${unwritten}`] } }],
  ['a resource', { resource: { resource: `${mcp}\u001b`, authorization_servers: [issuer] } }],
  ['a client id', { answers: { '/register': () => Response.json({ client_id: `c${unwritten}` }, { status: 201 }) } }],
  ['a token type', { answers: { '/token': () => Response.json({ access_token: 'a', token_type: unwritten }) } }],
] as readonly (readonly [string, Partial<Laws>])[])
  test(`${what} with characters that move the cursor of who reads is neither used nor shown`, async () => {
    const world = createWorld(laws);
    // In case that it is used.
    world.laws.answers = {
      ...world.laws.answers,
      [`/.well-known/oauth-authorization-server${new URL(`${issuer}/${unwritten}`).pathname}`]: () =>
        Response.json({ ...metadata, issuer: `${issuer}/${unwritten}` }),
    };
    const { message } = await failure(world);
    assert.match(message, /^[\x20-\x7e]*$/);
    assert.doesNotMatch(JSON.stringify(world.events), /\\u001b|\\u0007/);
  });

test('what follows the path in the URL of a server is not shown, since it may be a key', async () => {
  for (const answer of [() => new Response('', { status: 503 }), () => Response.json({ resource: mcp })]) {
    const world = createWorld({
      challenge: 'Bearer',
      answers: { '/.well-known/oauth-protected-resource/mcp': answer },
    });
    const auth = world.oauth();
    const connecting = connect(`${mcp}?key=hidden`, { auth, fetch: (url, request) => world.fetch(url, request) });
    const error: unknown = await connecting.catch((cause: unknown) => cause);
    assert.ok(error instanceof AuthorizationError);
    assert.doesNotMatch(`${error.message} ${error.stack}`, /hidden/);
  }
});
