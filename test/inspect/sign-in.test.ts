/** A server that wants somebody to be signed in, in the page: nobody is asked before they click. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { start } from '../../src/cli/child.test.ts';
import type { EntryView, FeedLine, RowView, ServerView, SignInStepView } from '../../src/inspect/view.ts';
import { scene } from '../support/command-line-scene.ts';
import { AuthorizationError } from '../../src/auth/errors.ts';
import { createExampleServer } from '../../src/cli/example/server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { noPage, planAt, served } from '../support/inspected.ts';
import type { Machine } from '../support/page-opener.ts';

/** A process of `parley inspect` before a server, with a page that hears it. */
interface Inspected {
  readonly lines: readonly FeedLine[];
  post(verb: string, body?: object): Promise<Response>;
  becomes(is: (view: ServerView) => boolean): Promise<ServerView>;
}

async function inspected(t: TestContext, machine: Machine, url: string): Promise<Inspected> {
  const running = start(['inspect', '--no-open', url], machine.env);
  t.after(async () => {
    running.child.kill('SIGTERM');
    await running.ended;
  });
  const address = new URL(await running.said(/at (http:\S+)/));
  const headers = { authorization: `Bearer ${address.hash.slice(1)}`, 'content-type': 'application/json' };
  const post = (verb: string, body: object = {}): Promise<Response> =>
    fetch(`${address.origin}/api/${verb}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const lines: FeedLine[] = [];
  const heard = new EventTarget();
  const feed = await post('feed');
  void (async () => {
    let rest = '';
    for await (const piece of feed.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (rest + piece).split('\n');
      rest = parts.pop() ?? '';
      // The process writes nothing else.
      for (const part of parts) lines.push(JSON.parse(part) as FeedLine);
      heard.dispatchEvent(new Event('line'));
    }
  })().catch(() => {});
  const becomes = async (is: (view: ServerView) => boolean): Promise<ServerView> => {
    const signal = AbortSignal.timeout(50_000);
    for (;;) {
      const last = lines.findLast((line) => line.kind === 'server');
      if (last !== undefined && is(last.server)) return last.server;
      await once(heard, 'line', { signal });
    }
  };
  return { lines, post, becomes };
}

test(
  'a guarded server is signed in to by a click, its requests are shown, and it is signed out of',
  { skip: noPage },
  async (t) => {
    const { as, server, machine } = await scene(t);
    const { lines, post, becomes } = await inspected(t, machine, server.url);
    const refused = await becomes(({ state }) => state === 'failed');
    assert.deepEqual([refused.wantsSignIn, refused.isSignedIn], [true, false]);
    assert.match(refused.advice ?? '', /Sign in/);
    assert.deepEqual(await machine.opened(), []);
    await (await post('connect', { server: 'A', asks: true })).text();
    const connected = await becomes(({ state }) => state === 'connected');
    assert.equal(connected.isSignedIn, true);
    assert.equal((await machine.opened()).length, 1);
    const rows: readonly RowView[] = lines.flatMap((line) => (line.kind === 'rows' ? line.rows : []));
    const asked = rows.filter(({ lane, from }) => lane === 'auth' && from === 'client').map(({ what }) => what);
    for (const part of ['oauth-protected-resource', 'oauth-authorization-server', 'token'])
      assert.ok(
        asked.some((what) => what.includes(part)),
        `${part} among ${asked.join(', ')}`,
      );
    const entries: EntryView[] = [];
    for (const { n } of rows) entries.push((await (await post('entry', { n, reveal: true })).json()) as EntryView);
    const told = JSON.stringify([lines, entries]);
    assert.ok(as.secrets.size > 0);
    for (const secret of as.secrets) assert.ok(!told.includes(secret), 'a secret is shown');
    await (await post('sign-out', { server: 'A' })).text();
    await (await post('connect', { server: 'A' })).text();
    await becomes(({ state, wantsSignIn }) => state === 'failed' && wantsSignIn);
  },
);

/** The step that waits for the person. */
function waitingIn({ signIn = [] }: ServerView): SignInStepView | undefined {
  return signIn.find(({ state }) => state === 'waits');
}

/** Addresses that were asked about authorization. */
function askedIn(lines: readonly FeedLine[]): readonly string[] {
  return lines
    .flatMap((line) => (line.kind === 'rows' ? line.rows : []))
    .filter(({ lane, from }) => lane === 'auth' && from === 'client')
    .map(({ what }) => what);
}

test(
  'a sign-in that is paused sends no step before the person lets it go, however long they look',
  { skip: noPage },
  async (t) => {
    const { server, machine } = await scene(t);
    const { lines, post, becomes } = await inspected(t, machine, server.url);
    await becomes(({ wantsSignIn, canPause }) => wantsSignIn && canPause);
    await (await post('connect', { server: 'A', asks: true, pauses: true })).text();
    const parts: string[] = [];
    await becomes((view) => waitingIn(view) !== undefined);
    // The attempt without a person looked at metadata too, and rows come a little after views.
    await setTimeout(500);
    const before = askedIn(lines).length;
    let last = 0;
    for (;;) {
      const view = await becomes((now) => now.state === 'connected' || (waitingIn(now)?.id ?? 0) > last);
      const step = waitingIn(view);
      if (step === undefined) break;
      // Longer than an answer may take.
      if (step.part === 'metadata') await setTimeout(11_000);
      const requests = parts.filter((part) => part !== 'browser').length;
      assert.ok(askedIn(lines).length - before <= requests, `${step.part} waits, and was sent`);
      assert.equal((await machine.opened()).length, parts.includes('browser') ? 1 : 0);
      parts.push(step.part);
      last = step.id;
      assert.equal((await post('go-on', { server: 'A' })).status, 200);
    }
    assert.deepEqual([...new Set(parts)], ['challenge', 'metadata', 'issuer', 'registration', 'browser', 'token']);
    const { signIn = [] } = await becomes((now) => now.state === 'connected');
    assert.ok(signIn.some(({ part }) => part === 'code'));
    assert.deepEqual(new Set(signIn.map((step) => step.state)), new Set(['done']));
    assert.equal((await post('go-on', { server: 'A' })).status, 409);
  },
);

test('a paused sign-in that is given up sends nothing any more, and opens no page', { skip: noPage }, async (t) => {
  const { server, machine } = await scene(t);
  const { lines, post, becomes } = await inspected(t, machine, server.url);
  assert.equal((await post('go-on', { server: 'A' })).status, 409);
  await becomes(({ wantsSignIn }) => wantsSignIn);
  await (await post('connect', { server: 'A', asks: true, pauses: true })).text();
  for (const part of ['challenge', 'metadata', 'issuer', 'registration']) {
    await becomes((view) => waitingIn(view)?.part === part);
    await (await post('go-on', { server: 'A' })).text();
  }
  await becomes((view) => waitingIn(view)?.part === 'browser');
  const before = askedIn(lines).length;
  await (await post('disconnect', { server: 'A' })).text();
  const closed = await becomes(({ state }) => state === 'closed');
  assert.equal(closed.signIn, undefined);
  assert.equal((await post('go-on', { server: 'A' })).status, 409);
  assert.deepEqual([askedIn(lines).length, await machine.opened()], [before, []]);
});

test('a person at the page pauses a sign-in, reads its steps, and lets each go', { skip: noBrowser }, async (t) => {
  const plan = planAt(await served(t, createExampleServer()));
  let isSignedIn = false;
  const { page, accessible } = await openInspect(t, [
    {
      ...plan,
      reach: (settings) =>
        isSignedIn ? plan.reach(settings) : Promise.reject(new AuthorizationError('login-required', 'nobody is')),
      async signIn({ overheard, beforePage, signal }) {
        const ask = overheard(() => Promise.resolve({ status: 200, headers: { get: () => null }, body: null }));
        const request = { method: 'GET', headers: {}, redirect: 'manual', credentials: 'omit', signal } as const;
        await ask('https://as.example/.well-known/oauth-authorization-server', request);
        await beforePage();
        isSignedIn = true;
      },
      signOut: () => Promise.resolve(),
    },
  ]);
  const card = page.getByRole('region', { name: 'Server A' });
  await card.getByLabel('Pause at each step').check();
  await card.getByRole('button', { name: 'Sign in' }).click();
  await card.getByText('issuer, waits').waitFor();
  await accessible('a paused sign-in');
  await card.getByRole('button', { name: 'Go on' }).click();
  await card.getByText('browser, waits').waitFor();
  assert.ok(await card.getByText('issuer, done').isVisible());
  assert.equal(isSignedIn, false);
  await card.getByRole('button', { name: 'Go on' }).click();
  await page.locator('.server[data-status="connected"]').waitFor();
});
