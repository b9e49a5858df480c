import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseChallenges } from '../common/challenge.ts';
import { entries, type Received } from '../../../../../test/support/http-entries.ts';
import { bearer, call, open, resource, said } from '../../../../../test/support/guarded-entrance.ts';

const metadataUrl = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';

function challenged({ headers }: Received): ReturnType<typeof parseChallenges> {
  return parseChallenges(headers['www-authenticate']);
}

function errorOf({ text }: Received): string {
  const body = JSON.parse(text) as { readonly error: string; readonly error_description: string };
  assert.deepEqual(Object.keys(body), ['error', 'error_description']);
  return body.error;
}

const initialize = (revision: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  });

const callOf = (name: string, id: number = 2): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name },
});

for (const [name, entry] of Object.entries(entries)) {
  describe(name, () => {
    test('a request without a token is told where to get one [auth-018] [auth-026] [auth-027] [auth-042]', async (t) => {
      const { send } = await open(t, entry, { protect: { scopes: ['mcp:basic', 'offline_access'] } });
      const answer = await send(call('tools/call', { name: 'who' }));
      assert.equal(answer.status, 401);
      assert.deepEqual(challenged(answer), [
        { scheme: 'bearer', parameters: { resource_metadata: metadataUrl, scope: 'mcp:basic' } },
      ]);
      assert.equal(errorOf(answer), 'unauthorized');
    });

    test('metadata names the resource and its authorization servers to anybody [auth-024] [auth-116]', async (t) => {
      const { send, issuer } = await open(t, entry, { protect: { scopes: ['mcp:basic', 'offline_access'] } });
      const paths = [new URL(metadataUrl).pathname, '/.well-known/oauth-protected-resource'];
      for (const path of paths) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await send({ method, path, headers: { origin: 'https://anywhere.example' } });
          assert.equal(answer.status, 200);
          assert.equal(answer.headers['access-control-allow-origin'], '*');
          assert.equal(answer.headers['content-type'], 'application/json');
          assert.match(answer.headers['cache-control'] ?? '', /max-age=3600/);
          if (method === 'HEAD') assert.equal(answer.text, '');
          else
            assert.deepEqual(JSON.parse(answer.text), {
              resource,
              authorization_servers: [issuer.issuer],
              scopes_supported: ['mcp:basic'],
              bearer_methods_supported: ['header'],
            });
        }
      }
      const [path = ''] = paths;
      assert.equal((await send({ method: 'POST', path, body: '{}' })).status, 405);
      const preflight = {
        origin: 'https://anywhere.example',
        'access-control-request-headers': 'mcp-protocol-version',
      };
      const { status, headers } = await send({ method: 'OPTIONS', path, headers: preflight });
      assert.equal(status, 204);
      assert.equal(headers['access-control-allow-headers'], 'mcp-protocol-version');
    });

    test('a request with a token of its issuer is answered, and its handler knows whose it is [auth-121]', async (t) => {
      const { send, issuer } = await open(t, entry);
      const token = await issuer.issue({ subject: 'anna', scopes: ['read'] });
      for (let turn = 0; turn < 2; turn++) {
        const answer = await send(call('tools/call', { name: 'who' }, bearer(token)));
        assert.equal(answer.status, 200);
        assert.equal(said(answer), '["anna",["read"]]');
      }
      assert.equal(issuer.asked.get('/jwks'), 1);
    });

    test('a token in the query is not read [auth-120]', async (t) => {
      const { send, issuer } = await open(t, entry);
      const path = `/mcp?access_token=${await issuer.issue()}`;
      assert.equal((await send({ ...call('tools/call', { name: 'who' }), path })).status, 401);
    });

    test('a header that holds no single token is a bad request, before its body is read [auth-128]', async (t) => {
      const { send, issuer } = await open(t, entry);
      const token = await issuer.issue();
      for (const authorization of [
        `Bearer ${token}, Bearer ${token}`,
        'Bearer',
        'Bearer ',
        `Bearer ${token} ${token}`,
        `Bearer "${token}"`,
        `Bearer ${'a'.repeat(16_400)}`,
      ]) {
        const answer = await send({ ...call('tools/call', { name: 'who' }, { authorization }), body: '{' });
        // Node itself takes no header that long.
        assert.ok(
          answer.status === 400 || (answer.status === 431 && authorization.length > 16_384),
          authorization.slice(0, 40),
        );
        if (answer.status === 400) assert.equal(errorOf(answer), 'invalid_request');
      }
      const basic = await send(call('tools/call', { name: 'who' }, { authorization: 'Basic YTpi' }));
      assert.equal(basic.status, 401);
      assert.equal(challenged(basic)[0]?.parameters['error'], undefined);
    });

    test('a token with colons is a token, which its authorization server is asked about', async (t) => {
      const { send } = await open(t, entry, {
        protect: {
          issuers: undefined as never,
          authorizationServers: ['https://issuer.test'],
          verify: (token) =>
            token === 'ann:grant:secret'
              ? { iss: 'https://issuer.test', sub: 'ann', aud: resource, exp: Date.now() / 1000 + 60 }
              : undefined,
        },
      });
      const asked = call('tools/call', { name: 'who' }, { authorization: 'Bearer ann:grant:secret' });
      assert.equal((await send(asked)).status, 200);
    });

    test('scopes of a tool are asked for all at once, with those that the caller has [auth-048] [auth-049] [auth-050] [auth-051] [auth-046]', async (t) => {
      const { send, issuer } = await open(t, entry, {
        protect: { scopes: ['mcp:basic'] },
        define: (server) => {
          server.tool('write', { scopes: ['files:read', 'files:write'] }, () => 'written');
          server.tool('list', { scopes: ['files:list'] }, () => 'listed');
        },
      });
      const token = await issuer.issue({ scopes: ['mcp:basic', 'files:list', 'openid', 'files:read'] });
      const answer = await send(call('tools/call', { name: 'write' }, bearer(token)));
      assert.equal(answer.status, 403);
      assert.equal(errorOf(answer), 'insufficient_scope');
      const [challenge] = challenged(answer);
      assert.equal(challenge?.parameters['error'], 'insufficient_scope');
      assert.equal(challenge.parameters['resource_metadata'], metadataUrl);
      assert.deepEqual(challenge.parameters['scope']?.split(' '), [
        'mcp:basic',
        'files:read',
        'files:write',
        'files:list',
      ]);
      const wider = await issuer.issue({ scopes: ['mcp:basic', 'files:read', 'files:write'] });
      assert.equal(said(await send(call('tools/call', { name: 'write' }, bearer(wider)))), 'written');
    });

    test('a session, its streams and its end need a token each time [auth-119] [security-014] [security-015]', async (t) => {
      const { send, issuer } = await open(t, entry);
      const token = await issuer.issue();
      const opened = await send({ headers: bearer(token), body: initialize('2025-11-25') });
      const id = opened.headers['mcp-session-id'] ?? '';
      assert.equal(opened.status, 200);
      const wires = [
        { body: JSON.stringify(callOf('who')) },
        { body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) },
        { method: 'GET' },
        { method: 'GET', headers: { 'last-event-id': 'x' } },
        { method: 'DELETE' },
      ];
      for (const wire of wires) {
        const none = await send({ ...wire, headers: { ...wire.headers, 'mcp-session-id': id } });
        assert.equal(none.status, 401);
        assert.equal(challenged(none)[0]?.parameters['resource_metadata'], metadataUrl);
        const bad = await send({ ...wire, headers: { ...wire.headers, 'mcp-session-id': id, ...bearer('a.b.c') } });
        assert.equal(bad.status, 401);
        assert.equal(challenged(bad)[0]?.parameters['error'], 'invalid_token');
      }
      const good = { 'mcp-session-id': id, ...bearer(token) };
      assert.equal(said(await send({ headers: good, body: JSON.stringify(callOf('who')) })), '["test-user",[]]');
    });

    test('a call in a session that lacks scopes gets its challenge, and a batch the union, before anything runs', async (t) => {
      const ran: string[] = [];
      const { send, issuer } = await open(t, entry, {
        define: (server) => {
          for (const tool of ['a', 'b', 'c'])
            server.tool(tool, { scopes: tool === 'c' ? [] : [`scope:${tool}`] }, () => (ran.push(tool), tool));
        },
      });
      const token = await issuer.issue();
      const opened = await send({ headers: bearer(token), body: initialize('2025-03-26') });
      const headers = { 'mcp-session-id': opened.headers['mcp-session-id'], ...bearer(token) };
      const one = await send({ headers, body: JSON.stringify(callOf('a')) });
      assert.equal(one.status, 403);
      assert.equal(challenged(one)[0]?.parameters['scope'], 'scope:a');
      const all = ['a', 'b', 'c'].map((tool, at) => callOf(tool, at));
      const batch = await send({ headers, body: JSON.stringify(all) });
      assert.equal(batch.status, 403);
      assert.equal(challenged(batch)[0]?.parameters['scope'], 'scope:a scope:b');
      assert.deepEqual(ran, []);
      const wider = { ...headers, ...bearer(await issuer.issue({ scopes: ['scope:a', 'scope:b'] })) };
      assert.equal((await send({ headers: wider, body: JSON.stringify(all) })).status, 200);
    });

    test('the pair of HTTP+SSE refuses with the same challenges', async (t) => {
      const { send, stream, issuer } = await open(t, entry, {
        http: { ssePair: { sse: '/sse', messages: '/messages' } },
        define: (server) => void server.tool('write', { scopes: ['files:write'] }, () => 'written'),
      });
      const token = await issuer.issue();
      const refused = await send({ method: 'GET', path: '/sse' });
      assert.equal(refused.status, 401);
      assert.equal(challenged(refused)[0]?.parameters['resource_metadata'], metadataUrl);
      const events = await stream({ path: '/sse', headers: bearer(token) });
      t.after(() => events.leave());
      const path = /^data: (\S+)$/m.exec(events.first)?.[1] ?? '';
      assert.equal((await send({ path, body: initialize('2025-03-26') })).status, 401);
      assert.equal((await send({ path, headers: bearer(token), body: initialize('2025-03-26') })).status, 202);
      const lacking = await send({ path, headers: bearer(token), body: JSON.stringify(callOf('write')) });
      assert.equal(lacking.status, 403);
      assert.equal(challenged(lacking)[0]?.parameters['scope'], 'files:write');
    });

    test('only methods that are named may be called without a token', async (t) => {
      const { send, issuer } = await open(t, entry, {
        protect: { anonymous: ['initialize', 'notifications/initialized', 'tools/list'] },
        define: (server) => void server.tool('write', { scopes: ['files:write'] }, () => 'written'),
      });
      assert.equal((await send(call('tools/list'))).status, 200);
      const refused = await send(call('tools/call', { name: 'who' }));
      assert.equal(refused.status, 401);
      assert.equal(challenged(refused)[0]?.parameters['resource_metadata'], metadataUrl);
      const opened = await send({ body: initialize('2025-03-26') });
      const headers = { 'mcp-session-id': opened.headers['mcp-session-id'] };
      assert.equal((await send({ headers, body: JSON.stringify([callOf('who')]) })).status, 401);
      assert.equal((await send({ headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }) })).status, 401);
      assert.equal((await send({ headers, method: 'GET' })).status, 401);
      assert.equal((await send({ headers, method: 'DELETE' })).status, 401);
      // What is bad is not taken for nothing.
      assert.equal((await send(call('tools/list', {}, bearer('a.b.c')))).status, 401);
      const token = await issuer.issue();
      assert.equal((await send(call('tools/call', { name: 'who' }, bearer(token)))).status, 200);
    });

    test('what cannot be verified now is no bad token', async (t) => {
      const { send, issuer } = await open(t, entry);
      issuer.outage(true);
      const answer = await send(call('tools/call', { name: 'who' }, bearer(await issuer.issue())));
      assert.equal(answer.status, 503);
      assert.equal(answer.headers['www-authenticate'], undefined);
      assert.equal(answer.headers['retry-after'], '5');
    });

    test('pages may send proofs and read nonces', async (t) => {
      const { send } = await open(t, entry);
      const origin = 'http://localhost:5173';
      const preflight = await send({ method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
      assert.match(preflight.headers['access-control-allow-headers'] ?? '', /\bDPoP\b/);
      const refused = await send(call('tools/list', {}, { origin }));
      assert.match(refused.headers['access-control-expose-headers'] ?? '', /WWW-Authenticate.*DPoP-Nonce/);
    });
  });
}

test('requests of one session may have tokens of the same principal alone [security-018] [security-020]', async (t) => {
  const { send, issuer } = await open(t, entries['createHttpHandler'] ?? assert.fail());
  const opened = await send({
    headers: bearer(await issuer.issue({ subject: 'anna' })),
    body: initialize('2025-11-25'),
  });
  const headers = { 'mcp-session-id': opened.headers['mcp-session-id'] };
  const body = JSON.stringify(callOf('who'));
  const again = await issuer.issue({ subject: 'anna', scopes: ['more'] });
  assert.equal(said(await send({ headers: { ...headers, ...bearer(again) }, body })), '["anna",["more"]]');
  assert.equal(
    (await send({ headers: { ...headers, ...bearer(await issuer.issue({ subject: 'eve' })) }, body })).status,
    404,
  );
  // A client that acts for itself is nobody's namesake.
  const machine = await issuer.issue({ claims: { sub: undefined, client_id: 'anna' } });
  assert.equal((await send({ headers: { ...headers, ...bearer(machine) }, body })).status, 404);
});
