import type { Fetch } from '../../jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { likeGitHub } from '../../../../../test/support/like-github.ts';
import { PageVisitor, sessionOf } from '../../../../../test/support/page-visitor.ts';
import { connect, McpError } from '../../client.ts';
import type { ToolContext } from '../../server/definition/tool-context.ts';
import { createServer } from '../../server/server.ts';
import { memoryCredentialStore } from '../../storage/memory-credentials.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import { connectAccount, type Account, type AccountToken, type AccountWish } from './connect-account.ts';
import type { ConnectAccountOptions } from './options.ts';

const ann = '["https://login.example","ann"]';
const publicUrl = 'http://127.0.0.1:9/connect/github';

function options(origin: string, more: Partial<ConnectAccountOptions> = {}): ConnectAccountOptions {
  return {
    name: 'GitHub',
    endpoints: { authorization: `${origin}/login/oauth/authorize`, token: `${origin}/login/oauth/access_token` },
    client: { id: 'the-id', secret: 'the-secret' },
    publicUrl,
    sessionOf,
    ...more,
  };
}

/** Calls as somebody who goes through the pages by themselves; the last is what went wrong. */
async function called(
  account: Account,
  {
    principal = ann,
    wish,
    withAuth = true,
    clientId,
  }: {
    readonly principal?: string;
    readonly wish?: AccountWish;
    readonly withAuth?: boolean;
    readonly clientId?: string;
  } = {},
): Promise<{ readonly token?: AccountToken; readonly text: string; readonly pages: (string | undefined)[] }> {
  let token: AccountToken | undefined;
  const told: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => told.push(error) });
  server.tool('use', {}, async (_, ctx) => {
    token = await account.of(ctx, wish);
    return 'used';
  });
  const person = new PageVisitor((request) => account.pages(request), principal);
  const pages: (string | undefined)[] = [];
  const client = await connect(
    memoryTransport(server, withAuth ? { auth: { principal, ...(clientId === undefined ? {} : { clientId }) } } : {}),
    {
      async onElicitUrl({ url }) {
        const page = await person.request(url);
        const sent = page.onward === undefined ? await person.answer(page, url, 'approve') : page;
        if (sent.onward === undefined) {
          pages.push(page.title, sent.title);
          return { action: 'accept' };
        }
        const back = await fetch(sent.onward, { redirect: 'manual' });
        pages.push(page.title, (await person.request(back.headers.get('location') ?? '')).title);
        return { action: 'accept' };
      },
    },
  );
  const { content } = await client.callTool('use');
  await client.close();
  const [block] = content;
  const text = `${block?.type === 'text' ? block.text : ''} ${told.map(String).join()}`.trim();
  return { ...(token === undefined ? {} : { token }), text, pages };
}

test('a third party without metadata is asked by its endpoints, and answers in its own way', async (t) => {
  const { origin, tokens } = await likeGitHub(t);
  const account = connectAccount(options(origin, { scopes: ['repo', 'read:user'] }));
  const { token, pages } = await called(account);
  assert.deepEqual(token, {
    token: tokens[0],
    scopes: ['repo', 'read:user'],
    expiresAt: undefined,
    identity: {},
  });
  assert.deepEqual(pages, ['Connect GitHub?', 'Connected']);
  assert.deepEqual((await called(account)).pages, []);
  assert.deepEqual(await account.disconnect(ann), { revoked: false });
  assert.deepEqual((await called(account)).pages, ['Connect GitHub?', 'Connected']);
  account.close();
  account.close();
});

test('each client of a person needs their consent, and none a login of its own [auth-129] [security-002]', async (t) => {
  const { origin, tokens } = await likeGitHub(t);
  const account = connectAccount(options(origin));
  const asked = ['Connect GitHub?', 'Connected'];
  assert.deepEqual((await called(account, { clientId: 'one' })).pages, asked);
  const second = await called(account, { clientId: 'two' });
  assert.deepEqual([second.token?.token, second.pages], [tokens[0], asked]);
  for (const clientId of ['one', 'two']) assert.deepEqual((await called(account, { clientId })).pages, []);
  assert.deepEqual((await called(account)).pages, asked);
  assert.equal(tokens.length, 1);
  await account.disconnect(ann);
  for (const clientId of ['one', 'two']) assert.deepEqual((await called(account, { clientId })).pages, asked);
  account.close();
});

test('who disconnects while tokens are renewed leaves none of them valid', async (t) => {
  const { origin } = await likeGitHub(t);
  const revoked: (string | null)[] = [];
  let [now, given] = [Date.now(), 0];
  let answered = (): void => {};
  const held = new Promise<void>((resolve) => (answered = resolve));
  const fetch: Fetch = async (url, { body }) => {
    const form = new URLSearchParams(body);
    if (url.endsWith('/revoke')) revoked.push(form.get('token'));
    else given++;
    if (form.get('grant_type') === 'refresh_token') await held;
    return Response.json({
      access_token: `access-${given}`,
      refresh_token: `refresh-${given}`,
      token_type: 'bearer',
      expires_in: 3600,
    });
  };
  const account = connectAccount(
    options(origin, {
      fetch,
      now: () => now,
      endpoints: {
        authorization: `${origin}/login/oauth/authorize`,
        token: `${origin}/token`,
        revocation: `${origin}/revoke`,
      },
    }),
  );
  await called(account);
  now += 3_590_000;
  assert.equal((await called(account)).token?.token, 'access-1');
  const disconnected = account.disconnect(ann);
  answered();
  assert.deepEqual(await disconnected, { revoked: true });
  assert.deepEqual(revoked, ['refresh-2', 'access-2']);
  account.close();
});

test('a token that the API refuses and nothing renews is asked for again', async (t) => {
  const { origin, tokens } = await likeGitHub(t);
  const account = connectAccount(options(origin));
  const { token } = await called(account);
  const again = await called(account, { wish: { refused: token?.token ?? '' } });
  assert.equal(again.token?.token, tokens[1]);
  // The person agreed to the same before.
  assert.deepEqual(again.pages, ['On to ' + new URL(origin).host, 'Connected']);
  // Whoever had the old one in hand gets the new one.
  assert.equal((await called(account, { wish: { refused: token?.token ?? '' } })).token?.token, tokens[1]);
});

test('an error with the status 200 is a failure, and the page has no word of it', async (t) => {
  const { origin } = await likeGitHub(t, 'another secret');
  const errors: unknown[] = [];
  const { text, pages } = await called(connectAccount(options(origin, { onError: (error) => errors.push(error) })));
  assert.equal(text, 'the account at GitHub was not connected: that failed; try again');
  assert.deepEqual(pages, ['Connect GitHub?', 'Nothing was connected']);
  assert.match(String(errors[0]), /incorrect_client_credentials/);
  assert.doesNotMatch(String(errors[0]), /the-secret/);
});

test('accounts of several clients and of several persons lie apart in one store', async (t) => {
  const { origin, tokens } = await likeGitHub(t);
  const store = memoryCredentialStore();
  const one = connectAccount(options(origin, { store }));
  const other = connectAccount(
    options(origin, { store, client: { id: 'other', secret: 'the-secret' }, publicUrl: `${publicUrl}-2` }),
  );
  const bob = '["https://login.example","bob"]';
  await called(one);
  await called(one, { principal: bob });
  await called(other);
  assert.equal(tokens.length, 3);
  const kept = await Promise.all([called(one), called(one, { principal: bob }), called(other)]);
  assert.deepEqual(
    kept.map(({ token }) => token?.token),
    tokens,
  );
});

test('an account that several definitions share has the scopes of all of them', async (t) => {
  const { origin } = await likeGitHub(t);
  const store = memoryCredentialStore();
  const one = connectAccount(options(origin, { store, scopes: ['repo'] }));
  const other = connectAccount(options(origin, { store, scopes: ['gist'], publicUrl: `${publicUrl}-2` }));
  await called(one);
  const { token, pages } = await called(other);
  assert.deepEqual(token?.scopes, ['repo', 'gist']);
  assert.equal(pages.length, 2);
  assert.deepEqual((await called(one)).pages, []);
});

for (const [revision, code, isKnown] of [
  ['2024-11-05', -32600, false],
  ['2025-03-26', -32600, false],
  ['2025-06-18', -32600, true],
  ['2025-11-25', -32600, true],
  ['2026-07-28', -32021, true],
] as const)
  test(`the link is in an error where no result could hold it (${revision})`, async (t) => {
    const { origin } = await likeGitHub(t);
    const account = connectAccount(options(origin));
    const failures: unknown[] = [];
    const server = createServer({ name: 's', version: '1' }, { onError: (error) => failures.push(error) });
    const use = async (ctx: ToolContext): Promise<string> => ((await account.of(ctx)).token === '' ? '' : 'used');
    server.prompt('use', {}, (_, ctx) => use(ctx));
    server.resource('file:///use', { name: 'use' }, (_, ctx) => use(ctx));
    const client = await connect(memoryTransport(server, { auth: { principal: ann } }), { revisions: [revision] });
    let link = '';
    for (const ask of [() => client.getPrompt('use'), () => client.readResource('file:///use')])
      await assert.rejects(ask(), (error) => {
        assert.ok(error instanceof McpError);
        assert.equal(error.code, code);
        assert.deepEqual(error.data, isKnown ? { requiredCapabilities: { elicitation: { url: {} } } } : undefined);
        link = /the user must open (\S+) in a browser/.exec(error.message)?.[1] ?? assert.fail(error.message);
        return true;
      });
    assert.deepEqual(failures, []);
    const person = new PageVisitor((request) => account.pages(request), ann);
    const sent = await person.answer(await person.request(link), link, 'approve');
    const back = await fetch(sent.onward ?? '', { redirect: 'manual' });
    assert.equal((await person.request(back.headers.get('location') ?? '')).title, 'Connected');
    const { messages } = await client.getPrompt('use');
    assert.deepEqual(messages[0]?.content, { type: 'text', text: 'used' });
    assert.equal((await client.readResource('file:///use')).contents.length, 1);
    await client.close();
    account.close();
  });

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  test(`parts of one tool that want the same account ask for it once (${revision})`, async (t) => {
    const { origin } = await likeGitHub(t);
    const account = connectAccount(options(origin));
    const server = createServer({ name: 's', version: '1' });
    server.tool('use', {}, async (_, ctx) => {
      const both = await Promise.all([account.of(ctx), account.of(ctx)]);
      return String(new Set(both.map(({ token }) => token)).size);
    });
    server.tool('insist', {}, async (_, ctx) => {
      const { token } = await account.of(ctx);
      const other = await account.of(ctx, { refused: token });
      return (await account.of(ctx, { refused: other.token })).token;
    });
    const person = new PageVisitor((request) => account.pages(request), ann);
    const links: string[] = [];
    const client = await connect(memoryTransport(server, { auth: { principal: ann } }), {
      revisions: [revision],
      async onElicitUrl({ url }) {
        links.push(url);
        const page = await person.request(url);
        const sent = page.onward === undefined ? await person.answer(page, url, 'approve') : page;
        const back = await fetch(sent.onward ?? '', { redirect: 'manual' });
        await person.request(back.headers.get('location') ?? '');
        return { action: 'accept' };
      },
    });
    assert.deepEqual((await client.callTool('use')).content, [{ type: 'text', text: '1' }]);
    assert.equal(links.length, 1);
    const { content } = await client.callTool('insist');
    assert.deepEqual(content, [
      { type: 'text', text: 'the account at GitHub was not connected: that failed; try again' },
    ]);
    await client.close();
    account.close();
  });

test('an account that was connected in time is there, though its link is over when the client says so', async (t) => {
  const { origin } = await likeGitHub(t);
  let now = Date.now();
  const account = connectAccount(options(origin, { now: () => now }));
  const server = createServer({ name: 's', version: '1' });
  server.tool('use', {}, async (_, ctx) => ((await account.of(ctx)).token === '' ? '' : 'used'));
  const person = new PageVisitor((request) => account.pages(request), ann);
  const client = await connect(memoryTransport(server, { auth: { principal: ann } }), {
    revisions: ['2025-11-25'],
    async onElicitUrl({ url }) {
      const sent = await person.answer(await person.request(url), url, 'approve');
      const back = await fetch(sent.onward ?? '', { redirect: 'manual' });
      assert.equal((await person.request(back.headers.get('location') ?? '')).title, 'Connected');
      now += 601_000;
      return { action: 'accept' };
    },
  });
  assert.deepEqual((await client.callTool('use')).content, [{ type: 'text', text: 'used' }]);
  await client.close();
  account.close();
});

test('a login that was left is forgotten, though its person never comes back', async (t) => {
  const { origin } = await likeGitHub(t);
  const store = memoryCredentialStore();
  let now = Date.now();
  const account = connectAccount(options(origin, { store, now: () => now }));
  const server = createServer({ name: 's', version: '1' });
  server.tool('use', {}, async (_, ctx) => ((await account.of(ctx)).token === '' ? '' : 'used'));
  for (let at = 0; at < 5; at++, now += 3_600_000) {
    const principal = `person ${at}`;
    const client = await connect(memoryTransport(server, { auth: { principal } }), { revisions: ['2025-06-18'] });
    const [block] = (await client.callTool('use')).content;
    const link = /must open (\S+) in/.exec(block?.type === 'text' ? block.text : '')?.[1] ?? '';
    const person = new PageVisitor((request) => account.pages(request), principal);
    const sent = await person.answer(await person.request(link), link, 'approve');
    assert.ok(sent.onward);
    await client.close();
  }
  const logins = await store.keys('login');
  assert.deepEqual(
    logins.flatMap(({ principal, issuer }) => (issuer.startsWith('visit ') ? [] : [principal])),
    ['person 4'],
  );
  account.close();
});

test('where nobody knows who calls there is no account', async () => {
  const { text } = await called(connectAccount(options('http://127.0.0.1:9')), { withAuth: false });
  assert.match(text, /failed TypeError: account\.of needs an authenticated caller: protect the server/);
});

test('scopes that are no list are told, and nobody is asked', async () => {
  const { text } = await called(connectAccount(options('http://127.0.0.1:9')), { wish: { scopes: 'repo' as never } });
  assert.match(text, /TypeError: scopes must be an array/);
});

test('options that make no sense are told at once', () => {
  const good = options('https://github.example', { publicUrl: 'https://mcp.example.com/connect/github' });
  for (const [mistake, words] of [
    [{ endpoints: undefined }, /needs the issuer of the third party, or its endpoints/],
    [{ issuer: 'github', endpoints: undefined }, /needs the issuer/],
    [{ sessionOf: undefined }, /needs sessionOf/],
    [{ client: undefined }, /needs client/],
    [{ client: 'the-id' }, /needs client/],
    [{ publicUrl: 'https://mcp.example.com' }, /page of its own/],
    [{ publicUrl: 'http://mcp.example.com/connect' }, /must be the https: URL/],
    [{ publicUrl: 'https://mcp.example.com/connect?x=1' }, /must be the https: URL/],
    [{ scopes: 'repo' }, /scopes must be an array/],
    [{ waitTimeoutMs: -1 }, /waitTimeoutMs/],
    [{ parameters: { authorization: { state: 'x' } } }, /OAuth's own/],
    [{ keys: [new Uint8Array(3)] }, /32 bytes/],
    [{ scope: ['repo'] }, /"scope".*scopes/],
  ] as const)
    assert.throws(
      () => connectAccount({ ...good, ...mistake } as never),
      (error: unknown) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, words);
        return true;
      },
    );
  assert.equal(connectAccount(good).redirectUri, 'https://mcp.example.com/connect/github/callback');
});
