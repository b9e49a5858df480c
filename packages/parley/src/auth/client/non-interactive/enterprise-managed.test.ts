/** Machines for which others vouch: workloads by their platform, persons by their enterprise. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld, issuer, mcp, refuse, type World } from '../../../../../../test/support/authorization-world.ts';
import { AuthorizationError, enterpriseManaged, workloadIdentity } from '../../../oauth.ts';

const server = {
  ...(createWorld().laws.server as Readonly<Record<string, unknown>>),
  token_endpoint_auth_methods_supported: ['client_secret_basic'],
};

function asked(world: World): readonly Readonly<Record<string, unknown>>[] {
  return world.asked.filter(({ url }) => url.pathname === '/token').map(({ body }) => body);
}

test('what an authorization server refuses of a workload is told, and not tried again or in another way [auth-153] [auth-154] [auth-155]', async () => {
  const audiences: string[] = [];
  const world = createWorld({ server, answers: { '/token': () => refuse('invalid_grant') } });
  const assertion = ({ audience }: { readonly audience: string }): string => {
    audiences.push(audience);
    return 'header.payload.signature';
  };
  const auth = workloadIdentity({ clientId: 'work', assertion });
  await assert.rejects(
    world.connect(auth),
    (error) => error instanceof AuthorizationError && error.code === 'invalid_grant',
  );
  assert.deepEqual(audiences, [issuer]);
  assert.deepEqual(asked(world), [
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: 'header.payload.signature',
      client_id: 'work',
      resource: mcp,
    },
  ]);
});

test('a workload cannot ask for more scopes, and the error names them', async (t) => {
  const world: World = createWorld({
    server,
    needs: { write: ['write', 'more'] },
    answers: {
      '/token': () => {
        world.tokens.set('t', ['read']);
        return Response.json({ access_token: 't', token_type: 'Bearer', scope: 'read' });
      },
    },
  });
  const client = await world.connect(workloadIdentity({ clientId: 'work', assertion: () => 'a.b.c' }));
  t.after(() => client.close());
  await assert.rejects(client.callTool('write'), (error) => {
    assert.ok(error instanceof AuthorizationError);
    assert.deepEqual([error.reason, error.scopes, error.issuer], ['insufficient-scope', ['write', 'more'], issuer]);
    return true;
  });
  assert.equal(asked(world).length, 1);
});

const idJag = 'urn:ietf:params:oauth:token-type:id-jag';

/** A world with an identity provider, and the form that was sent to it. */
function managed(token: object, changes: object = {}): World {
  const exchange = { issuer: 'https://idp.example', token_endpoint: 'https://idp.example/exchange' };
  const world: World = createWorld({
    server: { ...server, ...changes },
    answers: {
      '/.well-known/oauth-authorization-server': ({ url }) =>
        url.origin === 'https://idp.example' ? Response.json(exchange) : undefined,
      '/exchange': () => Response.json({ token_type: 'N_A', ...token }),
      '/token': () => {
        world.tokens.set('t', []);
        return Response.json({ access_token: 't', token_type: 'Bearer' });
      },
    },
  });
  return world;
}

for (const idp of [{ issuer: 'https://idp.example' }, { tokenEndpoint: 'https://idp.example/exchange' }])
  test(`an identity provider with its ${Object.keys(idp).join()} exchanges the token of the person for an assertion`, async (t) => {
    for (const [type, sent] of [
      [undefined, 'urn:ietf:params:oauth:token-type:id_token'],
      ['saml2', 'urn:ietf:params:oauth:token-type:saml2'],
      ['urn:own:type', 'urn:own:type'],
    ] as const) {
      const world = managed({ access_token: 'assertion', issued_token_type: idJag });
      const client = { id: 'app', secret: 's' };
      const auth = enterpriseManaged({
        idp: { ...idp, client: { id: 'c', secret: 'p', method: 'client_secret_post' } },
        client,
        subjectToken: () => ({ token: 'of-ann', ...(type && { type }) }),
        scopes: ['a', 'b'],
      });
      const connected = await world.connect(auth);
      t.after(() => connected.close());
      const { body } = world.asked.find(({ url }) => url.pathname === '/exchange') ?? assert.fail('it was asked');
      assert.deepEqual(body, {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        requested_token_type: idJag,
        audience: issuer,
        resource: mcp,
        subject_token: 'of-ann',
        subject_token_type: sent,
        scope: 'a b',
        client_id: 'c',
        client_secret: 'p',
      });
      const [{ grant_type: grant, assertion } = {}] = asked(world);
      assert.deepEqual([grant, assertion], ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'assertion']);
    }
  });

test('what an identity provider gives must be an assertion, for an authorization server that takes them', async () => {
  const client = { id: 'c', secret: 's' };
  const auth = () =>
    enterpriseManaged({
      idp: { tokenEndpoint: 'https://idp.example/exchange', client },
      client,
      subjectToken: () => ({ token: 't' }),
    });
  for (const token of [
    { access_token: 'a' },
    { issued_token_type: idJag },
    { access_token: 'a', issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' },
  ]) {
    const world = managed(token);
    await assert.rejects(world.connect(auth()), { reason: 'invalid-response', message: /another kind of token/ });
    assert.equal(asked(world).length, 0);
  }
  const profiles = (list: readonly string[]): World =>
    managed({ access_token: 'a', issued_token_type: idJag }, { authorization_grant_profiles_supported: list });
  await assert.rejects(profiles(['other']).connect(auth()), {
    reason: 'discovery',
    message: /decisions of enterprises/,
  });
  const client2 = await profiles(['urn:ietf:params:oauth:grant-profile:id-jag']).connect(auth());
  await client2.close();
});

test('workloads and enterprises without what they need are refused at once', () => {
  const client = { id: 'c', secret: 's' };
  const work = { clientId: 'work', assertion: () => 'a' };
  for (const change of [{ clientId: '' }, { clientId: 7 }, { assertion: 'a' }])
    assert.throws(() => workloadIdentity({ ...work, ...change } as never), /workloadIdentity needs/);
  const whole = { idp: { issuer, client }, client, subjectToken: () => ({ token: 't' }) };
  for (const [change, words] of [
    [{ idp: { client } }, /idp must have its issuer or its tokenEndpoint/],
    [{ idp: { issuer, tokenEndpoint: `${issuer}/x`, client } }, /idp must have its issuer or its tokenEndpoint/],
    [{ idp: { issuer } }, /idp must have/],
    [{ subjectToken: 't' }, /needs subjectToken/],
    [{ client: { id: 'c' } }, /client/],
  ] as const)
    assert.throws(() => enterpriseManaged({ ...whole, ...change } as never), words);
});
