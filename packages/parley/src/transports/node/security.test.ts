import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fakeEndpoint } from '../../../../../test/support/fake-endpoint.ts';
import type { HttpRefusal } from '../../server/runtime/protection.ts';
import { protect } from '../../auth/server/protect.ts';
import { entries, type Entrance, type OpenStream, type Wire } from '../../../../../test/support/http-entries.ts';

const good = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
});
const evil = 'http://evil.example';

function post(headers: Record<string, string | undefined> = {}, body: string | Uint8Array = good): Wire {
  return { headers, body };
}

function typed(contentType: string | undefined): Wire {
  return post({ 'content-type': contentType });
}

function bytes(...parts: (string | number)[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part)] : [part])));
}

const large = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"${'a'.repeat(5 * 1024 * 1024)}"}}`;
const deep = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;

type Refused = readonly [title: string, wire: Wire, status: number, code: number];

/** Input that must be turned away before its body is read, on every entry. */
const unread: readonly Refused[] = [
  ['a rebound Host [http-007]', post({ host: 'evil.example' }), 403, -32600],
  ['a rebound Host with a port [http-007]', post({ host: 'evil.example:3000' }), 403, -32600],
  ['a Host that only begins like loopback', post({ host: 'localhost.evil.example' }), 403, -32600],
  ['a Host that only looks like loopback', post({ host: '127.0.0.1.evil.example' }), 403, -32600],
  ['an address of the network as Host', post({ host: '0.0.0.0' }), 403, -32600],
  ['a malformed Host', post({ host: '[' }), 400, -32600],
  ['a Host with a path', post({ host: 'localhost/evil' }), 400, -32600],
  ['a Host with a user', post({ host: 'localhost@evil.example' }), 400, -32600],
  ['a foreign Origin [http-003] [http-004]', post({ origin: evil }), 403, -32600],
  ['an opaque Origin [http-003]', post({ origin: 'null' }), 403, -32600],
  ['an Origin that only begins like loopback', post({ origin: 'http://localhost.evil.example' }), 403, -32600],
  ['an Origin that is not a URL', post({ origin: 'localhost' }), 403, -32600],
  ['a foreign Origin of a GET [http-003]', { headers: { origin: evil } }, 403, -32600],
  ['a foreign Origin of a DELETE [http-003]', { method: 'DELETE', headers: { origin: evil } }, 403, -32600],
  [
    'a foreign Origin of a preflight',
    { method: 'OPTIONS', headers: { origin: evil, 'access-control-request-method': 'POST' } },
    403,
    -32600,
  ],
  ['a foreign Origin at another path', { path: '/other', headers: { origin: evil } }, 403, -32600],
  ['too many headers', post(Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`x-${at}`, '1']))), 431, -32600],
  ['another path', { ...post(), path: '/other' }, 404, -32600],
  ['the path with more behind it', { ...post(), path: '/mcp/..' }, 404, -32600],
  ['PUT', { ...post(), method: 'PUT' }, 405, -32600],
  ['PATCH', { ...post(), method: 'PATCH' }, 405, -32600],
  ['HEAD', { method: 'HEAD' }, 405, -32600],
  ['text/plain', typed('text/plain'), 415, -32600],
  ['a form', typed('application/x-www-form-urlencoded'), 415, -32600],
  ['application/jsonp', typed('application/jsonp'), 415, -32600],
  ['x-application/json', typed('x-application/json'), 415, -32600],
  ['a vendor type', typed('application/vnd.api+json'), 415, -32600],
  ['another charset', typed('application/json; charset=utf-16'), 415, -32600],
  ['a malformed parameter', typed('application/json; charset'), 415, -32600],
  ['a type with empty parameters without end', typed(`text/plain${'; '.repeat(60)}!`), 415, -32600],
  ['JSON with empty parameters without end', typed(`application/json${' ; '.repeat(1200)}!`), 415, -32600],
  ['a quoted parameter that nothing closes', typed(`application/json;a="${'\\"'.repeat(1200)}`), 415, -32600],
  ['two types in one header', typed('application/json, text/plain'), 415, -32600],
  ['an unacceptable answer', post({ accept: 'text/html' }), 406, -32600],
  ['an Accept of empty parameters', post({ accept: `text/plain${' ; '.repeat(1200)}!` }), 406, -32600],
  ['an Accept of quotes', post({ accept: `text/html;a="${'a/b;q=0,'.repeat(400)}` }), 406, -32600],
  ['an answer that is refused outright', post({ accept: 'application/json;q=0, text/event-stream;q=0' }), 406, -32600],
  ['a body that is too large, and says so', post({}, large), 413, -32600],
  ['a body that is too large, without a length', { ...post({}, large), chunked: true }, 413, -32600],
];

/** Input that must be turned away before any handler runs. */
const read: readonly Refused[] = [
  ['JSON that nests too deep', post({}, deep), 400, -32600],
  ['invalid UTF-8', post({}, bytes('{"jsonrpc":"2.0","id":1,"method":"', 0xff, '"}')), 400, -32700],
  ['UTF-8 that breaks off', post({}, bytes('{"jsonrpc":"2.0","id":1,"method":"x"}', 0xc3)), 400, -32700],
  ['an overlong encoding', post({}, bytes('{"jsonrpc":"2.0","id":1,"method":"', 0xc0, 0xaf, '"}')), 400, -32700],
  ['malformed JSON', post({}, '{"jsonrpc":'), 400, -32700],
  ['an empty body', post({}, ''), 400, -32700],
  ['an id that is no integer', post({}, '{"jsonrpc":"2.0","id":1.5,"method":"initialize"}'), 400, -32600],
  ['an id that is null', post({}, '{"jsonrpc":"2.0","id":null,"method":"initialize"}'), 400, -32600],
  ['params that are an array', post({}, '{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}'), 400, -32600],
  ['no jsonrpc', post({}, '{"id":1,"method":"initialize"}'), 400, -32600],
  ['no object', post({}, '"initialize"'), 400, -32600],
  ['an empty batch', post({}, '[]'), 400, -32600],
];

const refused: readonly Refused[] = [...unread, ...read];

/** Input that must get through. */
const taken: readonly (readonly [title: string, wire: Wire])[] = [
  ['localhost as Host [http-007]', post({ host: 'localhost' })],
  ['localhost with a port and in capitals', post({ host: 'LOCALHOST:1234' })],
  ['127.0.0.1 as Host [http-007]', post({ host: '127.0.0.1:80' })],
  ['[::1] as Host [http-007]', post({ host: '[::1]:80' })],
  ['no Origin [http-003]', post()],
  ['an Origin on loopback', post({ origin: 'http://localhost:5173' })],
  ['an Origin on loopback with TLS', post({ origin: 'https://127.0.0.1' })],
  ['a charset of UTF-8', typed('application/json; charset=utf-8')],
  ['a quoted charset in capitals', typed('Application/JSON ;charset="UTF-8"')],
  ['no Accept', post({ accept: undefined })],
  ['any Accept', post({ accept: '*/*' })],
  ['application/* alone', post({ accept: 'application/*' })],
  ['an event stream alone', post({ accept: 'text/event-stream' })],
];

for (const [name, open] of Object.entries(entries)) {
  describe(`${name}`, () => {
    const served = fakeEndpoint();
    let entrance: Entrance;
    before(async () => {
      entrance = await open(served);
    });
    after(() => entrance.close());

    for (const [title, wire, status, code] of refused) {
      test(`turns away ${title}`, async () => {
        const before = served.received.length;
        const answer = await entrance.send(wire);
        assert.equal(answer.status, status, answer.text);
        assert.equal(answer.headers['content-type'], 'application/json');
        assert.equal(answer.headers['access-control-allow-origin'], undefined);
        assert.doesNotMatch(answer.text, /\.ts\b|node:|Error\b/);
        if (wire.method !== 'HEAD')
          assert.equal((JSON.parse(answer.text) as { error: { code: number } }).error.code, code);
        assert.equal(served.received.length, before, 'nothing may reach the server');
      });
    }

    for (const [title, wire] of taken) {
      test(`lets ${title} through`, async () => {
        const answer = await entrance.send(wire);
        assert.equal(answer.status, 200, answer.text);
        assert.ok(answer.headers['mcp-session-id']);
      });
    }

    test('turns away a missing content type', async () => {
      // The Fetch standard gives a text body a type of its own; a stream has none.
      const answer = await entrance.send(typed(undefined));
      assert.equal(answer.status, 415);
    });

    test('gives an upgrade the same checks as everything else', async () => {
      const upgrade = {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-version': '13',
      };
      const answer = await entrance.send({ headers: { ...upgrade, origin: evil } });
      assert.equal(answer.status, 403);
      assert.equal((await entrance.send({ headers: upgrade })).status, 400);
    });

    test('answers the preflight of an allowed page', async () => {
      const answer = await entrance.send({
        method: 'OPTIONS',
        headers: {
          origin: 'http://localhost:5173',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type, mcp-param-region, x-evil',
        },
      });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers['access-control-allow-origin'], 'http://localhost:5173');
      assert.match(answer.headers['access-control-allow-methods'] ?? '', /POST/);
      assert.match(answer.headers['access-control-allow-headers'] ?? '', /mcp-param-region/);
      assert.doesNotMatch(answer.headers['access-control-allow-headers'] ?? '', /x-evil/);
    });

    test('shows an allowed page the session id', async () => {
      const answer = await entrance.send(post({ origin: 'http://localhost:5173' }));
      assert.equal(answer.headers['access-control-allow-origin'], 'http://localhost:5173');
      assert.match(answer.headers['access-control-expose-headers'] ?? '', /Mcp-Session-Id/);
    });

    test('names the methods that it allows', async () => {
      const answer = await entrance.send({ ...post(), method: 'PUT' });
      assert.equal(answer.headers['allow'], 'GET, POST, DELETE, OPTIONS');
    });

    test('does not let __proto__ touch anything', async () => {
      const answer = await entrance.send(
        post(
          {},
          '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}}',
        ),
      );
      assert.equal(answer.status, 400);
      assert.equal(Object.hasOwn(Object.prototype, 'isAdmin'), false);
    });
  });

  test(`${name} lets in the names that its owner allows, and no others`, async () => {
    const entrance = await open(fakeEndpoint(), {
      allowedHosts: ['mcp.example', 'other.example:8443'],
      allowedOrigins: ['https://app.example'],
    });
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await entrance.send(post(headers))).status;
    assert.equal(await status({ host: 'mcp.example' }), 200);
    assert.equal(await status({ host: 'MCP.example:3000' }), 200);
    assert.equal(await status({ host: 'other.example:8443' }), 200);
    assert.equal(await status({ host: 'other.example' }), 403);
    assert.equal(await status({ host: 'evil.example' }), 403);
    assert.equal(await status({ origin: 'https://app.example' }), 200);
    assert.equal(await status({ origin: 'http://app.example' }), 403);
    await entrance.close();
  });

  test(`${name} tells its owner once of each name that it refuses, and which option would let it in`, async () => {
    const told: string[] = [];
    const entrance = await open(fakeEndpoint(), { onWarning: (message) => told.push(message) });
    for (let round = 0; round < 3; round++) {
      await entrance.send(post({ host: 'mcp.example.com' }));
      await entrance.send(post({ origin: 'https://app.example' }));
      await entrance.send(post({ host: '[' }));
      await entrance.send(post({ origin: "https://\u009b31mred';x" }));
    }
    assert.equal(told.length, 2);
    assert.match(
      told[0] ?? '',
      /the Host mcp\.example\.com was refused with 403.*allowedHosts: \['mcp\.example\.com'\]/,
    );
    assert.match(told[1] ?? '', /allowedOrigins: \['https:\/\/app\.example'\]/);
    for (let at = 0; at < 30; at++) await entrance.send(post({ host: `mcp${at}.example.com` }));
    assert.equal(told.length, 10);
    await entrance.close();
  });

  test(`${name} lets a page send a header of its own where its owner allows it`, async () => {
    const entrance = await open(fakeEndpoint(), { allowedHeaders: ['X-Tenant', 'X-Trace'] });
    const answer = await entrance.send({
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:5173',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, x-tenant, x-evil, mcp-param-region',
      },
    });
    assert.match(answer.headers['access-control-allow-headers'] ?? '', /, X-Tenant, X-Trace, mcp-param-region$/);
    await assert.rejects(async () => open(fakeEndpoint(), { allowedHeaders: ['X-Tenant: a\r\nX-Evil'] }), TypeError);
    await entrance.close();
  });

  test(`${name} checks no names when its owner says so`, async () => {
    const entrance = await open(fakeEndpoint(), { allowedHosts: 'any', allowedOrigins: 'any' });
    assert.equal((await entrance.send(post({ host: 'evil.example', origin: evil }))).status, 200);
    await entrance.close();
  });
}

const places = /^(transports\/(http|node)|auth\/common|bridge)\/.+(?<!\.test)\.ts$/;
const ssePair = { sse: '/sse', messages: '/messages' };

for (const [name, open] of Object.entries(entries)) {
  describe(`${name}, at the paths of HTTP+SSE`, () => {
    const served = fakeEndpoint();
    let entrance: Entrance;
    let stream: OpenStream;
    let endpoint: string;
    before(async () => {
      entrance = await open(served, { ssePair });
      stream = await entrance.stream({ path: '/sse' });
      endpoint = /^event: endpoint\ndata: (\/messages\?sessionId=\S+)\n/.exec(stream.first)?.[1] ?? '';
    });
    after(async () => {
      stream.leave();
      await entrance.close();
    });

    const eventAfter = (heard: number): Promise<string> =>
      stream.until((text) => text.length > heard && text.endsWith('\n\n'));
    const ofPair = refused.filter(([, wire, status]) => wire.path === undefined && status !== 406);
    for (const [title, wire, status, code] of ofPair) {
      test(`turns away ${title} [sse-004]`, async () => {
        assert.notEqual(endpoint, '');
        const before = served.received.length;
        const path = wire.body === undefined ? '/sse' : endpoint;
        const heard = (await stream.until(() => true)).length;
        const answer = await entrance.send({ ...wire, path });
        assert.equal(answer.headers['access-control-allow-origin'], undefined);
        assert.equal(served.received.length, before, 'nothing may reach the server');
        if (wire.method === 'HEAD') return assert.equal(answer.status, status);
        // What was read is refused where these clients look for answers.
        const error =
          answer.status === 202 ? /data: (.*)\n\n/.exec((await eventAfter(heard)).slice(heard))?.[1] : answer.text;
        assert.equal((JSON.parse(error ?? '') as { error: { code: number } }).error.code, code);
        assert.equal(answer.status, read.some(([one]) => one === title) ? 202 : status, answer.text);
      });
    }

    for (const [title, { headers = {} }, status] of refused.filter(([, wire]) => wire.body !== undefined)) {
      if (status !== 403) continue;
      test(`opens no stream for ${title} [sse-004]`, async () => {
        const conversations = served.conversations.length;
        assert.equal((await entrance.send({ path: '/sse', headers })).status, 403);
        assert.equal(served.conversations.length, conversations);
      });
    }

    for (const [title, wire] of taken) {
      test(`lets ${title} through`, async () => {
        const heard = (await stream.until(() => true)).length;
        const answer = await entrance.send({ ...wire, path: endpoint });
        assert.equal(answer.status, 202, answer.text);
        await eventAfter(heard);
      });
    }

    test('opens no stream for who takes none', async () => {
      assert.equal((await entrance.send({ path: '/sse', headers: { accept: 'application/json' } })).status, 406);
    });

    test('names the methods that each path allows', async () => {
      const allowed = async (path: string): Promise<unknown> =>
        (await entrance.send({ path, method: 'PUT', body: '{}' })).headers['allow'];
      assert.deepEqual([await allowed('/sse'), await allowed(endpoint)], ['GET, OPTIONS', 'POST, OPTIONS']);
    });

    test('answers the preflight of an allowed page', async () => {
      const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' };
      const answer = await entrance.send({ method: 'OPTIONS', path: endpoint, headers });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers['access-control-allow-origin'], 'http://localhost:5173');
    });
  });
}

/** What is refused by what anybody may know of a server: before it is asked who sent it. */
const known: ReadonlySet<number> = new Set([403, 404, 405, 431]);

for (const [name, open] of Object.entries(entries)) {
  describe(`${name}, guarded`, () => {
    const served = fakeEndpoint();
    const resource = 'http://localhost/mcp';
    const guarded = protect(served, { resource, issuers: ['https://login.example'] });
    let entrance: Entrance;
    before(async () => {
      entrance = await open(guarded);
    });
    after(async () => {
      await entrance.close();
    });

    for (const [title, wire, status] of refused) {
      const isKnown = known.has(status) || title.includes('Host');
      test(`answers ${isKnown ? status : 401} for ${title} without a token, and reads nothing of it`, async () => {
        const answer = await entrance.send(wire);
        assert.equal(answer.status, isKnown ? status : 401, answer.text);
        assert.deepEqual(served.received, []);
      });
    }

    for (const [title, wire] of taken)
      test(`lets ${title} sign in, and nothing else`, async () => {
        const answer = await entrance.send(wire);
        assert.equal(answer.status, 401, answer.text);
        assert.match(answer.headers['www-authenticate'] ?? '', /resource_metadata="http:\/\/localhost\/\.well-known/);
        assert.deepEqual(served.received, []);
      });
  });
}

test('every exported way into a server is in the table', () => {
  const root = new URL('../../', import.meta.url);
  const found: string[] = [];
  for (const folder of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!places.test(folder.replaceAll('\\', '/'))) continue;
    const source = readFileSync(new URL(folder, root), 'utf8');
    for (const [, name] of source.matchAll(/^export (?:async )?function (\w+)\([^)]*\bserved: Servable\b/gm))
      found.push(name ?? '');
  }
  assert.deepEqual(found.toSorted(), Object.keys(entries).toSorted());
});

for (const name of ['createHandler', 'toNodeHandler', 'listen'] as const) {
  test(`${name} answers 500 where a refusal has a header that HTTP cannot carry, and tells its owner`, async () => {
    for (const value of ['größer → kleiner', 'one\r\ntwo']) {
      const errors: Error[] = [];
      const authenticate = (): HttpRefusal => ({ status: 401, headers: { 'X-Why': value } });
      const entrance = await entries[name]!(fakeEndpoint(), { authenticate, onError: (error) => errors.push(error) });
      const answer = await entrance.send(post({ origin: 'http://localhost:5173' }));
      assert.deepEqual([answer.status, errors.length], [500, 1]);
      assert.equal(answer.headers['access-control-allow-origin'], 'http://localhost:5173');
      await entrance.close();
    }
  });
}
