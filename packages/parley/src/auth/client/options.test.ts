import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientCredentials, oauth } from '../../oauth.ts';

const issuer = 'https://as.example';

/** Options that no compiler checked. */
function make(options: object): void {
  oauth({ redirect: async () => '', redirectUri: 'https://app.example/back', ...(options as object) });
}

for (const [options, words] of [
  [{ network: { alow: [] } }, /network has no option "alow"; .*allow/],
  [{ network: { allow: 'x' } }, /network\.allow/],
  [{ network: { allow: ['https://login.corp.example'] } }, /network\.allow .*host/],
  [{ network: { allow: ['login.corp.example:8443'] } }, /network\.allow .*host/],
  [{ parameters: { authorisation: {} } }, /parameters has no option "authorisation"; .*authorization/],
  [{ client: { id: 'x', issuer, secrt: 'hidden' } }, /client has no option "secrt"; .*secret/],
  [{ client: { id: '', issuer } }, /client must have its id/],
  [{ client: { id: 'x', issuer, method: 'secret' } }, /client\.method must be .*client_secret_basic/],
  [{ metadata: { nme: 'x' } }, /metadata has no option "nme"; .*name/],
  [{ redirect: {} }, /redirect must be given: /],
  [{ redirect: 'https://app.example/back' }, /redirect must be given: /],
  [{ redirect: null }, /redirect must be given: /],
  [{ servers: { [issuer]: 'x' } }, /servers .*object/],
  [{ servers: 'x' }, /servers .*object/],
  [{ scopes: 'a' }, /scopes must be an array/],
  [{ scopes: ['a b'] }, /scopes must be an array/],
  [{ issuers: issuer }, /issuers must be an array of issuers/],
  [{ resource: 'mcp' }, /resource must be an absolute URI/],
  [{ resource: 'https://mcp.example/#x' }, /resource must be an absolute URI/],
  [{ resourceParameter: 'no' }, /resourceParameter must be/],
  [{ dpop: 'never' }, /dpop must be/],
  [{ parameters: { token: { audience: 7 } } }, /parameters\.token\.audience/],
  [{ parameters: { authorization: { state: 'x' } } }, /must not have state/],
  [{ fetch: 7 }, /fetch/],
  [{ onEvent: 7 }, /onEvent/],
  [{ now: 7 }, /now/],
] as const)
  test(`${JSON.stringify(options)} is a mistake that is told at once`, () => {
    assert.throws(
      () => make(options),
      (error) => error instanceof TypeError && words.test(error.message) && !/hidden/.test(error.message),
    );
  });

test('a machine whose client is called as in a registration is told our names', () => {
  const given = { clientId: 'x', clientSecret: 'hidden' } as unknown as { id: string; secret: string };
  assert.throws(
    () => clientCredentials(given),
    /TypeError: clientCredentials has no option "clientId"; it is called id here$/,
  );
});

test('options that are not given at all are a mistake that is told at once', () => {
  assert.throws(() => oauth(undefined as never), /TypeError: oauth needs an object of options/);
});

test('a machine says by no method that does not exist who it is', () => {
  assert.throws(
    () => clientCredentials({ id: 'x', secret: 'y', method: 'secret' as 'none' }),
    (error) => error instanceof TypeError && /method must be .*client_secret_post/.test(error.message),
  );
});

test('options that are as they should be are taken', () => {
  for (const options of [
    { scopes: ['a'], issuers: [issuer], resource: 'https://mcp.example', resourceParameter: 'omit', dpop: 'auto' },
    { issuers: () => undefined, resource: 'urn:x', resourceParameter: 'send', dpop: 'always' },
    { parameters: { token: { audience: 'x' }, authorization: undefined }, network: {}, servers: {}, now: Date.now },
  ])
    make(options);
});

test('hosts that are allowed are names and addresses as people write them', () => {
  make({
    network: {
      allow: ['login.corp.example', 'LOGIN.corp.example.', '10.1.2.3', 'fd00::1', '[fd00::1]', 'b\u00fccher.example'],
    },
  });
});
