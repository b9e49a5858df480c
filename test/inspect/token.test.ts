/** The token of a run: where it is, and where it is not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { inspecting, planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

test('the token of a run is kept by its tab alone, which may be loaded anew', { skip }, async (t) => {
  const plans = [planAt(await served(t, createExampleServer()))];
  const { page, scene } = await openInspect(t, plans, { isFirstVisit: true });
  const another = await inspecting(t, []);
  // 256 bits, for each run anew.
  assert.equal(Buffer.from(scene.token, 'base64url').length, 32);
  assert.notEqual(scene.token, another.token);
  const tools = page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row');
  await tools.first().waitFor();
  const kept = (): Promise<unknown> =>
    page.evaluate(`({ address: location.href, cookie: document.cookie, local: JSON.stringify(localStorage),
      html: document.documentElement.outerHTML.includes(${JSON.stringify(scene.token)}),
      tab: Object.values(sessionStorage).includes(${JSON.stringify(scene.token)}) })`);
  const alone = { address: `${scene.origin}/#/A/tools`, cookie: '', local: '{}', html: false, tab: true };
  assert.deepEqual(await kept(), alone);
  await page.reload();
  await tools.first().waitFor();
  assert.deepEqual(await kept(), alone);
  // Another tab has none, and is told what to do.
  const other = await page.context().newPage();
  await other.goto(scene.origin);
  await other.getByRole('alert').getByText('open the address that parley inspect printed').waitFor();
  assert.equal(await other.getByRole('grid', { name: 'tools', exact: true }).count(), 0);
  await other.close();
});

test('the address that a program opens has no token, and is good once', { skip }, async (t) => {
  const said: string[] = [];
  const misused = (what: string): void => void said.push(what);
  const plans = [planAt(await served(t, createExampleServer()))];
  const { page, scene } = await openInspect(t, plans, {}, { misused });
  const tools = (one: typeof page): Promise<void> =>
    one.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  const opened = scene.opening();
  assert.ok(!opened.includes(scene.token));
  const own = await page.context().newPage();
  await own.goto(opened);
  await tools(own);
  assert.equal(own.url(), `${scene.origin}/#/A/tools`);
  await own.reload();
  await tools(own);
  // Somebody read it, and comes too late: the person has to come by what was printed to them alone.
  const late = await page.context().newPage();
  await late.goto(opened);
  for (const one of [late, own])
    await one.getByRole('alert').getByText('open the address that parley inspect').waitFor();
  assert.deepEqual(said.length, 1);
  await late.close();
  await own.goto(scene.url);
  await tools(own);
  await own.close();
  await page.reload();
  await tools(page);
});

test(
  'a tab that came by a code is opened anew by what was printed, which it is given as an address',
  { skip },
  async (t) => {
    const url = await served(t, createExampleServer());
    const { page, scene } = await openInspect(t, [planAt(url)]);
    const own = await page.context().newPage();
    await own.goto(scene.opening());
    const servers = own.getByRole('navigation', { name: 'Servers' });
    await servers.getByRole('region', { name: 'Server A' }).waitFor();
    const wish = (token: string): string =>
      `${scene.origin}/?serverUrl=${encodeURIComponent(url)}&autoConnect=${encodeURIComponent(token)}`;
    // Whoever wrote this does not know the token, and fills a field.
    await own.goto(wish('A'.repeat(43)));
    await own.getByLabel('Add an address').waitFor();
    assert.equal(await own.getByLabel('Add an address').inputValue(), url);
    assert.equal(await servers.getByRole('region', { name: 'Server B' }).count(), 0);
    await own.goto(wish(scene.token));
    await servers.getByRole('region', { name: 'Server B' }).getByText('connected').waitFor();
    assert.match(own.url(), /^http:\/\/127\.0\.0\.1:\d+\/#\/[AB]\/tools$/);
    // Somebody else used the code: the page says what to do, and it is done in this tab.
    const late = await page.context().newPage();
    await late.goto(scene.opening());
    const alert = own.getByRole('alert').getByText('open the address that parley inspect printed');
    await alert.waitFor();
    await late.close();
    // It is the same address but for the fragment, of which a browser says nothing to who does not listen.
    await own.evaluate(`location.href = ${JSON.stringify(scene.url)}`);
    await alert.waitFor({ state: 'detached' });
    await servers.getByRole('region', { name: 'Server B' }).waitFor();
    assert.equal(own.url(), `${scene.origin}/#/A/tools`);
    await own.close();
  },
);

test('what is hidden in a message is shown by a key, and hidden again', { skip }, async (t) => {
  const plans = [planAt(await served(t, createExampleServer()))];
  const { page } = await openInspect(t, plans, {}, { revision: '2025-11-25' });
  const rows = page.getByRole('grid', { name: 'Messages' }).getByRole('row');
  await rows
    .filter({ hasText: /result of tools\/list/ })
    .first()
    .waitFor();
  await rows
    .filter({ hasText: /^.*→.*tools\/list/ })
    .first()
    .click();
  const pane = page.getByRole('complementary');
  await pane.getByRole('button', { name: 'HTTP' }).click();
  const session = pane.locator('.facts > div').filter({ hasText: 'mcp-session-id' });
  // The button says at once what was asked for; the message is asked for anew.
  const masked = session.filter({ hasText: '•••' });
  const shown = session.filter({ hasNotText: '•••' });
  await pane.getByRole('button', { name: 'Show what is hidden' }).waitFor();
  await masked.waitFor();
  await page.keyboard.press('m');
  await pane.getByRole('button', { name: 'Hide secrets' }).waitFor();
  await shown.waitFor();
  // It is one message, however it is looked at.
  await pane.getByRole('button', { name: 'Message', exact: true }).click();
  await page.keyboard.press('m');
  await pane.getByRole('button', { name: 'Show what is hidden' }).waitFor();
  await pane.getByRole('button', { name: 'HTTP' }).click();
  await masked.waitFor();
});
