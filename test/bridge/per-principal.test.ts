/** A guarded bridge whose clients each have a grant of their own at the server behind it, given by a real authorization server. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBridge, type PerPrincipalUpstream } from '../../packages/parley/src/bridge.ts';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer } from '../../packages/parley/src/server/server.ts';
import { memoryCredentialStore } from '../../packages/parley/src/storage/memory-credentials.ts';
import { testIssuer } from '../../packages/parley/src/testing/issuer.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { place, serveGuarded, tokensIn } from '../support/guarded-bridge.ts';
import { names, publicUrl, scene, text, visits, type Scene } from '../support/per-principal-scene.ts';
import { speaking } from '../support/http-speaker.ts';
import { authorizationServer } from '../support/oidc-provider.ts';
import { visitPages } from '../support/visited-pages.ts';
import { crossSite, PageVisitor, sessionOf, type Shown } from '../support/page-visitor.ts';

const sampled: readonly (readonly [down: RevisionDate, up: RevisionDate])[] = [
  ['2026-07-28', '2026-07-28'],
  ['2026-07-28', '2025-11-25'],
  ['2025-11-25', '2026-07-28'],
  ['2025-11-25', '2025-06-18'],
  ['2025-06-18', '2025-11-25'],
  ['2025-03-26', '2026-07-28'],
];

describe('upstreamAuth per-principal', () => {
  for (const [down, up] of sampled)
    test(`everybody signs in for themselves, and nobody for others: a client of ${down} before ${up}`, async (t) => {
      const { willing, signIn, front, upstream, authorization } = await scene(t, up);
      const [ann, bob] = [await willing('ann', down), await willing('bob', down)];
      for (const [{ client, opened }, person] of [
        [ann, 'ann'],
        [bob, 'bob'],
      ] as const) {
        assert.deepEqual(await names(client), ['sign_in']);
        const first = await text(client, 'whoami');
        if (visits(down)) assert.equal(first, person);
        else {
          const [link = ''] = /http:\S+/.exec(first) ?? [];
          assert.equal(await signIn(person, link), 'Connected');
          assert.equal(await text(client, 'whoami'), person);
        }
        assert.equal(opened.length, visits(down) ? 1 : 0);
        assert.deepEqual(await names(client), [`only-${person}`, 'whoami']);
        const { contents } = await client.readResource('note://own');
        assert.match(JSON.stringify(contents), new RegExp(`the note of ${person}`));
      }
      assert.equal(await text(ann.client, 'whoami'), 'ann');
      const [callers, theirs] = [tokensIn(front), tokensIn(upstream)];
      const up1 = JSON.stringify(upstream.recorded.map(({ headers, body }) => [headers, body]));
      const down1 = front.recorded.map(({ answer }) => answer).join('\n');
      assert.ok(callers.size >= 2 && theirs.size >= 2);
      assert.deepEqual(
        [...callers].filter((token) => up1.includes(token)),
        [],
      );
      assert.deepEqual(
        [...theirs, ...authorization.secrets].filter((secret) => down1.includes(secret)),
        [],
      );
      assert.doesNotMatch(down1, /www-authenticate/i);
    });

  test('the tool to sign in asks, and says when it is done', async (t) => {
    for (const down of ['2026-07-28', '2025-11-25'] as const) {
      const { willing } = await scene(t, '2025-11-25');
      const { client, opened } = await willing('ann', down);
      let changed: () => void = () => undefined;
      const heard = new Promise<void>((resolve) => (changed = resolve));
      const subscription = await client.subscribe({ tools: true }, ({ type }) => {
        if (type === 'list') changed();
      });
      assert.match(await text(client, 'sign_in'), /signed in at The Files/);
      assert.equal(opened.length, 1);
      await heard;
      await subscription.close();
      assert.deepEqual(await names(client), ['only-ann', 'whoami']);
    }
  });

  test('who is shown that somebody has to sign in leaves nothing behind, however often', async (t) => {
    for (const up of ['2025-11-25', '2026-07-28'] as const) {
      const { as, store, pass } = await scene(t, up);
      const client = await as('ann', '2026-07-28');
      for (let times = 0; times < 5; times++) {
        assert.deepEqual(await names(client), ['sign_in']);
        pass(60_000);
      }
      assert.deepEqual(await store.keys('login'), []);
    }
  });

  test('a grant that is lost is asked for again', async (t) => {
    const { willing, store, pass } = await scene(t, '2026-07-28');
    const { client, opened } = await willing('ann', '2026-07-28');
    assert.equal(await text(client, 'whoami'), 'ann');
    // It has ended, and nothing renews it.
    for (const key of await store.keys('grant')) {
      const kept = JSON.parse((await store.read(key))?.text ?? '{}') as Record<string, unknown>;
      await store.write(key, JSON.stringify({ ...kept, refreshToken: 'gone' }));
    }
    pass(3_600_000);
    assert.deepEqual(await names(client), ['sign_in']);
    assert.equal(await text(client, 'whoami'), 'ann');
    assert.equal(opened.length, 2);
  });

  test('a person who declines, or does not go, hears so, and is asked again the next time', async (t) => {
    for (const down of ['2026-07-28', '2025-11-25'] as const) {
      const { as, browser } = await scene(t, '2025-11-25');
      const answers: ((url: string) => Promise<'accept' | 'decline'>)[] = [
        async () => 'decline',
        async (url) => {
          const ann = browser('ann');
          const { title } = await ann.answer(await ann.request(url), url, 'decline');
          assert.equal(title, 'Nothing was connected');
          return 'accept';
        },
      ];
      const client = await as('ann', down, {
        onElicitUrl: async ({ url }) => ({ action: (await answers.shift()?.(url)) ?? 'cancel' }),
      });
      assert.match(
        await text(client, 'whoami'),
        /the user is not signed in at The Files: the user did not agree to go there/,
      );
      assert.match(await text(client, 'whoami'), /the user is not signed in at The Files: the user declined/);
      await assert.rejects(client.readResource('note://own'), /the user is not signed in at The Files/);
    }
  });

  test('who takes longer than a request waits asks again, and finds it done', async (t) => {
    const { as, signIn } = await scene(t, '2025-11-25', undefined, { waitTimeoutMs: 1 });
    let link = '';
    const client = await as('ann', '2026-07-28', {
      onElicitUrl: ({ url }) => {
        link = url;
        return { action: 'accept' };
      },
    });
    assert.match(await text(client, 'whoami'), /this must be called again afterwards/);
    assert.equal(await signIn('ann', link), 'Connected');
    assert.equal(await text(client, 'whoami'), 'ann');
  });

  test('one of several servers is signed in at apart from the others', async (t) => {
    const issuer = testIssuer();
    const authorization = await authorizationServer(t);
    const [notes, files] = [await place(t), await place(t)];
    const store = memoryCredentialStore();
    for (const at of [notes, files]) {
      const server = createServer({ name: 's', version: '1' });
      server.tool(at === notes ? 'note' : 'file', {}, (_, { auth }) => auth?.subject ?? 'nobody');
      serveGuarded(at, protect(server, { resource: at.url, issuers: [authorization.issuer], scopes: ['read'] }));
      t.after(() => server.close());
    }
    const open = createServer({ name: 'open', version: '1' });
    open.tool('everybody', {}, () => 'everybody');
    const way = (name: string): PerPrincipalUpstream => ({
      as: 'per-principal',
      publicUrl: `${publicUrl}/${name}`,
      sessionOf,
      store,
      name,
    });
    const bridge = await createBridge({
      upstreams: {
        notes: { upstream: notes.url, upstreamAuth: way('notes') },
        files: { upstream: files.url, upstreamAuth: way('files') },
        open: { upstream: memoryTransport(open) },
      },
      onWarning: () => undefined,
    });
    const front = await place(t);
    serveGuarded(front, protect(bridge, { ...issuer.options, resource: front.url }));
    t.after(() => bridge.close());
    const opened: string[] = [];
    const as = async (person: string): Promise<Client> => {
      const client = await connect(front.url, {
        auth: await issuer.issue({ audience: front.url, subject: person }),
        async onElicitUrl({ url }) {
          opened.push(new URL(url).pathname);
          const visitor = new PageVisitor((request) => bridge.pages(request), JSON.stringify([issuer.issuer, person]));
          const sent = await visitor.answer(await visitor.request(url), url, 'approve');
          await visitor.request(await visitPages(sent.onward ?? '', { login: person }));
          return { action: 'accept' };
        },
      });
      t.after(() => client.close());
      return client;
    };
    const [ann, bob] = [await as('ann'), await as('bob')];
    const nobody = ['everybody', 'files__sign_in', 'notes__sign_in'];
    assert.deepEqual(await names(ann), nobody);
    assert.match(await text(ann, 'notes__sign_in'), /signed in at notes/);
    assert.deepEqual(await names(ann), ['everybody', 'note', 'sign_in']);
    assert.equal(await text(ann, 'note'), 'ann');
    assert.equal(await text(ann, 'everybody'), 'everybody');
    assert.deepEqual(await names(bob), nobody);
    assert.deepEqual(opened, ['/sign-in/notes']);
  });

  test('more rights are asked for by the bridge, of who needs them', async (t) => {
    const { willing, upstream } = await scene(t, '2025-11-25', {
      define: (server) => void server.tool('write', { scopes: ['write'] }, () => 'written'),
    });
    const { client, opened } = await willing('ann', '2026-07-28');
    assert.equal(await text(client, 'whoami'), 'ann');
    assert.equal(await text(client, 'write'), 'written');
    assert.equal(opened.length, 2);
    assert.ok(upstream.recorded.some(({ status }) => status === 403));
  });
});

test('what a person was asked is answered for nobody else', async (t) => {
  const { front, tokenOf, signIn, willing } = await scene(t, '2026-07-28');
  const probeClient = async (person: string): ReturnType<typeof speaking> =>
    await speaking(
      front.url,
      '2026-07-28',
      { authorization: `Bearer ${await tokenOf(person)}` },
      { elicitation: { url: {} } },
    );
  const params = { name: 'whoami', arguments: {} };
  const asked = await (await probeClient('ann')).request('tools/call', params);
  const [, url = ''] = /"url":"([^"]+)"/.exec(asked) ?? [];
  const [, requestState = ''] = /"requestState":"([^"]+)"/.exec(asked) ?? [];
  assert.equal(await signIn('ann', url), 'Connected');
  const answered = { ...params, requestState, inputResponses: { 'sign-in': { action: 'accept' } } };
  const bobs = await (await probeClient('bob')).request('tools/call', answered);
  assert.match(bobs, /input_required/);
  // Sealed texts are of random letters.
  assert.doesNotMatch(bobs.replaceAll(/[\w-]{24,}/g, ''), /ann/);
  // Neither does it help who is signed in as somebody else, nor with another call.
  const bob = await willing('bob', '2026-07-28');
  assert.equal(await text(bob.client, 'whoami'), 'bob');
  assert.doesNotMatch(await (await probeClient('bob')).request('tools/call', answered), /"ann"/);
  const other = { ...answered, name: 'only-ann' };
  assert.doesNotMatch(await (await probeClient('ann')).request('tools/call', other), /"text":"ann"/);
  assert.match(await (await probeClient('ann')).request('tools/call', answered), /"text":"ann"/);
});

describe('links to sign in', () => {
  /** The link that somebody is given. */
  async function linkOf({ as }: Scene, person: string): Promise<string> {
    const client = await as(person, '2025-06-18');
    return /http:\S+/.exec(await text(client, 'whoami'))?.[0] ?? '';
  }

  function heading({ title }: Shown): string | undefined {
    return title;
  }

  test('are for who was given them, good once, and open nothing without consent', async (t) => {
    const whole = await scene(t, '2025-11-25');
    const { browser, signIn } = whole;
    const link = await linkOf(whole, 'ann');
    assert.doesNotMatch(decodeURIComponent(link), /ann|issuer/);
    assert.equal(heading(await browser('bob').request(link)), 'This link is for another user');
    const ann = browser('ann');
    const led = await ann.request(link, { headers: crossSite });
    assert.equal(heading(led), 'Connect The Files?');
    assert.match(led.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    // A form of another site approves nothing.
    const forged = await ann.answer(led, link, 'approve', { headers: crossSite });
    assert.equal(forged.status, 403);
    assert.equal(await signIn('ann', link, ann), 'Connected');
    assert.equal(heading(await ann.request(link)), 'This link was used');
  });

  test('bring the answer of a stranger to nobody', async (t) => {
    const whole = await scene(t, '2025-11-25');
    const { browser } = whole;
    const link = await linkOf(whole, 'bob');
    const bob = browser('bob');
    const page = await bob.request(link);
    const { onward = '' } = await bob.answer(page, link, 'approve');
    // Bob signs in at the server as himself, and has ann's browser take the answer.
    const callback = await visitPages(onward, { login: 'bob' });
    assert.equal(heading(await browser('ann').request(callback)), 'Nothing is awaited here');
    const ann = await whole.willing('ann', '2026-07-28');
    assert.deepEqual(await names(ann.client), ['sign_in']);
  });
});
