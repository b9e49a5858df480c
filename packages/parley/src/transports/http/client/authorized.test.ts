import type { FetchRequest } from '../../../jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { Authorization, AuthorizedAnswer, AuthorizedRequest } from '../../../auth/common/authorizer.ts';
import { AuthorizationError } from '../../../auth/common/errors.ts';
import { connect, ConnectionError, type HttpTransportOptions } from '../../../client.ts';
import { createServer } from '../../../server.ts';
import { createHandler } from '../server/fetch.ts';
import { httpTransport } from './transport.ts';

const url = 'https://mcp.example/mcp';

interface Guarded {
  /** The `authorization` of each request, in order. */
  readonly seen: (string | null)[];
  readonly asked: Request[];
  readonly fetch: NonNullable<HttpTransportOptions['fetch']>;
}

/** A server that takes some tokens; `instead` answers first. */
function guarded(good: ReadonlySet<string>, instead?: (request: Request) => Response | undefined): Guarded {
  const server = createServer({ name: 's', version: '1' });
  server.tool('a', {}, () => 'x');
  const handle = createHandler(server, { allowedHosts: ['mcp.example'] });
  const seen: (string | null)[] = [];
  const asked: Request[] = [];
  return {
    seen,
    asked,
    async fetch(href, init) {
      const request = new Request(href, { ...init, redirect: 'follow' });
      asked.push(request);
      const other = instead?.(request);
      if (other !== undefined) return other;
      const authorization = request.headers.get('authorization');
      seen.push(authorization);
      if (authorization !== null && good.has(authorization.replace('Bearer ', ''))) return await handle(request);
      const headers = new Headers({ 'www-authenticate': 'Bearer error="invalid_token"' });
      headers.append('www-authenticate', 'DPoP algs="ES256"');
      return new Response('{"error":"invalid_token"}', { status: 401, headers });
    },
  };
}

test('a token goes with every request', async () => {
  const { fetch, seen } = guarded(new Set(['t']));
  const client = await connect(url, { auth: 't', fetch, revisions: ['2025-11-25'] });
  await client.listTools();
  await client.close();
  assert.ok(seen.length >= 3);
  assert.deepEqual(new Set(seen), new Set(['Bearer t']));
});

test('a token that is refused is the failure of the request, with all challenges, and is not sent again', async () => {
  const { fetch, seen } = guarded(new Set());
  await assert.rejects(
    connect(url, { auth: 't', fetch }),
    (error) =>
      error instanceof ConnectionError &&
      error.reason === 'unauthorized' &&
      error.challenge === 'Bearer error="invalid_token", DPoP algs="ES256"' &&
      error.body === '{"error":"invalid_token"}',
  );
  assert.equal(seen.length, 1);
});

test('a function gives the token of each request, and another one after a refusal, once', async () => {
  const good = new Set(['2']);
  const { fetch, seen } = guarded(good);
  const asked: boolean[] = [];
  const auth = ({ refused }: { readonly refused: boolean }): string => {
    asked.push(refused);
    return refused ? '2' : '1';
  };
  const client = await connect(url, { auth, fetch, revisions: ['2026-07-28'] });
  await client.close();
  assert.deepEqual(asked, [false, true]);
  good.clear();
  const never = guarded(good);
  await assert.rejects(connect(url, { auth, fetch: never.fetch }), ConnectionError);
  assert.deepEqual(never.seen, ['Bearer 1', 'Bearer 2']);
  assert.equal(seen.length, 2);
});

for (const bad of ['', 'a b', 'a\r\nb: c', 7, undefined])
  test(`${JSON.stringify(bad)} is no token, and is not shown`, async () => {
    const { fetch, asked } = guarded(new Set());
    await assert.rejects(
      connect(url, { auth: () => bad as string, fetch }),
      (error) => error instanceof Error && !/a b|b: c/.test(error.message),
    );
    assert.equal(asked.length, 0);
  });

test('what a function of the program throws is the cause of the failure of the request', async (t) => {
  const { fetch } = guarded(new Set(['t']));
  const why = new RangeError('the vault is sealed');
  let isSealed = false;
  const auth = (): string => {
    if (isSealed) throw why;
    return 't';
  };
  const client = await connect(url, { auth, fetch, revisions: ['2026-07-28'] });
  t.after(() => client.close());
  isSealed = true;
  await assert.rejects(
    client.callTool('a'),
    (error) => error instanceof ConnectionError && error.cause === why && error.message.endsWith('the vault is sealed'),
  );
});

test('auth beside other credentials, and what is no auth, are refused before anything is sent', async () => {
  const { fetch, asked } = guarded(new Set());
  for (const [target, options] of [
    [url, { auth: 't', headers: { Authorization: 'Basic x' } }],
    ['https://u:p@mcp.example/mcp', { auth: 't' }],
    [url, { auth: '' }],
    [url, { auth: {} as Authorization }],
    [url, { auth: 7 as unknown as string }],
    [url, { auth: null as unknown as string }],
  ] as const)
    await assert.rejects(connect(target, { ...options, fetch }), TypeError);
  await assert.rejects(
    connect(url, { auth: 't', headers: () => ({ authorization: 'Basic x' }), fetch }),
    (error) => error instanceof Error && /give one of them/.test(`${error.message} ${String(error.cause)}`),
  );
  assert.equal(asked.length, 0);
});

/** An authorization that writes down what it is asked, and mends as it is told. */
function recording(mends: (attempt: number) => boolean): {
  readonly auth: Authorization;
  readonly requests: AuthorizedRequest[];
} {
  const requests: AuthorizedRequest[] = [];
  let attempts = 0;
  const auth: Authorization = {
    bind: () => ({
      headers: (request) => {
        requests.push(request);
        return { authorization: `Bearer ${requests.length}` };
      },
      refused: async () => mends(++attempts),
    }),
    context: () => 'me',
    extensions: { 'com.example/auth': { a: 1 } },
  };
  return { auth, requests };
}

test('a store of credentials that fails after a 401 does not hide the answer', async () => {
  const { fetch } = guarded(new Set());
  const cause = new Error("EACCES: permission denied, mkdir '/nonexistent'");
  const auth: Authorization = {
    bind: () => ({ headers: () => ({}), refused: () => Promise.reject(cause) }),
    context: () => 'me',
  };
  await assert.rejects(connect(`${url}?key=secret`, { auth, fetch }), {
    name: 'ConnectionError',
    reason: 'unauthorized',
    status: 401,
    message: `HTTP 401 from ${url}, and the request could not be authorized: ${cause.message}`,
    cause,
  });
});

test('what is refused without end is sent four times, each with credentials of its own', async () => {
  const { fetch, seen } = guarded(new Set());
  const { auth, requests } = recording(() => true);
  await assert.rejects(connect(url, { auth, fetch, revisions: ['2026-07-28'] }), ConnectionError);
  assert.deepEqual(seen, ['Bearer 1', 'Bearer 2', 'Bearer 3', 'Bearer 4']);
  assert.equal(requests[0]?.tried, requests[3]?.tried);
});

test('a refusal in the middle of the negotiation says nothing about the revision', async () => {
  const { fetch, asked } = guarded(new Set(['2']));
  const { auth, requests } = recording(() => true);
  const client = await connect(url, { auth, fetch });
  assert.equal(client.revision, '2026-07-28');
  await client.close();
  assert.deepEqual(
    requests.map(({ about }) => about.method),
    ['server/discover', 'server/discover'],
  );
  assert.ok(asked.every((request) => request.method === 'POST'));
});

test('credentials are made for where a redirect leads, and go to no other origin', async () => {
  const moved = (to: string): Guarded =>
    guarded(new Set(['2']), (request) =>
      request.url === url ? new Response(null, { status: 307, headers: { location: to } }) : undefined,
    );
  const near = moved('https://mcp.example/there');
  const { auth, requests } = recording(() => false);
  await (await connect(url, { auth, fetch: near.fetch, revisions: ['2026-07-28'] })).close();
  assert.deepEqual(
    requests.map((request) => request.url.href),
    [url, 'https://mcp.example/there'],
  );
  const far = moved('https://evil.example/');
  await assert.rejects(connect(url, { auth: recording(() => true).auth, fetch: far.fetch }), ConnectionError);
  assert.ok(far.asked.every((request) => new URL(request.url).hostname === 'mcp.example'));
});

test('nobody is asked for the sake of what nobody waits for', async () => {
  const { fetch } = guarded(new Set(['1', '2', '3', '4', '5', '6']));
  const { auth, requests } = recording(() => false);
  const client = await connect(url, { auth, fetch, revisions: ['2025-11-25'] });
  await client.callTool('a');
  await client.close();
  const kinds = new Map(
    requests.map(({ method, about, mayAsk }) => [`${method} ${about.method ?? ''} ${about.name ?? ''}`.trim(), mayAsk]),
  );
  assert.equal(kinds.get('POST initialize'), true);
  assert.equal(kinds.get('POST tools/call a'), true);
  assert.equal(kinds.get('GET'), false);
  assert.equal(kinds.get('DELETE'), false);
});

test('what a transport is authorized by names the context of the cache and the extensions', async () => {
  const { fetch, asked } = guarded(new Set(['1', '2', '3']));
  const { auth } = recording(() => false);
  const transport = httpTransport(url, { auth, fetch });
  assert.equal(transport.authorization?.context(), 'me');
  await (await connect(transport, { revisions: ['2026-07-28'], extensions: { 'com.example/other': {} } })).close();
  assert.match(await (asked[0] ?? assert.fail()).text().catch(() => ''), /^$|com\.example\/auth/);
});

test('a refusal that cannot be mended says what the server said of it', async () => {
  const scopes = ['files'];
  const auth: Authorization = {
    bind: () => ({
      headers: async () => ({ authorization: 'Bearer token-of-mine' }),
      refused: () => Promise.reject(new AuthorizationError('login-required', 'sign in first', { scopes })),
    }),
    context: () => '',
  };
  const failing = async (response: () => Response): Promise<AuthorizationError> => {
    const { fetch } = guarded(new Set(), response);
    const error: unknown = await connect(url, { auth, fetch }).catch((cause: unknown) => cause);
    assert.ok(error instanceof AuthorizationError);
    assert.deepEqual([error.reason, error.scopes], ['login-required', scopes]);
    return error;
  };
  const said = await failing(() => new Response('{"error":"no key\\u202e: buy one"}', { status: 401 }));
  assert.equal(said.message, 'sign in first; the server said: no key : buy one');
  const echoing = await failing(() => new Response('no use: token-of-mine', { status: 401 }));
  assert.equal(echoing.message, 'sign in first; the server said: no use: •••');
  const silent = await failing(() => new Response('', { status: 401 }));
  assert.equal(silent.message, 'sign in first');
  const repeated = await failing(() => new Response('sign in', { status: 401 }));
  assert.equal(repeated.message, 'sign in first');
  const body = '{"error":"invalid_token","error_description":"the token is for another audience"}';
  const described = await failing(() => new Response(body, { status: 401 }));
  assert.equal(described.message, 'sign in first; the server said: invalid_token: the token is for another audience');
  const challenge = 'Bearer error="invalid_token", error_description="token-of-mine was revoked"';
  const revoked = await failing(() => new Response('', { status: 401, headers: { 'www-authenticate': challenge } }));
  assert.equal(revoked.message, 'sign in first; the server said: ••• was revoked');
  const headers = { 'www-authenticate': 'Bearer error="invalid_token"' };
  const challenged = await failing(() => new Response('no key', { status: 401, headers }));
  assert.equal(challenged.message, 'sign in first');
});

test('a token that the server repeats in its refusal is in no word and no body of the failure', async () => {
  for (const auth of ['token-of-mine', () => 'token-of-mine']) {
    const { fetch } = guarded(new Set(), () => new Response('{"error":"no use: token-of-mine"}', { status: 401 }));
    const error: unknown = await connect(url, { auth, fetch }).catch((cause: unknown) => cause);
    assert.ok(error instanceof ConnectionError);
    assert.match(error.message, /: no use: •••: the authorization was refused$/);
    assert.equal(error.body, '{"error":"no use: •••"}');
  }
});

test('so is one in the headers of a program, or in a URL', async () => {
  for (const status of [401, 400]) {
    const { fetch } = guarded(new Set(), ({ headers }) => {
      const sent = headers.get('authorization')?.split(' ', 2)[1];
      return new Response(JSON.stringify({ error: `no use: ${sent}` }), { status });
    });
    const options = { fetch, headers: { Authorization: 'Bearer token-of-mine' } };
    const ways = [connect(url, options), connect('https://somebody:a-password@mcp.example/mcp', { fetch })];
    for (const error of await Promise.all(ways.map((way) => way.catch((cause: unknown) => cause)))) {
      assert.ok(error instanceof ConnectionError);
      assert.match(error.message, /: no use: •••/);
      assert.equal(error.body, '{"error":"no use: •••"}');
    }
  }
});

test('what a program sent to be let in is in no failure, whatever refusal repeats it', async () => {
  const secret = 'a-secret/of-mine+123';
  const challenge = `Bearer error="invalid_token", error_description="no use: ${secret}"`;
  const asJson = (body: string): Response => {
    const { id } = JSON.parse(body) as { readonly id: number };
    return Response.json(
      { jsonrpc: '2.0', id, error: { code: -32_000, message: `no use: ${secret}` } },
      { status: 400 },
    );
  };
  const refusals: readonly ((body: string) => Response)[] = [
    () => new Response('', { status: 401, headers: { 'www-authenticate': challenge } }),
    () => new Response(`no use: ${secret}`, { status: 500 }),
    asJson,
  ];
  const ways: readonly HttpTransportOptions[] = [
    { auth: secret },
    { auth: () => secret },
    { headers: { Authorization: `Bearer ${secret}` } },
    { headers: () => ({ Authorization: `Basic ${btoa(`somebody:${secret}`)}` }) },
    { headers: { 'X-Api-Key': secret } },
  ];
  for (const refusal of refusals)
    for (const way of ways) {
      const fetch = async (_: string, { body = '' }: FetchRequest): Promise<Response> => refusal(body);
      const error: unknown = await connect(url, { ...way, fetch }).catch((cause: unknown) => cause);
      assert.ok(error instanceof Error);
      assert.match(error.message, /no use: •••/);
      assert.ok(!inspect(error, { depth: 9 }).includes(secret));
    }
});

test('nor is it in what is told of a stream for messages of the server that is refused', async () => {
  const secret = 'a-secret/of-mine+123';
  const headers = { 'www-authenticate': `Bearer error_description="no use: ${secret}"` };
  const problems: Error[] = [];
  const fetch = async (): Promise<Response> => new Response('', { status: 403, headers });
  const channel = await httpTransport(url, { auth: secret, fetch }).open({
    message: () => undefined,
    problem: (error) => void problems.push(error),
    closed: () => undefined,
  });
  await channel.listen?.();
  await channel.close();
  const [problem] = problems;
  assert.ok(problem instanceof ConnectionError);
  assert.equal(problem.challenge, 'Bearer error_description="no use: •••"');
});

test('an authorizer sees the status and the headers of each answer', async () => {
  const { fetch } = guarded(new Set(['t']));
  const answers: unknown[] = [];
  const authorizer = {
    headers: async () => ({ authorization: 'Bearer t' }),
    answered: ({ url: asked }: { readonly url: URL }, answer: AuthorizedAnswer) =>
      void answers.push([asked.href, answer.status, answer.header('content-type')]),
    refused: async () => false,
  };
  const auth = { context: () => 'me', bind: () => authorizer } as unknown as Authorization;
  const client = await connect(url, { auth, fetch, revisions: ['2026-07-28'] });
  const before = answers.length;
  await client.listTools();
  await client.close();
  assert.deepEqual(answers.slice(before, before + 1), [[url, 200, 'application/json']]);
});

test('a refusal is shown to the authorizer: 401 and 403, and 400 if it has a challenge', async () => {
  const challenge = { 'www-authenticate': 'Bearer error="invalid_request"' };
  for (const [status, headers, isShown] of [
    [401, {}, true],
    [403, {}, true],
    [400, challenge, true],
    [400, {}, false],
    [404, challenge, false],
    [500, challenge, false],
  ] as const) {
    const refused: number[] = [];
    const authorizer: ReturnType<Authorization['bind']> = {
      headers: () => ({ authorization: 'Bearer t' }),
      refused: async (_, answer) => (refused.push(answer.status), false),
    };
    const transport = httpTransport(url, {
      auth: { context: () => 'one', bind: () => authorizer },
      fetch: async () => new Response('{}', { status, headers }),
    });
    const channel = await transport.open({ message() {}, problem() {}, closed() {} });
    await channel.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }).catch(() => undefined);
    assert.equal(refused.includes(status), isShown, `${status} ${JSON.stringify(headers)}`);
    await channel.close();
  }
});
