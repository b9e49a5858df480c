import assert from 'node:assert/strict';
import { stderr } from 'node:process';
import { describe, test } from 'node:test';
import { configOf, type Config } from './config.ts';

const env = { SECRET: 's3cret-of-the-environment', EMPTY: '' };
const url = 'https://mcp.example/mcp';
const issuer = 'https://login.example';

function read(entry: object): Config {
  return configOf({ mcpServers: { one: { url, ...entry } } }, { file: 'servers.json', io: { env, stderr } });
}

describe('the oauth of an entry', () => {
  test('is no need of a server at a URL, where the login that is kept is used', () => {
    const { upstreams } = read({});
    assert.deepEqual(upstreams['one']?.guarded, { url: new URL(url), oauth: undefined });
  });

  test('may be in the words of several hosts', () => {
    for (const scopes of [{ scopes: ['a', 'b'] }, { scope: 'a b' }, { scopes: 'a b' }]) {
      const { upstreams, problems, warnings } = read({ oauth: { enabled: true, ...scopes } });
      assert.deepEqual([problems, warnings], [[], []]);
      assert.deepEqual(upstreams['one']?.guarded?.oauth?.scopes, ['a', 'b']);
    }
  });

  test('is switched off by false, and by not being enabled', () => {
    for (const oauth of [false, { enabled: false, clientId: 'x' }])
      assert.equal(read({ oauth }).upstreams['one']?.guarded, undefined);
  });

  test('warns of keys that mean nothing', () => {
    const { warnings } = read({ oauth: { client: 'x', tokenUrl: 'https://x' } });
    assert.deepEqual(warnings, [
      'servers.json: mcpServers.one.oauth.client is ignored: it means nothing here; client may be meant as "clientId"',
      'servers.json: mcpServers.one.oauth.tokenUrl is ignored: write "issuer", the authorization server that names it',
    ]);
  });

  test('is read from the words of Cursor and Claude Code', () => {
    const metadata = '/.well-known/oauth-authorization-server';
    for (const [fields, found] of [
      [{ auth: { CLIENT_ID: 'x', CLIENT_SECRET: 's', scopes: ['a'], issuer } }, issuer],
      [
        { oauth: { clientId: 'x', clientSecret: 's', oauthScopes: ['a'], authServerMetadataUrl: issuer + metadata } },
        issuer,
      ],
      [
        { oauth: { clientId: 'x', clientSecret: 's', scope: 'a', authServerMetadataUrl: `${issuer}${metadata}/t` } },
        `${issuer}/t`,
      ],
    ] as const) {
      const { upstreams, warnings, problems } = read(fields);
      assert.deepEqual([problems, warnings], [[], []]);
      const { clientId, secret, scopes, issuer: at } = upstreams['one']?.guarded?.oauth ?? {};
      assert.deepEqual([clientId, secret, scopes, at], ['x', 's', ['a'], found]);
    }
  });

  test('may be a text under auth, of which only oauth is known', () => {
    assert.deepEqual(read({ auth: 'oauth' }).warnings, []);
    const { upstreams, warnings } = read({ auth: 's3cret' });
    assert.deepEqual(Object.keys(upstreams), ['one']);
    assert.deepEqual(warnings, [
      'servers.json: mcpServers.one.auth is ignored: write "headers": {"Authorization": "Bearer ${TOKEN}"}, or "oauth"',
    ]);
  });

  test('has its secret among the texts that nobody reads', () => {
    const { upstreams } = read({ oauth: { clientId: 'x', issuer, clientSecretEnv: 'SECRET' } });
    assert.ok(upstreams['one']?.secrets.includes(env.SECRET));
  });

  const machine = { grantType: 'client_credentials' };
  const wrong: readonly (readonly [object, string])[] = [
    [{ oauth: true }, 'oauth: must be an object, not a boolean'],
    [
      { oauth: { grantType: 'password' } },
      'oauth.grantType: must be authorization_code or client_credentials, not "password"',
    ],
    [{ oauth: { clientId: 'x' } }, 'oauth.issuer: is missing: a client is known to one authorization server'],
    [{ oauth: { clientId: 'x', issuer: 'login' } }, 'oauth.issuer: must be the URL of an authorization server'],
    [{ oauth: { clientSecret: 'x' } }, 'oauth.clientId: is missing: a secret or a key is that of a client'],
    [{ oauth: { clientSecretEnv: 'NOT_SET' } }, 'oauth.clientSecretEnv: the variable NOT_SET is not set, or empty'],
    [{ oauth: { clientSecretEnv: 'EMPTY' } }, 'oauth.clientSecretEnv: the variable EMPTY is not set, or empty'],
    [{ oauth: { clientSecretEnv: 'a secret by mistake' } }, 'oauth.clientSecretEnv: must be the name of a variable'],
    [
      { oauth: { clientSecretEnv: 'SECRET', clientSecret: 'y' } },
      'oauth.clientSecret: stands beside "clientSecretEnv"',
    ],
    [{ oauth: { clientSecret: '${NOT_SET}' } }, 'oauth.clientSecret: the variable NOT_SET is not set'],
    [{ oauth: { clientId: 'x', clientMetadataUrl: url } }, 'oauth.clientMetadataUrl: stands beside "clientId"'],
    [{ oauth: machine }, 'oauth.clientId: is missing: a machine is a client'],
    [{ oauth: { ...machine, clientId: 'x' } }, 'oauth.grantType: needs "clientSecretEnv"'],
    [
      { oauth: { ...machine, clientId: 'x', clientSecret: 'y', privateKeyFile: 'z' } },
      'oauth.clientSecret: stands beside a private key',
    ],
    [
      { oauth: { ...machine, clientId: 'x', clientSecret: 'y', issuer, account: 'z' } },
      'oauth.account: is for a person',
    ],
    [{ oauth: { privateKeyFile: 'x', privateKeyEnv: 'y' } }, 'oauth.privateKeyFile: stands beside "privateKeyEnv"'],
    [{ oauth: { keyId: 'x' } }, 'oauth.keyId: is the id of a private key, and there is none'],
    [{ oauth: { callbackPort: 70_000 } }, 'oauth.callbackPort: must be a port, 1 to 65535, not a number'],
    [{ oauth: { metadata: {} } }, 'oauth.issuer: is missing: "metadata" are those of one issuer'],
    [{ oauth: { scope: 'a', scopes: [] } }, 'oauth.scope: stands beside "scopes"'],
    [{ oauth: { resourceParameter: 'no' } }, 'oauth.resourceParameter: must be send or omit'],
    [{ oauth: {}, headers: { authorization: 'x' } }, 'oauth: stands beside an Authorization header'],
    [{ oauth: {}, url: 'https://me:pa55@mcp.example/' }, 'oauth: stands beside credentials in its URL'],
    [{ oauth: {}, url: 'https://:pa55@mcp.example/' }, 'oauth: stands beside credentials in its URL'],
  ];
  for (const [entry, words] of wrong)
    test(`is refused where ${words}`, () => {
      const { problems, upstreams } = read(entry);
      assert.deepEqual(upstreams, {});
      assert.ok(problems[0]?.startsWith(`servers.json: mcpServers.one.${words}`), problems[0]);
      for (const secret of ['s3cret', 'a secret by mistake', 'pa55']) assert.ok(!problems[0]?.includes(secret));
    });
});
