/** A guarded bridge whose clients are themselves at the server behind it, by tokens that are got in exchange for theirs. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { protect, type Fetch } from '../../packages/parley/src/protect.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { testIssuer } from '../../packages/parley/src/testing/issuer.ts';
import { exchange, guardedBridge, place, tokensIn, type GuardedBridge } from '../support/guarded-bridge.ts';
import { speaking } from '../support/http-speaker.ts';

/** Each revision on each side, and as many pairs as that takes. */
const sampled: readonly (readonly [down: RevisionDate, up: RevisionDate])[] = [
  ['2025-03-26', '2026-07-28'],
  ['2025-06-18', '2025-03-26'],
  ['2025-11-25', '2025-11-25'],
  ['2025-11-25', '2026-07-28'],
  ['2026-07-28', '2025-06-18'],
  ['2026-07-28', '2026-07-28'],
];

/** No token that came to the bridge went up, and none that went up came down. */
function assertApart({ front, upstream }: GuardedBridge): void {
  const [callers, theirs] = [tokensIn(front), tokensIn(upstream)];
  assert.ok(callers.size > 0 && theirs.size > 0);
  assert.ok(upstream.recorded.some(({ body }) => body.includes('tools/call')));
  for (const { headers, body } of upstream.recorded) {
    const whole = JSON.stringify([headers, body]);
    assert.deepEqual(
      [...callers].filter((token) => whole.includes(token)),
      [],
    );
    assert.equal(headers.dpop, undefined);
    assert.equal(headers.cookie, undefined);
  }
  for (const { answer } of front.recorded)
    assert.deepEqual(
      [...theirs].filter((token) => answer.includes(token)),
      [],
    );
}

describe('upstreamAuth exchange', () => {
  for (const [down, up] of sampled)
    test(`each person is themselves at the server: a client of ${down} before ${up} [auth-122] [auth-127]`, async (t) => {
      const guarded = await guardedBridge(t, { up });
      const [ann, bob] = await Promise.all([guarded.as('ann', down), guarded.as('bob', down)]);
      for (const [client, person] of [
        [ann, 'ann'],
        [bob, 'bob'],
        [ann, 'ann'],
      ] as const) {
        const tools = (await client.listTools()).map(({ name }) => name);
        assert.deepEqual(tools.toSorted(), [`only-${person}`, 'whoami']);
        const { content } = await client.callTool('whoami', {});
        assert.deepEqual(content, [{ type: 'text', text: person }]);
        const { contents } = await client.readResource('note://own');
        assert.match(JSON.stringify(contents), new RegExp(`the note of ${person}`));
      }
      const others = await bob.callTool('only-ann', {}).then(
        ({ isError }) => isError === true,
        () => true,
      );
      assert.ok(others, 'what is for ann alone was run for bob');
      assertApart(guarded);
    });

  test('one token is got for all the calls of a caller, until it is refused', async (t) => {
    const { as, issuer, upstream } = await guardedBridge(t, { up: '2025-11-25' });
    const ann = await as('ann', '2025-11-25');
    for (let call = 0; call < 5; call++) await ann.callTool('whoami', {});
    assert.equal(issuer.asked.get('/token'), 1);
    assert.equal(tokensIn(upstream).size, 1);
  });

  for (const down of ['2025-11-25', '2026-07-28'] as const)
    test(`each person has measures of their own: clients of ${down}`, async (t) => {
      const rateLimits = { tools: { perSecond: 0.001, burst: 2 } };
      const { as } = await guardedBridge(t, { up: '2026-07-28', bridge: { rateLimits } });
      const [ann, again, bob] = [await as('ann', down), await as('ann', down), await as('bob', down)];
      const failed: boolean[] = [];
      for (const client of [ann, again, again, bob, bob])
        failed.push((await client.callTool('whoami', {})).isError === true);
      assert.deepEqual(failed, [false, false, true, false, false]);
    });

  test('headers, cookies and proofs of a client stay at the bridge', async (t) => {
    const guarded = await guardedBridge(t, { up: '2026-07-28' });
    const { front, upstream, tokenOf } = guarded;
    const probeClient = await speaking(front.url, '2026-07-28', {
      authorization: `Bearer ${await tokenOf('ann')}`,
      cookie: 'session=ann-cookie',
      dpop: 'ann-proof',
      'x-api-key': 'ann-key',
    });
    assert.match(await probeClient.request('tools/call', { name: 'whoami', arguments: {} }), /ann/);
    assert.doesNotMatch(
      JSON.stringify(upstream.recorded.map(({ headers, body }) => [headers, body])),
      /ann-(?:cookie|proof|key)/,
    );
    assertApart(guarded);
  });
});

describe('many people', () => {
  for (const up of ['2025-11-25', '2026-07-28'] as const)
    test(`use no more connections than there may be: who is idle gives way (${up})`, async (t) => {
      const { front, tokenOf } = await guardedBridge(t, { up, bridge: { maxUpstreams: 2, maxUpstreamsPerClient: 2 } });
      const people = ['ann', 'bob', 'eve', 'dan'];
      for (const person of [...people, ...people]) {
        const probeClient = await speaking(front.url, '2026-07-28', {
          authorization: `Bearer ${await tokenOf(person)}`,
        });
        const said = await probeClient.request('tools/call', { name: 'whoami', arguments: {} });
        assert.match(said, new RegExp(`"text":"${person}"`));
      }
    });

  test('are told of to whoever runs the bridge where the session of one ends for another', async (t) => {
    const limits = { maxUpstreams: 2, maxUpstreamsPerClient: 2 };
    const { as, warnings } = await guardedBridge(t, { up: '2026-07-28', bridge: limits });
    for (const person of ['ann', 'bob', 'eve']) await (await as(person, '2025-11-25')).callTool('whoami', {});
    assert.equal(warnings.length, 1, warnings.join());
    assert.match(warnings[0] ?? '', /^a session was ended to make room .* all 2 upstream connections .* maxUpstreams /);
  });
});

/** An issuer that gives in exchange no more than what a token has. */
function strictIssuer(): { readonly fetch: Fetch; readonly issuer: ReturnType<typeof testIssuer> } {
  const issuer = testIssuer();
  const fetch: Fetch = async (url, request) => {
    const form = new URLSearchParams(request.body);
    const { scope: granted = '', sub = '' } = claimsOf(form.get('subject_token') ?? '');
    if (sub === 'eve')
      return Response.json({ error: 'access_denied', error_description: 'token-of-eve' }, { status: 400 });
    const wanted = (form.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    if (wanted.some((scope) => !granted.split(' ').includes(scope)))
      return Response.json({ error: 'invalid_scope' }, { status: 400 });
    return await issuer.fetch(url, request);
  };
  return { fetch, issuer };
}

function claimsOf(token: string): { readonly scope?: string; readonly sub?: string } {
  const [, payload = ''] = token.split('.');
  return payload === ''
    ? {}
    : (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly scope?: string; readonly sub?: string });
}

describe('rights that the server wants', () => {
  for (const [down, up] of [
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2026-07-28'],
    ['2025-06-18', '2026-07-28'],
  ] as const)
    test(`are got for who has them, and for nobody else by their token: ${down} before ${up}`, async (t) => {
      const { fetch, issuer } = strictIssuer();
      const guarded = await guardedBridge(t, {
        up,
        issuer,
        protect: { fetch },
        define: (server) => void server.tool('write', { scopes: ['files:write'] }, () => 'written'),
      });
      const wide = await guarded.as('ann', down, { scopes: ['files:write'] });
      const narrow = await guarded.as('ann', down, { scopes: ['files:read'] });
      for (let time = 0; time < 2; time++) {
        const { content } = await wide.callTool('write', {});
        assert.deepEqual(content, [{ type: 'text', text: 'written' }]);
        await assert.rejects(narrow.callTool('write', {}), /no access|more rights|could not be authorized/);
      }
      const { content } = await narrow.callTool('whoami', {});
      assert.deepEqual(content, [{ type: 'text', text: 'ann' }]);
      // A challenge of the upstream would send the client to sign in where its tokens are good for nothing.
      for (const { status, answer } of guarded.front.recorded) {
        assert.ok(status < 400, answer);
        assert.doesNotMatch(answer, /www-authenticate|insufficient_scope/i);
      }
      assertApart(guarded);
    });

  test('who is given nothing hears so in plain words, and nobody else is touched', async (t) => {
    const { fetch, issuer } = strictIssuer();
    const { as, front, warnings } = await guardedBridge(t, { up: '2025-11-25', issuer, protect: { fetch } });
    const [eve, ann] = [await as('eve', '2025-11-25'), await as('ann', '2025-11-25')];
    await assert.rejects(eve.callTool('whoami', {}), /no access to the upstream server was granted/);
    assert.deepEqual((await ann.callTool('whoami', {})).content, [{ type: 'text', text: 'ann' }]);
    assert.doesNotMatch(front.recorded.map(({ answer }) => answer).join('\n'), /token-of-eve/);
    assert.ok(warnings.every((warning) => !warning.includes(exchange.clientSecret)));
  });
});

test('an enterprise decides: an assertion for the authorization server of the upstream is got, and the token there', async (t) => {
  const upstreamIssuer = testIssuer({ issuer: 'http://127.0.0.1:1' });
  const issuer = testIssuer();
  const given = new Map<string, string>();
  const authorizationServer = await place(t);
  const { origin } = new URL(authorizationServer.url);
  const seen: (readonly [where: string, form: Readonly<Record<string, string>>])[] = [];
  // The identity provider of the enterprise gives assertions.
  const fetch: Fetch = async (url, request) => {
    const form = Object.fromEntries(new URLSearchParams(request.body));
    if (form['requested_token_type']?.endsWith('id-jag') !== true) return await issuer.fetch(url, request);
    seen.push(['provider', form]);
    const assertion = `assertion-${seen.length}`;
    given.set(assertion, claimsOf(form['subject_token'] ?? '').sub ?? '');
    const issued_token_type = 'urn:ietf:params:oauth:token-type:id-jag';
    return Response.json({ access_token: assertion, issued_token_type, token_type: 'N_A', expires_in: 300 });
  };
  const guarded = await guardedBridge(t, {
    up: '2025-11-25',
    issuer,
    upstreamAuth: {
      as: 'exchange',
      enterprise: { client: { id: 'bridge-there', secret: 'secret-there', issuer: origin } },
    },
    protect: { fetch },
    guardUpstream: (server, resource) =>
      protect(server, {
        resource,
        issuers: [{ issuer: upstreamIssuer.issuer }],
        authorizationServers: [origin],
        fetch: upstreamIssuer.fetch,
      }),
  });
  authorizationServer.serve((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      void (async () => {
        response.setHeader('content-type', 'application/json');
        if (request.url?.startsWith('/.well-known/oauth-authorization-server') === true)
          return response.end(JSON.stringify({ issuer: origin, token_endpoint: `${origin}/token` }));
        if (request.url !== '/token') return response.writeHead(404).end();
        const form = Object.fromEntries(new URLSearchParams(text));
        seen.push(['server', form]);
        const subject = given.get(form['assertion'] ?? '');
        if (subject === undefined) return response.writeHead(400).end('{"error":"invalid_grant"}');
        const access_token = await upstreamIssuer.issue({ audience: guarded.upstream.url, subject });
        return response.end(JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 3600 }));
      })();
    });
  });
  const [ann, bob] = [await guarded.as('ann', '2025-11-25'), await guarded.as('bob', '2026-07-28')];
  assert.deepEqual((await ann.callTool('whoami', {})).content, [{ type: 'text', text: 'ann' }]);
  assert.deepEqual((await bob.callTool('whoami', {})).content, [{ type: 'text', text: 'bob' }]);
  assert.deepEqual(
    seen.map(([where]) => where),
    ['provider', 'server', 'provider', 'server'],
  );
  const [asked, presented] = seen.map(([, form]) => form);
  assert.equal(asked?.['audience'], origin);
  assert.equal(asked?.['resource'], guarded.upstream.url);
  assert.equal(presented?.['grant_type'], 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  assertApart(guarded);
});

describe('what a person began', () => {
  test('is gone on with by nobody else', async (t) => {
    const { front, tokenOf } = await guardedBridge(t, {
      up: '2025-11-25',
      define: (server) =>
        void server.tool('ask', {}, async (_, ctx) => {
          const { action } = await ctx.elicit({
            message: `Is it you, ${ctx.auth?.subject}?`,
            schema: { type: 'object', properties: {} },
          });
          return `${ctx.auth?.subject} says ${action}`;
        }),
    });
    const open = async (person: string): ReturnType<typeof speaking> =>
      await speaking(
        front.url,
        '2026-07-28',
        { authorization: `Bearer ${await tokenOf(person)}` },
        { elicitation: {} },
      );
    const [ann, bob] = [await open('ann'), await open('bob')];
    const params = { name: 'ask', arguments: {} };
    const asked = await ann.request('tools/call', params);
    assert.match(asked, /Is it you, ann\?/);
    const { requestState, inputRequests } = resultIn(asked);
    const [key = ''] = Object.keys(inputRequests ?? {});
    const answered = { ...params, requestState, inputResponses: { [key]: { action: 'accept', content: {} } } };
    assert.match(await bob.request('tools/call', answered), /"error"/);
    assert.match(await ann.request('tools/call', answered), /ann says accept/);
  });
});

interface Asked {
  readonly requestState?: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
}

/** The result in an answer that is JSON or an event stream. */
function resultIn(answer: string): Asked {
  const text = answer.startsWith('{') ? answer : (/^data: (\{.*"result".*)$/m.exec(answer)?.[1] ?? '{}');
  return (JSON.parse(text) as { readonly result: Asked }).result;
}
