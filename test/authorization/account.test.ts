/** A person connects an account at a third party, a real authorization server, for the tools of a guarded server. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  McpError,
  urlElicitations,
  type Client,
  type ConnectOptions,
  type UrlElicitation,
} from '../../packages/parley/src/client.ts';
import { accountScene, clientSecret, textOf, type AccountScene } from '../support/account-server.ts';
import { visitPages, type Visit } from '../support/visited-pages.ts';
import { crossSite, type PageVisitor } from '../support/page-visitor.ts';

/** Goes through all pages, from the link to the end. */
async function goThrough(person: PageVisitor, url: string, visit: Visit = {}): Promise<string | undefined> {
  const page = await person.request(url);
  const { onward, title } = page.text.includes('<form') ? await person.answer(page, url, 'approve') : page;
  if (onward === undefined) return title;
  const callback = await visitPages(onward, visit);
  return (await person.request(callback, { headers: crossSite })).title;
}

/** A client whose person goes to every page that is asked for, and what was asked. */
async function visiting(
  { client, visitor }: AccountScene,
  who: string,
  more: ConnectOptions & { readonly visit?: Visit } = {},
): Promise<{ readonly client: Client; readonly asked: UrlElicitation[]; readonly person: PageVisitor }> {
  const { visit, ...options } = more;
  const asked: UrlElicitation[] = [];
  const person = visitor(who);
  const made = await client(who, {
    onElicitUrl: (page) => {
      asked.push(page);
      // The page is looked at while the program goes on.
      goThrough(person, page.url, { login: who, ...visit }).catch((error: unknown) => assert.fail(String(error)));
      return { action: 'accept' };
    },
    ...options,
  });
  return { client: made, asked, person };
}

/** The link in the text of a result. */
function linkIn(text: string): string {
  return /https?:\/\/\S+\?visit=[\w-]+/.exec(text)?.[0] ?? assert.fail(`no link in ${text}`);
}

describe('a third party’s account', () => {
  for (const revision of ['2026-07-28', '2025-11-25'] as const)
    test(`is asked for by an elicitation, and is there afterwards (${revision})`, async (t) => {
      const scene = await accountScene(t);
      const done: string[] = [];
      const { client, asked } = await visiting(scene, 'ann', {
        revisions: [revision],
        onElicitationComplete: (id) => done.push(id),
      });
      assert.deepEqual(textOf(await client.callTool('mine')), ['ann, ann for openid', false]);
      assert.equal(asked.length, 1);
      assert.match(asked[0]?.message ?? '', /Third Party.*The Server/);
      assert.deepEqual(done, revision === '2025-11-25' ? [asked[0]?.elicitationId] : []);
      assert.deepEqual(textOf(await client.callTool('mine')), ['ann, ann for openid', false]);
      assert.equal(asked.length, 1);
      assert.deepEqual(scene.errors, []);
    });

  for (const [revision, options] of [
    ['2024-11-05', {}],
    ['2025-06-18', {}],
    ['2025-03-26', {}],
    ['2025-11-25', {}],
    ['2026-07-28', {}],
  ] as const)
    test(`is asked for by a link in a failed result where the client has no other way (${revision})`, async (t) => {
      const scene = await accountScene(t);
      const client = await scene.client('ann', { revisions: [revision], ...options });
      const [text, isError] = textOf(await client.callTool('mine'));
      assert.equal(isError, true);
      assert.equal(await goThrough(scene.visitor('ann'), linkIn(text)), 'Connected');
      assert.deepEqual(textOf(await client.callTool('mine')), ['ann, ann for openid', false]);
    });

  test('may take longer than a request waits: the client is told when it is there (2025-11-25) [elicit-032] [elicit-033] [elicit-034]', async (t) => {
    const scene = await accountScene(t, { account: { waitTimeoutMs: 0 } });
    const links: string[] = [];
    let complete = (_: string): void => {};
    const completed = new Promise<string>((resolve) => (complete = resolve));
    const client = await scene.client('ann', {
      revisions: ['2025-11-25'],
      onElicitUrl: ({ url }) => {
        links.push(url);
        return { action: 'accept' };
      },
      onElicitationComplete: (id) => complete(id),
    });
    const error = await client.callTool('mine').then(
      () => assert.fail('there was an account'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof McpError);
    assert.equal(error.code, -32042);
    const [visit] = urlElicitations(error);
    assert.equal(visit?.url, links[0]);
    assert.equal(await goThrough(scene.visitor('ann'), links[0] ?? ''), 'Connected');
    assert.equal(await completed, visit?.elicitationId);
    assert.deepEqual(textOf(await client.callTool('mine')), ['ann, ann for openid', false]);
  });

  test('may take longer than a request waits: the model is told (2026-07-28)', async (t) => {
    const scene = await accountScene(t, { account: { waitTimeoutMs: 0 } });
    const client = await scene.client('ann', { revisions: ['2026-07-28'], onElicitUrl: () => ({ action: 'accept' }) });
    const [text, isError] = textOf(await client.callTool('mine'));
    assert.equal(isError, true);
    assert.equal(await goThrough(scene.visitor('ann'), linkIn(text)), 'Connected');
    assert.deepEqual(textOf(await client.callTool('mine')), ['ann, ann for openid', false]);
  });

  for (const revision of ['2026-07-28', '2025-11-25'] as const)
    test(`is not there where the person declines, anywhere (${revision})`, async (t) => {
      const scene = await accountScene(t);
      const revisions = [revision];
      const unwilling = await scene.client('ann', { revisions, onElicitUrl: () => ({ action: 'decline' }) });
      assert.match(textOf(await unwilling.callTool('mine'))[0], /did not agree to go there/);
      const person = scene.visitor('ann');
      const atPage = await scene.client('ann', {
        revisions,
        onElicitUrl: ({ url }) => {
          void person.request(url).then((page) => person.answer(page, url, 'decline'));
          return { action: 'accept' };
        },
      });
      assert.match(textOf(await atPage.callTool('mine'))[0], /the user declined/);
      const { client } = await visiting(scene, 'ann', { revisions, visit: { consent: 'deny' } });
      assert.deepEqual(textOf(await client.callTool('mine')), [
        'the account at Third Party was not connected: the user declined',
        true,
      ]);
      assert.deepEqual(scene.as.tokenRequests, []);
    });

  test('is its owner’s alone: a link that was passed on connects nobody [elicit-037] [elicit-040] [elicit-049]', async (t) => {
    const scene = await accountScene(t);
    const ann = await scene.client('ann', { revisions: ['2025-06-18'] });
    const link = linkIn(textOf(await ann.callTool('mine'))[0]);
    // Whoever gets another one to open a link of theirs would use the account of that one.
    assert.equal(await goThrough(scene.visitor('bob'), link, { login: 'bob' }), 'This link is for another user');
    assert.equal(await goThrough(scene.visitor(), link), 'Sign in first');
    // Nor does it help to send them on from where it goes to the third party.
    const person = scene.visitor('ann');
    const { onward } = await person.answer(await person.request(link), link, 'approve');
    const callback = await visitPages(onward ?? '', { login: 'bob' });
    assert.equal((await scene.visitor('bob').request(callback)).title, 'Nothing is awaited here');
    assert.deepEqual(scene.as.tokenRequests, []);
    assert.equal((await person.request(callback)).title, 'Connected');
    assert.equal((await person.request(callback)).title, 'Nothing is awaited here');
    const bob = await scene.client('bob', { revisions: ['2025-06-18'] });
    assert.match(textOf(await bob.callTool('mine'))[0], /is not connected yet/);
    assert.equal(scene.as.tokenRequests.length, 1);
  });

  for (const revision of ['2026-07-28', '2025-11-25'] as const)
    test(`is connected once where several calls want it at the same time (${revision})`, async (t) => {
      const scene = await accountScene(t);
      const links: string[] = [];
      let both = (): void => {};
      const asked = new Promise<void>((resolve) => (both = resolve));
      const client = await scene.client('ann', {
        revisions: [revision],
        async onElicitUrl({ url }) {
          if (links.push(url) === 2) both();
          await asked;
          return { action: 'accept' };
        },
      });
      const calls = [1, 2].map(async () => textOf(await client.callTool('mine')));
      await asked;
      const person = scene.visitor('ann');
      assert.equal(await goThrough(person, links[0] ?? ''), 'Connected');
      const expected = ['ann, ann for openid', false];
      assert.deepEqual(await Promise.all(calls), [expected, expected]);
      // The other page finds it done.
      assert.equal(await goThrough(person, links[1] ?? ''), 'Connected');
      assert.equal(scene.as.tokenRequests.length, 1);
    });

  test('is renewed once, however many calls want it', async (t) => {
    const scene = await accountScene(t, {
      account: { scopes: ['openid', 'offline_access'] },
      as: { offlineAccess: true },
    });
    const { client, asked } = await visiting(scene, 'ann');
    assert.match(textOf(await client.callTool('mine'))[0], /^ann, ann for openid/);
    scene.pass(301_000);
    const texts = await Promise.all(Array.from({ length: 8 }, async () => textOf(await client.callTool('mine'))[0]));
    for (const text of texts) assert.match(text, /^ann, ann for openid/);
    assert.deepEqual(
      scene.as.tokenRequests.map(({ grantType, error }) => [grantType, error]),
      [
        ['authorization_code', undefined],
        ['refresh_token', undefined],
      ],
    );
    // The API took one that was good by the clock no longer.
    assert.equal(textOf(await client.callTool('again'))[0], 'another for ann');
    assert.equal(scene.as.tokenRequests.length, 3);
    assert.equal(asked.length, 1);
  });

  test('that cannot be renewed is asked for again, and so is one that lacks scopes', async (t) => {
    const configuration = { scopes: ['openid', 'more'], issueRefreshToken: () => false };
    const scene = await accountScene(t, { as: { configuration } });
    const { client, asked } = await visiting(scene, 'ann', { revisions: ['2025-11-25'] });
    assert.deepEqual(textOf(await client.callTool('mine')), ['ann, ann for openid', false]);
    assert.deepEqual(textOf(await client.callTool('more')), ['ann, with openid more', false]);
    assert.equal(asked.length, 2);
    // What was granted before is part of it.
    assert.deepEqual(textOf(await client.callTool('mine')), ['ann, ann for openid more', false]);
    assert.equal(asked.length, 2);
    scene.pass(3_601_000);
    assert.deepEqual(textOf(await client.callTool('mine')), ['ann, ann for openid more', false]);
    assert.equal(asked.length, 3);
  });

  test('that its owner disconnects is revoked, and the page asks again', async (t) => {
    const scene = await accountScene(t);
    const { client, person } = await visiting(scene, 'ann');
    await client.callTool('mine');
    assert.deepEqual(await scene.account.disconnect(scene.principal('ann')), { revoked: true });
    assert.ok(scene.as.requests.includes('POST /token/revocation'));
    const silent = await scene.client('ann', { revisions: ['2025-06-18'] });
    const link = linkIn(textOf(await silent.callTool('mine'))[0]);
    assert.equal((await person.request(link)).title, 'Connect Third Party?');
  });

  test('that cannot be had now is no reason to ask a person', async (t) => {
    const scene = await accountScene(t, {
      account: { scopes: ['openid', 'offline_access'] },
      as: { offlineAccess: true },
    });
    const { client, asked } = await visiting(scene, 'ann');
    await client.callTool('mine');
    await scene.as.close();
    scene.pass(301_000);
    assert.deepEqual(textOf(await client.callTool('mine')), [
      'the account at Third Party cannot be used now; try again later',
      true,
    ]);
    assert.equal(asked.length, 1);
    assert.equal(scene.errors.length, 1);
  });

  test('is told to nobody: no page, no result and no error has a secret of it [elicit-043] [elicit-046]', async (t) => {
    const scene = await accountScene(t, {
      account: { scopes: ['openid', 'offline_access'] },
      as: { offlineAccess: true },
    });
    const { client, person } = await visiting(scene, 'ann');
    await client.callTool('mine');
    scene.pass(301_000);
    await client.callTool('again');
    const { secrets } = scene.as;
    assert.ok(secrets.size >= 8, 'there were secrets to tell');
    const texts = [...scene.said, ...person.seen, ...scene.errors.map(String)];
    assert.ok(texts.length > 6);
    for (const text of texts)
      for (const secret of [...secrets, clientSecret])
        assert.ok(!text.includes(secret), `a secret was told in ${text}`);
  });
});
