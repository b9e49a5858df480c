/** A person signs in with a real browser: from a page of an application, at the pages of a real authorization server. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { start } from '../support/cli-process.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import { browserContext, noChromium, signIn } from '../support/chromium.ts';
import { guardedBridge } from '../support/guarded-bridge.ts';
import { guardedServer } from '../support/guarded-server.ts';
import { authorizationServer, type AuthorizationServer } from '../support/oidc-provider.ts';
import { machineWithPerson } from '../support/page-opener.ts';
import { servedPage, type ServedPage } from '../support/page-server.ts';

interface Scene {
  readonly as: AuthorizationServer;
  readonly context: BrowserContext;
  readonly served: ServedPage;
}

async function scene(t: TestContext): Promise<Scene> {
  const [as, served, context] = await Promise.all([authorizationServer(t), servedPage(t), browserContext(t)]);
  served.serveFor((await guardedServer(t, as.issuer, { allowedOrigins: [served.origin] })).url);
  return { as, context, served };
}

async function opened(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** What the page says when it no longer waits. */
async function said(page: Page): Promise<string> {
  return (
    (await page
      .locator('#said')
      .filter({ hasNotText: /^(?:waiting)?$/ })
      .textContent()) ?? ''
  );
}

async function popupOf(page: Page, button: string): Promise<Page> {
  const [window] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: button }).click()]);
  return window;
}

describe('a page in a browser', { skip: noChromium }, () => {
  test('signs in by a window of its own, and calls a tool', async (t) => {
    const { as, context, served } = await scene(t);
    const page = await opened(context, served.url('popup'));
    const window = await popupOf(page, 'Call');
    const closed = window.waitForEvent('close');
    await signIn(window);
    await closed;
    assert.equal(await said(page), 'called as ann');
    assert.deepEqual(
      as.tokenRequests.map(({ grantType, error }) => [grantType, error]),
      [['authorization_code', undefined]],
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('signed out').waitFor();
  });

  test('signs in by leaving the page, and goes on when it is back', async (t) => {
    const { as, context, served } = await scene(t);
    const url = served.url('page');
    const page = await opened(context, url);
    await page.getByRole('button', { name: 'Call' }).click();
    await signIn(page);
    assert.equal(await said(page), 'called as ann');
    assert.equal(page.url(), url, 'nothing of the answer is left in the address');
    // What was granted outlives the page.
    await page.reload();
    await page.getByRole('button', { name: 'Call' }).click();
    assert.equal(await said(page), 'called as ann');
    assert.deepEqual(
      as.tokenRequests.map(({ grantType }) => grantType),
      ['authorization_code'],
    );
  });

  test('asks a person once where two tabs want the same', async (t) => {
    const { as, context, served } = await scene(t);
    const url = served.url('popup');
    const [one, other] = await Promise.all([opened(context, url), opened(context, url)]);
    const window = await popupOf(one, 'Call');
    let more = 0;
    context.on('page', () => more++);
    await other.getByRole('button', { name: 'Call' }).click();
    await signIn(window);
    assert.deepEqual(await Promise.all([said(one), said(other)]), ['called as ann', 'called as ann']);
    assert.equal(more, 0);
    assert.deepEqual(
      as.tokenRequests.map(({ grantType }) => grantType),
      ['authorization_code'],
    );
  });

  test('is told that the window was closed', async (t) => {
    const { as, context, served } = await scene(t);
    const page = await opened(context, served.url('popup'));
    const window = await popupOf(page, 'Call');
    await window.getByPlaceholder('Enter any login').waitFor();
    await window.close();
    assert.match(await said(page), /^denied: the window to sign in at \S+ was closed/);
    // Another try is not kept waiting.
    await signIn(await popupOf(page, 'Call'));
    await page.getByText('called as ann').waitFor();
    assert.equal(as.tokenRequests.length, 1);
  });

  for (const way of ['popup', 'page'] as const)
    test(`is told that the person declined (${way})`, async (t) => {
      const { as, context, served } = await scene(t);
      const page = await opened(context, served.url(way));
      if (way === 'popup') await signIn(await popupOf(page, 'Call'), { consent: 'deny' });
      else {
        await page.getByRole('button', { name: 'Call' }).click();
        await signIn(page, { consent: 'deny' });
      }
      assert.match(await said(page), /^denied: .*access_denied/);
      assert.deepEqual(as.tokenRequests, []);
    });

  test('has a button clicked where the browser opens no window', async (t) => {
    const { context, served } = await scene(t);
    // Whoever drives a browser counts as a person who has just clicked, so that it would open one.
    await context.addInitScript('const { open } = window; window.open = () => ((window.open = open), null)');
    const page = await opened(context, `${served.url('popup')}#call`);
    await page.getByRole('button', { name: 'Go on' }).waitFor();
    await signIn(await popupOf(page, 'Go on'));
    assert.equal(await said(page), 'called as ann');
  });

  test('binds tokens to a key that no script can take away [auth-152]', async (t) => {
    const { context, served } = await scene(t);
    const page = await opened(context, served.url('popup', { dpop: true }));
    await signIn(await popupOf(page, 'Call'));
    assert.equal(await said(page), 'called as ann');
    const extractable = await page.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('parley-credentials');
      opening.onerror = reject;
      opening.onsuccess = () => {
        const all = opening.result.transaction('key-pairs').objectStore('key-pairs').getAll();
        all.onsuccess = () => resolve(all.result.map(({ privateKey }) => privateKey.extractable));
      };
    })`);
    assert.deepEqual(extractable, [false]);
  });

  test('cannot be led elsewhere by the page at which a person signs in', async (t) => {
    const { context, served } = await scene(t);
    const page = await opened(context, served.url('popup'));
    const window = await popupOf(page, 'Call');
    await window.getByPlaceholder('Enter any login').waitFor();
    assert.equal(await window.evaluate('window.opener === null'), true);
  });
});

describe('a guarded bridge, with a browser', { skip: noChromium }, () => {
  test('has each person sign in at the server behind it, and lets the call go on', async (t) => {
    const [as, context] = await Promise.all([authorizationServer(t), browserContext(t)]);
    const { as: connectAs, front } = await guardedBridge(t, {
      up: '2025-11-25',
      upstreamAuth: (origin) => ({
        as: 'per-principal',
        name: 'The Files',
        publicUrl: `${origin}/sign-in`,
        sessionOf: ({ headers }) => (headers.get('cookie')?.includes('site=ann') === true ? annAtIssuer : undefined),
      }),
      guardUpstream: (server, resource) => protect(server, { resource, issuers: [as.issuer], scopes: ['read'] }),
    });
    const annAtIssuer = JSON.stringify(['https://issuer.test', 'ann']);
    const page = await context.newPage();
    const headings: (string | null)[] = [];
    const heading = async (): Promise<void> => void headings.push(await page.locator('h1').textContent());
    const client = await connectAs('ann', '2026-07-28', {
      async onElicitUrl({ url }) {
        // Nobody is signed in at the site yet.
        await page.goto(url);
        await heading();
        await context.addCookies([{ name: 'site', value: 'ann', url: front.url }]);
        await page.goto(url);
        await heading();
        await page.getByRole('button', { name: 'Go on' }).click();
        await signIn(page);
        await page.getByText('Connected').waitFor();
        await heading();
        return { action: 'accept' };
      },
    });
    const { content } = await client.callTool('whoami', {});
    assert.deepEqual(content, [{ type: 'text', text: 'ann' }]);
    assert.deepEqual(headings, ['Sign in first', 'Connect The Files?', 'Connected']);
    assert.ok(as.tokenRequests.every(({ error }) => error === undefined));
    // Nothing of the way is left that somebody else at this browser could use.
    const cookies = (await context.cookies()).map(({ name }) => name).filter((name) => name.startsWith('parley-state'));
    assert.deepEqual(cookies, []);
  });
});

describe('the command line, with a browser', { skip: noChromium }, () => {
  test('has a person sign in, and shows a page at the end', async (t) => {
    const as = await authorizationServer(t);
    const server = await guardedServer(t, as.issuer);
    const machine = await machineWithPerson(t, { absent: true });
    const page = await (await browserContext(t)).newPage();
    const running = start(['login', server.url], machine.env);
    await page.goto(await running.said(/http:\S+\/auth\?\S+/));
    await signIn(page);
    await page.getByRole('heading', { name: 'Back to your program' }).waitFor();
    const shown = process.env['PARLEY_SCREENSHOT'];
    if (shown !== undefined) await page.screenshot({ path: shown });
    const ran = await running.ended;
    assert.equal(ran.code, 0, ran.stderr);
    // Nothing of the answer is in the page; the address is the one thing that a browser keeps of it.
    const text = await page.content();
    for (const secret of as.secrets) assert.ok(!text.includes(secret));
  });
});
