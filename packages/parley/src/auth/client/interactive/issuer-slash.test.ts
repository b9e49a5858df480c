import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthorizationError } from '../../../oauth.ts';
import {
  createWorld,
  issuer as host,
  mcp,
  type Laws,
  type World,
} from '../../../../../../test/support/authorization-world.ts';

const plain = `${host}/realms/x`;
const slashed = `${plain}/`;

/** A world whose authorization server has a path. It names itself and its answers by one of two spellings. */
function worldOf({ listed, own, answer }: { listed: string; own: string; answer: string }): World {
  const metadata = {
    issuer: own,
    authorization_endpoint: `${host}/authorize`,
    token_endpoint: `${host}/token`,
    registration_endpoint: `${host}/register`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
  const answers: Laws['answers'] = {
    '/.well-known/oauth-authorization-server/realms/x': () => Response.json(metadata),
    '/.well-known/oauth-authorization-server/realms/x/': () => Response.json(metadata),
  };
  return createWorld({
    resource: { resource: mcp, authorization_servers: [listed] },
    answers,
    callback: (url) => (url.searchParams.set('iss', answer), url),
  });
}

/** Signs in; gives the message of what failed. */
async function failure(world: World, options: Parameters<World['oauth']>[0] = {}): Promise<string | undefined> {
  try {
    await world.oauth({ fetch: world.fetch, ...options }).login({ server: mcp });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AuthorizationError && error.reason === 'issuer-mismatch', String(error));
    return error.message;
  }
}

const cases = [
  ['its metadata', { listed: plain, own: slashed, answer: slashed }, /^the metadata of .*realms\/x name the issuer/],
  ['its metadata, without', { listed: slashed, own: plain, answer: plain }, /^the metadata of .*realms\/x\/ name the/],
  ['its answer', { listed: plain, own: plain, answer: slashed }, /^the answer to the login at .*realms\/x names the/],
] as const;

for (const [what, world, words] of cases)
  test(`an issuer that differs by a slash in ${what} is refused with the setting that allows it`, async () => {
    const message = await failure(worldOf(world));
    assert.match(message ?? '', words);
    const { listed, own } = /with servers: \{ '(?<listed>\S+)': \{ issuer: '(?<own>\S+)' \} \}$/.exec(message ?? '')
      ?.groups ?? { listed: '', own: '' };
    assert.equal(await failure(worldOf(world), { servers: { [listed ?? '']: { issuer: own } } }), undefined);
  });

test('a setting that means an issuer may have another slash at its end', async () => {
  const world = worldOf({ listed: plain, own: plain, answer: plain });
  const client = { id: 'by-hand', issuer: slashed };
  assert.equal(await failure(world, { client, issuers: [slashed] }), undefined);
  assert.equal(world.pages.length, 1);
});

test('an issuer of another path is not allowed by a setting', async () => {
  const world = worldOf({ listed: plain, own: `${host}/realms/y`, answer: plain });
  assert.match((await failure(world, { servers: { [plain]: { issuer: `${host}/realms/y` } } })) ?? '', /another one/);
});
