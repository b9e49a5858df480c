import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  crossSite,
  fieldsOf,
  ownForm,
  PageVisitor,
  sessionOf,
  typed,
} from '../../../../../test/support/page-visitor.ts';
import { AuthorizationError } from '../common/errors.ts';
import { memoryCredentialStore } from '../../storage/memory-credentials.ts';
import { Consent, visitMs, type ConsentOptions, type ConsentParty, type SessionOf } from './consent.ts';
import type { ConsentSession } from './consent-sessions.ts';

const ann = '["https://login.example","ann"]';
const bob = '["https://login.example","bob"]';
const publicUrl = 'https://mcp.example.com/connect/files';

interface Scene {
  readonly consent: Consent;
  readonly party: { begun: number; readonly finished: string[]; failure?: Error; refusal?: Error };
  readonly errors: unknown[];
  now: number;
  invite(about?: Partial<ConsentSession>): Promise<string>;
  visitor(who?: string): PageVisitor;
  /** Whoever waits for the visit of a URL. */
  outcome(url: string): Promise<string>;
}

function scene(options: Partial<ConsentOptions> & { readonly session?: SessionOf } = {}): Scene {
  const errors: unknown[] = [];
  const state: Scene['party'] = { begun: 0, finished: [] };
  const files: ConsentParty = {
    name: 'Files',
    host: async () => 'files.example',
    async begin(visit) {
      if (state.refusal !== undefined) throw state.refusal;
      state.begun++;
      return `https://files.example/authorize?a=1&state=state-${state.begun}-of-${visit.id}`;
    },
    async finish(visit, callback) {
      if (state.failure !== undefined) throw state.failure;
      state.finished.push(`${visit.principal} ${visit.scopes.join('+')} ${callback}`);
    },
  };
  const made: Scene = {
    consent: new Consent({
      publicUrl: new URL(publicUrl),
      name: 'The server',
      sessionOf: options.session ?? sessionOf,
      store: memoryCredentialStore(),
      keys: undefined,
      party: (name) => (name === 'files' ? files : undefined),
      now: () => made.now,
      onError: (error) => errors.push(error),
      ...options,
    }),
    party: state,
    errors,
    now: 1_000_000,
    invite: async (about = {}) =>
      (await made.consent.invite({ principal: ann, party: 'files', scopes: ['read'], by: 'a program', ...about })).url,
    visitor: (who) => new PageVisitor((request) => made.consent.handle(request), who),
    async outcome(url) {
      const visit = await made.consent.visitOf(url);
      assert.ok(visit);
      return await made.consent.outcome(visit, new AbortController().signal);
    },
  };
  return made;
}

/** Where the authorization server sends the browser back. */
function callbackOf(onward: string | undefined, more: Readonly<Record<string, string>> = { code: 'the-code' }): string {
  const state = new URL(onward ?? '').searchParams.get('state') ?? '';
  return `${publicUrl}/callback?${new URLSearchParams({ state, ...more }).toString()}`;
}

test('a person agrees, comes back, and is told so; so is who waits', async () => {
  const { consent, party, visitor, invite, outcome } = scene();
  const person = visitor(ann);
  const url = await invite();
  const waiting = outcome(url);
  const page = await person.request(url);
  assert.deepEqual([page.status, page.title], [200, 'Connect Files?']);
  for (const words of ['The server', 'mcp.example.com', 'files.example', 'read', 'a program'])
    assert.ok(page.text.includes(`<b>${words}</b>`), words);
  assert.equal(party.begun, 0);
  const sent = await person.answer(page, url, 'approve');
  assert.deepEqual([sent.status, new URL(sent.onward ?? '').host], [200, 'files.example']);
  const back = await person.request(callbackOf(sent.onward), { headers: crossSite });
  assert.deepEqual([back.status, back.title], [200, 'Connected']);
  assert.deepEqual(party.finished, [`${ann} read ${callbackOf(sent.onward)}`]);
  assert.equal(await waiting, 'granted');
  assert.equal(consent.redirectUri, `${publicUrl}/callback`);
});

test('a person who declines is sent nowhere', async () => {
  const { party, visitor, invite, outcome } = scene();
  const person = visitor(ann);
  const url = await invite();
  const waiting = outcome(url);
  const page = await person.answer(await person.request(url), url, 'decline');
  assert.deepEqual([page.status, page.title, page.onward], [200, 'Nothing was connected', undefined]);
  assert.equal(await waiting, 'declined');
  assert.equal(party.begun, 0);
});

test('whoever is not the one who is meant is turned away, and nothing happens', async () => {
  const { party, visitor, invite } = scene();
  const url = await invite();
  assert.deepEqual(
    await Promise.all([visitor(bob), visitor()].map(async (one) => (await one.request(url)).status)),
    [403, 403],
  );
  // A form that the right person has, sent from the browser of another one.
  const page = await visitor(ann).request(url);
  const other = await visitor(bob).answer(page, url, 'approve');
  assert.deepEqual([other.status, other.title], [403, 'This link is for another user']);
  assert.equal(party.begun, 0);
});

test('a person who is not signed in is sent where one signs in, where the program says so', async () => {
  const session: SessionOf = (request) =>
    sessionOf(request) ??
    new Response(null, { status: 303, headers: { Location: `/login?to=${encodeURIComponent(request.url)}` } });
  const { visitor, invite } = scene({ session });
  const url = await invite();
  const page = await visitor().request(url);
  assert.deepEqual([page.status, page.headers.get('location')], [303, `/login?to=${encodeURIComponent(url)}`]);
});

test('a page is answered in time, though nobody ever says who sits there', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { visitor, invite } = scene({ session: () => new Promise(() => undefined) });
  const page = visitor(ann).request(await invite());
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(30_000);
  assert.equal((await page).status, 503);
});

test('a link is good once', async () => {
  const { party, visitor, invite } = scene();
  const person = visitor(ann);
  const url = await invite();
  const page = await person.request(url);
  const [one, other] = await Promise.all([1, 2].map(() => person.answer(page, url, 'approve')));
  assert.deepEqual(new Set([one?.status, other?.status]), new Set([200, 410]));
  assert.equal((await person.request(url)).title, 'This link was used');
  assert.equal(party.begun, 1);
});

test('a link that is over, was changed or is of other pages leads to nothing', async () => {
  const made = scene();
  const { visitor, invite } = made;
  const url = await invite();
  const other = await scene().invite();
  for (const text of [`${url}A`, other, `${publicUrl}?visit=`, publicUrl])
    assert.equal((await visitor(ann).request(text)).status, 410, text);
  made.now += visitMs - 1;
  assert.equal((await visitor(ann).request(url)).status, 200);
  made.now += 1;
  assert.equal((await visitor(ann).request(url)).status, 410);
});

test('nothing personal can be read in a link, in whatever spelling [elicit-048]', async () => {
  const url = await scene().invite({ scopes: ['secret-scope'] });
  const sealed = new URL(url).searchParams.get('visit') ?? '';
  const texts = [
    url,
    ...['base64', 'base64url', 'hex'].map((by) => Buffer.from(sealed, by as 'hex').toString('latin1')),
  ];
  for (const text of texts) assert.doesNotMatch(text, /\bann\b|login\.example|secret-scope|files\b.*files/);
});

test('a form of another site, of another browser or without its token is shown again', async () => {
  const { party, visitor, invite } = scene();
  const person = visitor(ann);
  const url = await invite();
  const page = await person.request(url);
  const { 'sec-fetch-site': _, ...unsaid } = typed;
  const attempts = [
    { headers: crossSite },
    { headers: { ...typed, 'sec-fetch-site': 'same-site' } },
    { headers: typed },
    { headers: unsaid },
    { headers: { ...unsaid, origin: 'https://evil.example' } },
    { headers: { ...unsaid, origin: 'null' } },
    { form: { token: '' } },
    { form: { token: fieldsOf(page)['visit'] ?? '' } },
    { form: { answer: 'else' } },
  ];
  for (const attempt of attempts) {
    const again = await person.answer(page, url, 'approve', attempt);
    assert.deepEqual([again.status, again.title], [403, 'Connect Files?'], JSON.stringify(attempt));
  }
  // The cookie of the form is another one's.
  const elsewhere = visitor(ann);
  await elsewhere.request(url);
  assert.equal((await elsewhere.answer(page, url, 'approve')).status, 403);
  elsewhere.cookies.delete('__Host-parley-consent');
  assert.equal((await elsewhere.answer(page, url, 'approve')).status, 403);
  // The token is that of another visit.
  const second = await invite();
  const { token = '' } = fieldsOf(await person.request(second));
  assert.equal((await person.answer(page, url, 'approve', { form: { token } })).status, 403);
  assert.equal(party.begun, 0);
  // An old browser says where the form is from all the same.
  const { origin } = new URL(publicUrl);
  assert.equal((await person.answer(page, url, 'approve', { headers: { ...unsaid, origin } })).status, 200);
});

test('a page is shown by itself alone, and allows nothing', async () => {
  const { visitor, invite } = scene();
  const person = visitor(ann);
  const url = await invite();
  const { headers } = await person.request(url);
  const policy = headers.get('content-security-policy') ?? '';
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"])
    assert.ok(policy.includes(rule), rule);
  assert.equal(headers.get('x-frame-options'), 'DENY');
  assert.equal(headers.get('cache-control'), 'no-store');
  for (const cookie of headers.getSetCookie())
    assert.match(cookie, /^__Host-parley-consent=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
  for (const destination of ['iframe', 'frame', 'object', 'embed', 'empty', 'image'])
    assert.equal((await person.request(url, { headers: { ...typed, 'sec-fetch-dest': destination } })).status, 403);
  assert.equal((await person.request(url, { headers: { ...typed, 'sec-purpose': 'prefetch;prerender' } })).status, 403);
});

test('what names hold is shown as text', async () => {
  const { visitor, invite } = scene({ name: `<script>alert('x')</script>` });
  const page = await visitor(ann).request(await invite({ by: '"><img src=x>\u202e', scopes: ['<b>all</b>'] }));
  assert.doesNotMatch(page.text, /<script|<img|\u202e|<b>all/);
  assert.ok(page.text.includes('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;'));
  assert.ok(page.text.includes('&quot;&gt;&lt;img src=x&gt;?'));
  assert.ok((await invite({ by: 'x'.repeat(100_000) })).length < 1000);
});

test('who agreed before is not asked again, unless another site led there or it is about more', async () => {
  const { consent, visitor, invite } = scene();
  const person = visitor(ann);
  const first = await invite();
  await person.answer(await person.request(first), first, 'approve');
  for (const headers of [typed, ownForm]) assert.ok((await person.request(await invite(), { headers })).onward);
  const { 'sec-fetch-site': _, ...unsaid } = typed;
  for (const headers of [crossSite, unsaid, { ...typed, 'sec-fetch-site': 'same-site' }])
    assert.equal((await person.request(await invite(), { headers })).title, 'Connect Files?');
  assert.equal((await person.request(await invite({ scopes: ['read', 'write'] }))).title, 'Connect Files?');
  assert.equal((await visitor(bob).request(await invite({ principal: bob }))).title, 'Connect Files?');
  await consent.forget(ann, 'files');
  assert.equal((await person.request(await invite())).title, 'Connect Files?');
});

test('an answer counts in the browser that was sent, once, and in time', async () => {
  const made = scene();
  const { party, visitor, invite } = made;
  const person = visitor(ann);
  const url = await invite();
  const { onward } = await person.answer(await person.request(url), url, 'approve');
  const names = [...person.cookies.keys()].filter((name) => name.startsWith('__Host-parley-state-'));
  assert.equal(names.length, 1);
  // No other browser has the cookie, also that of the same person; nor does another state.
  const stranger = visitor(ann);
  assert.equal((await stranger.request(callbackOf(onward))).title, 'Nothing is awaited here');
  const forged = [
    `${publicUrl}/callback`,
    `${callbackOf(onward)}&state=other`,
    `${callbackOf(onward)}x`.replace('state=state-', 'state=other-'),
  ];
  for (const callback of forged) assert.equal((await person.request(callback)).status, 400, callback);
  // The cookie under the name of another state is none of it.
  stranger.cookies.set('__Host-parley-state-other', person.cookies.get(names[0] ?? '') ?? '');
  assert.equal((await stranger.request(`${publicUrl}/callback?state=other&code=x`)).status, 400);
  // Somebody else signed in meanwhile.
  const swapped = visitor(bob);
  for (const name of names) swapped.cookies.set(name, person.cookies.get(name) ?? '');
  assert.equal((await swapped.request(callbackOf(onward))).title, 'This link is for another user');
  assert.deepEqual(party.finished, []);
  const kept = new Map(person.cookies);
  assert.equal((await person.request(callbackOf(onward))).title, 'Connected');
  assert.deepEqual(
    [...person.cookies.keys()].filter((name) => name.includes('parley-state')),
    [],
  );
  for (const [name, value] of kept) person.cookies.set(name, value);
  assert.equal((await person.request(callbackOf(onward))).title, 'This link was used');
  assert.equal(party.finished.length, 1);
  const late = await invite();
  const sent = await person.request(late);
  made.now += visitMs;
  assert.equal((await person.request(callbackOf(sent.onward))).title, 'Nothing is awaited here');
  assert.equal(party.finished.length, 1);
});

test('a session that other sites do not bring along is that of the browser that agreed', async () => {
  const { visitor, invite } = scene();
  const person = visitor(ann);
  const url = await invite();
  const { onward } = await person.answer(await person.request(url), url, 'approve');
  person.cookies.delete('session');
  assert.equal((await person.request(callbackOf(onward), { headers: crossSite })).title, 'Connected');
});

test('a failure is told to the program, and the page says no more than that', async () => {
  const { party, visitor, invite, errors, outcome } = scene();
  const person = visitor(ann);
  const visit = async (): Promise<readonly [string | undefined, string]> => {
    const url = await invite();
    const waiting = outcome(url);
    const sent = await person.request(url);
    const page =
      sent.onward === undefined && sent.title === 'Connect Files?' ? await person.answer(sent, url, 'approve') : sent;
    const last = page.onward === undefined ? page : await person.request(callbackOf(page.onward));
    return [last.title, await waiting];
  };
  party.failure = new AuthorizationError('denied', 'the person said no');
  assert.deepEqual(await visit(), ['Nothing was connected', 'declined']);
  assert.deepEqual(errors, []);
  party.failure = new Error('<b>a secret of the authorization server</b>');
  assert.deepEqual(await visit(), ['Nothing was connected', 'failed']);
  party.refusal = new Error('nobody there');
  assert.deepEqual(await visit(), ['Nothing was connected', 'failed']);
  assert.deepEqual(errors, [party.failure, party.refusal]);
  for (const text of person.seen) assert.doesNotMatch(text, /a secret of|nobody there/);
});

test('who waits hears that nobody came', async () => {
  const made = scene();
  const url = await made.invite();
  const visit = await made.consent.visitOf(url);
  assert.ok(visit);
  made.now += visitMs + 1;
  assert.equal(await made.consent.outcome(visit, new AbortController().signal), 'over');
  const controller = new AbortController();
  made.now -= visitMs + 1;
  const waiting = made.consent.outcome(visit, controller.signal);
  controller.abort(new Error('nobody waits'));
  await assert.rejects(waiting, /nobody waits/);
});

test('processes that share store and keys share the visits', async () => {
  const shared = { store: memoryCredentialStore(), keys: [new Uint8Array(32).fill(7)] };
  const [one, other] = [scene(shared), scene(shared)];
  const url = await one.invite();
  const waiting = one.outcome(url);
  let turn = 0;
  const person = new PageVisitor((request) => (turn++ % 2 === 0 ? other : one).consent.handle(request), ann);
  const { onward } = await person.answer(await person.request(url), url, 'approve');
  assert.equal((await person.request(callbackOf(onward))).title, 'Connected');
  assert.equal(other.party.finished.length, 1);
  assert.equal(await waiting, 'granted');
});

test('other paths and methods are nobody’s, and bodies have a limit', async () => {
  const { consent, visitor, invite } = scene();
  const url = await invite();
  for (const path of [
    'https://mcp.example.com/',
    'https://mcp.example.com/connect/filesystem',
    `${publicUrl}/callback/x`,
  ])
    assert.equal(consent.handle(new Request(path)), undefined, path);
  const person = visitor(ann);
  assert.equal((await person.request(url, { method: 'PUT' })).status, 405);
  assert.equal((await person.request(`${publicUrl}/callback`, { method: 'POST', form: {} })).status, 405);
  const page = await person.request(url);
  assert.equal((await person.answer(page, url, 'approve', { form: { more: 'x'.repeat(20_000) } })).status, 400);
  assert.equal(
    (await person.request(url, { method: 'POST', headers: { ...ownForm, 'content-type': 'text/plain' } })).status,
    400,
  );
});

test('what is kept of visits is deleted when nobody can take it up any more', async () => {
  const store = memoryCredentialStore();
  const made = scene({ store });
  const person = made.visitor(ann);
  const url = await made.invite();
  await person.answer(await person.request(url), url, 'decline');
  assert.equal((await store.keys('login')).length, 1);
  made.now += 2 * visitMs;
  await made.invite();
  assert.equal((await store.keys('login')).length, 1);
  made.now += 2 * visitMs;
  await made.invite();
  // It looks beside the invitation.
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await store.keys('login'), []);
});
