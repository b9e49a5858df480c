import type { Fetch } from '../../../../../parley/src/jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { AuthorizationError } from '../../../../../parley/src/auth/common/errors.ts';
import { inThisProcess } from '../../../../../../test/support/cli-process.ts';
import type { Explanation } from '../report.ts';
import { explainAuthorization } from './authorization.ts';
import {
  challengeAt,
  guarded,
  healthy,
  metadataOf,
  paths,
  type Guarded,
} from '../../../../../../test/support/explain/guarded.ts';
import type { AuthorizationExplained } from './report.ts';

/** The text that `parley explain` prints of a server that wants authorization. */
async function printed(make: (origin: string) => Guarded, ...words: readonly string[]): Promise<string> {
  return await guarded(make, async (origin) => {
    const { stdout, stderr, code } = await inThisProcess(['explain', ...words, `${origin}${paths.endpoint}`]);
    assert.equal(stderr, '');
    assert.equal(code, 1);
    return stdout.replaceAll(origin, 'http://here');
  });
}

async function explained(
  make: (origin: string) => Guarded,
  ...words: readonly string[]
): Promise<AuthorizationExplained> {
  const explanation: Explanation = JSON.parse(await printed(make, '--json', ...words));
  assert.ok(explanation.authorization !== undefined);
  return explanation.authorization;
}

/** The outcomes for clients of each revision, oldest first. */
function outcomes({ clients }: AuthorizationExplained): string {
  return clients
    .toReversed()
    .map(({ outcome }) => outcome)
    .join(' ');
}

/** The healthy server, with other documents. */
function publishing(origin: string, published: Guarded['published'], challenge = challengeAt(origin)): Guarded {
  return { refusal: { status: 401, headers: { 'www-authenticate': challenge } }, published };
}

describe('parley explain, of a server that wants authorization', { concurrency: 4 }, () => {
  test('says for a person what a client needs to know', async () => {
    const text = await printed(healthy);
    assert.equal(
      text.slice(text.indexOf('\nauthorization')),
      `
authorization, without a sign-in
  HTTP 401 to a request without credentials
    Bearer  resource_metadata="http://here/.well-known/oauth-protected-resource/mcp"
            scope="mcp:basic"
  resource metadata
    found                  http://here/.well-known/oauth-protected-resource/mcp
    found by               the challenge, and no other URL is tried
    resource               http://here/mcp
    authorization servers  http://here/tenant
    scopes                 mcp:basic files:read files:write
  authorization server http://here/tenant
    found                  http://here/.well-known/oauth-authorization-server/tenant
    issuer                 http://here/tenant
    signs people in at     http://here/tenant/authorize
    gives tokens at        http://here/tenant/token
    grant types            authorization_code refresh_token
    scopes                 mcp:basic files:read files:write offline_access
    PKCE                   S256
    DPoP                   ES256 EdDSA
    iss in answers         yes
    client authentication  none client_secret_basic
  ways to register at http://here/tenant
    pre-registered               yes  --client-id <id> --issuer http://here/tenant
    client id metadata document  yes  --client-metadata-url <url>
    dynamic registration         yes  http://here/tenant/register
    by hand                      yes  not needed
  metadata at the root of the origin, for the oldest clients
    found  http://here/.well-known/oauth-authorization-server
  a client of each revision finds the authorization server
    2026-07-28  yes  http://here/tenant
    2025-11-25  yes  http://here/tenant
    2025-06-18  yes  http://here/tenant
    2025-03-26  yes  at the root of http://here
    2024-11-05  -    knows no authorization: a token has to be given to the client (--header)
  no rule is broken, as far as can be seen without signing in
`,
    );
  });

  test('says what is wrong, whose rule it is, and what clients do about it', async () => {
    const text = await printed((origin) =>
      publishing(origin, {
        ...healthy(origin).published,
        [paths.server]: {
          document: { ...metadataOf(`${origin}/tenant`), code_challenge_methods_supported: ['plain'] },
        },
      }),
    );
    assert.match(
      text,
      /\n {2}1 rule is broken\n {4}stop {2}code_challenge_methods_supported of http:\S+ is \["plain"\],/,
    );
    assert.match(text, /\n {10}a client refuses to sign in; /);
    assert.match(text, /\n {10}spec 2025-11-25, Authorization, Authorization Code Protection\n/);
    const longest = Math.max(...text.split('\n').map((line) => line.length));
    assert.ok(longest <= 110, String(longest));
  });

  test('asks for documents alone, without credentials, and writes nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-explain-'));
    try {
      await guarded(healthy, async (origin, asked) => {
        const words = ['--header', 'Authorization: Bearer a-token-of-somebody', '--header', 'X-Key: another-secret'];
        const env = { HOME: folder, XDG_STATE_HOME: folder };
        const ran = await inThisProcess(['explain', '--wire', ...words, `${origin}${paths.endpoint}`], env);
        assert.doesNotMatch(ran.stdout + ran.stderr, /a-token-of-somebody|another-secret/);
        const others = asked.filter(({ path }) => path !== paths.endpoint);
        assert.deepEqual(
          others.map(({ method, path }) => `${method} ${path}`),
          [`GET ${paths.resource}`, `GET ${paths.root}`, `GET ${paths.server}`],
        );
        assert.doesNotMatch(JSON.stringify(others), /a-token-of-somebody|another-secret|cookie/);
        // The only one that the revision of that place asks for it.
        assert.deepEqual(
          others.map(({ headers }) => headers['mcp-protocol-version'] !== undefined),
          [false, true, false],
        );
      });
      assert.deepEqual(await readdir(folder), []);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('shows these requests too with --wire', async () => {
    const text = await printed(healthy, '--wire');
    const wire = text.slice(text.indexOf('\n  about authorization\n'));
    assert.match(
      wire,
      /\n {4}→ GET http:\/\/here\/\.well-known\/oauth-protected-resource\/mcp {2}accept: application\/json\n/,
    );
    assert.match(wire, /\n {4}← 200 {2}content-type: application\/json\n {6}\{"resource":"http:\/\/here\/mcp",/);
    const { wire: entries } = await explained(healthy, '--wire');
    assert.equal(entries?.length, 6);
    assert.equal((await explained(healthy)).wire, undefined);
  });

  test('has a JSON form with the documents as they came', async () => {
    const found = await explained(healthy);
    assert.deepEqual(found.refusals, [
      {
        status: 401,
        withCredentials: false,
        header: challengeAt('http://here'),
        challenges: [
          {
            scheme: 'bearer',
            parameters: { resource_metadata: `http://here${paths.resource}`, scope: 'mcp:basic' },
          },
        ],
      },
    ]);
    assert.equal(found.resourceMetadata.foundBy, 'challenge');
    assert.deepEqual(found.servers[0]?.document, metadataOf('http://here/tenant'));
    assert.deepEqual(
      found.servers[0]?.registration.map(({ way, open }) => [way, open]),
      [
        ['pre-registered', true],
        ['client-id-metadata-document', true],
        ['dynamic-registration', true],
        ['by-hand', true],
      ],
    );
    assert.deepEqual(found.broken, []);
  });

  test('hides the query of the URL of the server, which may be a secret', async () => {
    await guarded(healthy, async (origin) => {
      const { stdout } = await inThisProcess([
        'explain',
        '--json',
        '--wire',
        `${origin}${paths.endpoint}?who=me-and-only-me`,
      ]);
      assert.doesNotMatch(stdout, /me-and-only-me/);
    });
    const bare = (origin: string): Guarded => publishing(origin, {}, 'Bearer');
    await guarded(bare, async (origin) => {
      const { stdout } = await inThisProcess(['explain', '--wire', `${origin}${paths.endpoint}?who=me-and-only-me`]);
      assert.match(stdout, /absent {2}http:\S+\/oauth-protected-resource\/mcp\?… \(HTTP 404\)/);
      assert.doesNotMatch(stdout, /me-and-only-me/);
    });
  });

  test('explains each server of a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-explain-'));
    try {
      await guarded(healthy, async (origin) => {
        const file = join(folder, 'servers.json');
        const headers = { 'X-Key': 'another-secret' };
        await writeFile(file, JSON.stringify({ mcpServers: { here: { url: `${origin}/mcp`, headers } } }));
        const { stdout } = await inThisProcess(['explain', '--json', '--config', file]);
        const [first]: readonly Explanation[] = JSON.parse(stdout);
        assert.equal(first?.authorization?.servers[0]?.issuer, `${origin}/tenant`);
        assert.doesNotMatch(stdout, /another-secret/);
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('says nothing of authorization where a 403 has nothing to do with it', async () => {
    const text = await printed(() => ({ refusal: { status: 403, body: 'go away' }, published: {} }));
    assert.doesNotMatch(text, /\nauthorization/);
  });

  test('prints nothing that moves a cursor', async () => {
    const evil = '\u001b[31mred\u202e';
    const text = await printed((origin) =>
      publishing(origin, {
        [paths.resource]: {
          document: { resource: evil, authorization_servers: [`https://${evil}`], scopes_supported: evil },
        },
      }),
    );
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    assert.doesNotMatch(text, /[\u001b\u202e]/);
  });

  test('tells a name that leads into an inner network, where the connection is refused', async () => {
    const server = new URL('https://mcp.example.com/mcp');
    const document = { resource: server.href, authorization_servers: ['https://login.example.com'] };
    const fetch: Fetch = async (url) => {
      const { hostname, pathname } = new URL(url);
      if (hostname === 'login.example.com')
        throw new AuthorizationError('address-refused', `${hostname} leads to 10.0.0.7, which is refused`);
      return pathname === paths.resource ? Response.json(document) : new Response(null, { status: 404 });
    };
    const refusals = [{ status: 401, header: 'Bearer scope="a"', withCredentials: false }];
    const { signal } = new AbortController();
    const found = await explainAuthorization({ server, refusals, wire: false, timeoutMs: undefined, signal, fetch });
    assert.deepEqual(
      found?.broken.filter(({ stops }) => stops).map(({ rule, what }) => [rule, what]),
      [['address-inner', 'login.example.com leads to 10.0.0.7, which is refused']],
    );
    assert.equal(outcomes(found), 'none perhaps not-found not-found not-found');
  });

  test('is not overcome by documents that are made for it', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const many = Array.from({ length: 5_000 }, (_, at) => `http://h${at}.example//`);
    const found = await explained((origin) =>
      publishing(origin, {
        [paths.resource]: {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: `{"resource":"${origin}/mcp","authorization_servers":${JSON.stringify(many)},"x":${deep}}`,
        },
      }),
    );
    assert.ok(found.broken.length < 50, String(found.broken.length));
    assert.ok(JSON.stringify(found).length < 500_000);
  });

  test('ends with the signal', async () => {
    const controller = new AbortController();
    const fetch = (): Promise<never> => {
      controller.abort(new Error('it was enough'));
      return Promise.reject(new Error('aborted'));
    };
    const refusals = [{ status: 401, header: undefined, withCredentials: false }];
    const given = { server: new URL('http://127.0.0.1:9/mcp'), refusals, wire: false, timeoutMs: undefined };
    await assert.rejects(explainAuthorization({ ...given, signal: controller.signal, fetch }), /it was enough/);
  });

  test('ends in time at a server whose metadata never come', async () => {
    const silent = createServer((request, response) => {
      if (request.url === paths.endpoint) response.writeHead(401).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    // A TCP server that listens has an address with a port.
    const { port } = silent.address() as AddressInfo;
    try {
      const words = ['explain', '--json', '--timeout', '400', `http://127.0.0.1:${port}${paths.endpoint}`];
      const { authorization }: Explanation = JSON.parse((await inThisProcess(words)).stdout);
      assert.deepEqual(
        authorization?.resourceMetadata.looked.map(({ outcome, problem }) => [
          outcome,
          problem?.replace(/within \d+ ms/, 'in time'),
        ]),
        Array.from({ length: 2 }, () => ['failed', 'not looked at in time']),
      );
      assert.equal(outcomes(authorization), 'none perhaps not-found not-found not-found');
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });
});

describe('parley explain, of clients of each revision', { concurrency: 4 }, () => {
  const resource = (origin: string, ...issuers: readonly string[]) => ({
    document: { resource: `${origin}/mcp`, authorization_servers: issuers },
  });

  test('all find an authorization server that is named everywhere', async () => {
    assert.equal(outcomes(await explained(healthy)), 'none found found found found');
  });

  test('those of the oldest need metadata at the root', async () => {
    const found = await explained((origin) => {
      const { [paths.root]: _, ...published } = healthy(origin).published;
      return publishing(origin, published);
    });
    assert.equal(outcomes(found), 'none perhaps found found found');
  });

  test('metadata of another issuer at the root are for those who do not look', async () => {
    const found = await explained((origin) =>
      publishing(origin, {
        ...healthy(origin).published,
        [paths.root]: { document: metadataOf('https://login.example.com') },
      }),
    );
    assert.equal(outcomes(found), 'none perhaps found found found');
  });

  test('those that need a challenge are left alone by one that names no metadata', async () => {
    const found = await explained((origin) => publishing(origin, healthy(origin).published, 'Bearer scope="a"'));
    assert.equal(outcomes(found), 'none found perhaps found found');
  });

  test('without resource metadata there is the root, and for the newest nothing', async () => {
    const found = await explained((origin) =>
      publishing(origin, { [paths.root]: { document: metadataOf(origin) } }, 'Bearer scope="a"'),
    );
    assert.equal(outcomes(found), 'none found perhaps perhaps not-found');
    assert.deepEqual(
      found.servers.map(({ issuer, namedBy }) => [issuer, namedBy]),
      [['http://here', 'server-root']],
    );
  });

  test('metadata of OpenID Connect alone are found since they are looked for', async () => {
    const found = await explained((origin) =>
      publishing(origin, {
        [paths.resource]: resource(origin, `${origin}/tenant`),
        [paths.openId]: { document: metadataOf(`${origin}/tenant`) },
      }),
    );
    assert.equal(outcomes(found), 'none perhaps not-found found found');
    assert.deepEqual(
      found.servers[0]?.looked.map(({ url, outcome }) => [url, outcome]),
      [
        [`http://here${paths.server}`, 'absent'],
        [`http://here${paths.openId}`, 'found'],
      ],
    );
  });

  test('where the first authorization server is no good, a client may take the second', async () => {
    const found = await explained((origin) =>
      publishing(origin, {
        [paths.resource]: resource(origin, `${origin}/nowhere`, `${origin}/tenant`),
        [paths.server]: { document: metadataOf(`${origin}/tenant`) },
      }),
    );
    assert.equal(outcomes(found), 'none perhaps perhaps perhaps perhaps');
  });

  test('what clients refuse they do not find', async () => {
    const found = await explained((origin) =>
      publishing(origin, {
        ...healthy(origin).published,
        [paths.resource]: {
          document: { resource: 'https://other.example', authorization_servers: [`${origin}/tenant`] },
        },
      }),
    );
    assert.equal(outcomes(found), 'none found not-found not-found not-found');
  });

  test('no more than five authorization servers are looked at', async () => {
    const found = await explained((origin) =>
      publishing(origin, {
        [paths.resource]: resource(origin, ...Array.from({ length: 8 }, (_, at) => `${origin}/tenant${at}`)),
      }),
    );
    assert.equal(found.servers.length, 5);
    assert.equal(found.moreServers, 3);
  });
});
