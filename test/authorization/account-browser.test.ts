/** A person connects an account with a real browser, at pages that are encrypted. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import type { Client } from '../../packages/parley/src/client.ts';
import { accountScene, textOf, type AccountScene } from '../support/account-server.ts';
import { certificate } from '../support/certificate.ts';
import { browserContext, noChromium, signIn } from '../support/chromium.ts';

const pem = noChromium === false ? certificate() : undefined;
const skip = noChromium || (pem === undefined && 'there is no openssl to make a certificate with');

interface BrowserScene {
  readonly scene: AccountScene;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly client: Client;
  /** What browsers complain of in our pages. */
  readonly complaints: string[];
  /** Calls a tool as ann, whose client cannot be asked: the result has the link. */
  link(): Promise<string>;
}

async function browserScene(t: TestContext): Promise<BrowserScene> {
  const scene = await accountScene(t, { tls: { key: pem ?? '', cert: pem ?? '' } });
  const context = await browserContext(t, { ignoreHTTPSErrors: true });
  const session = { name: 'session', value: 'ann', httpOnly: true, secure: true, sameSite: 'Lax' } as const;
  await context.addCookies([{ ...session, url: scene.publicUrl }]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && page.url().startsWith(scene.publicUrl)) complaints.push(message.text());
  });
  const client = await scene.client('ann', { revisions: ['2025-06-18'] });
  const link = async (): Promise<string> =>
    /https:\S+\?visit=[\w-]+/.exec(textOf(await client.callTool('mine'))[0])?.[0] ?? assert.fail('no link');
  return { scene, context, page, client, complaints, link };
}

/** The cookies of our pages that the browser has; those of other ports of this machine are beside them. */
async function ours(context: BrowserContext): Promise<readonly string[]> {
  const names = (await context.cookies()).map(({ name }) => name);
  return names.filter((name) => name.includes('parley'));
}

/** The visits of anybody to the third party's pages. */
function visits({ as }: AccountScene): readonly string[] {
  return as.requests.filter((request) => request.startsWith('GET /auth'));
}

/** Has another site show a page, which leads where it says. */
async function evilPage(context: BrowserContext, html: string): Promise<Page> {
  await context.route('https://evil.example/*', (route) => route.fulfill({ contentType: 'text/html', body: html }));
  const page = await context.newPage();
  await page.goto('https://evil.example/');
  return page;
}

describe('an account, with a browser', { skip }, () => {
  test('is connected by its person, who is asked again for more', async (t) => {
    const { context, page, client, complaints, link } = await browserScene(t);
    await page.goto(await link());
    await page.getByRole('heading', { name: 'Connect Third Party?' }).waitFor();
    const shown = process.env['PARLEY_SCREENSHOT'];
    if (shown !== undefined) await page.screenshot({ path: shown });
    assert.deepEqual(await ours(context), ['__Host-parley-consent']);
    await page.getByRole('button', { name: /^Go on to 127\.0\.0\.1/ }).click();
    await signIn(page);
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    assert.deepEqual(textOf(await client.callTool('mine')), ['ann, ann for openid', false]);
    assert.deepEqual(await ours(context), ['__Host-parley-consent']);
    assert.equal(textOf(await client.callTool('again'))[0], 'another for ann');
    const more =
      /https:\S+\?visit=[\w-]+/.exec(textOf(await client.callTool('more'))[0])?.[0] ?? assert.fail('no link');
    await page.goto(more);
    await page.getByRole('heading', { name: 'Connect Third Party?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Nothing was connected' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('is not connected from within another site’s page', async (t) => {
    const { context, link, scene } = await browserScene(t);
    const url = await link();
    const page = await evilPage(context, `<iframe src="${url}"></iframe>`);
    await page.waitForLoadState('load');
    const [, frame] = page.frames();
    assert.equal((await frame?.content().catch(() => ''))?.includes('Go on'), false);
    assert.deepEqual(visits(scene), []);
  });

  test('is not connected by a form of another site', async (t) => {
    const { context, page, link, scene } = await browserScene(t);
    const url = await link();
    await page.goto(url);
    const fields = await page
      .locator('input[type=hidden]')
      .evaluateAll((all) => all.map((one) => one.outerHTML).join(''));
    // It even has the token, which it cannot come by.
    const form = `<form method="post" action="${scene.publicUrl}">${fields}<button name="answer" value="approve">x</button></form>`;
    const evil = await evilPage(context, form);
    await evil.getByRole('button').click();
    // A browser brings the cookies of the session along to no form of another site.
    await evil.getByRole('heading', { name: 'Sign in first' }).waitFor();
    assert.deepEqual(visits(scene), []);
  });

  test('is asked for again where another site leads to the page', async (t) => {
    const { context, page, client, link, scene } = await browserScene(t);
    await page.goto(await link());
    await page.getByRole('button', { name: /^Go on/ }).click();
    await signIn(page);
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    await client.callTool('mine');
    // What is kept of the grant goes; what was agreed to stays.
    await scene.forgetGrants();
    const url = await link();
    const evil = await evilPage(context, `<a href="${url}">click</a>`);
    await evil.getByRole('link').click();
    await evil.getByRole('heading', { name: 'Connect Third Party?' }).waitFor();
    // By themselves they are led on at once, to the third party that knows them.
    await page.goto(url);
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
  });
});
