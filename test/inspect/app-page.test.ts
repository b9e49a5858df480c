/** An app in a real browser: it does what it may, and tries in vain what it may not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { appServer } from '../support/app-server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, rowsOf, served } from '../support/inspected.ts';
import { stuckAfterMs } from '../support/stuck.ts';

const skip = noBrowser;

/** The frame of the app, once it says that it is ready. */
async function appIn(page: Page): Promise<Frame> {
  const signal = AbortSignal.timeout(stuckAfterMs);
  for (;;) {
    signal.throwIfAborted();
    const frame = page.frames().find((one) => /^http:\/\/[^/]+\/app\//.test(one.url()));
    if (frame !== undefined && /ready/.test((await frame.locator('#seen').textContent()) ?? '')) return frame;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test(
  'an app: its source first, then itself, with the call it is for; what it may not do is refused',
  { skip },
  async (t) => {
    const opened: string[] = [];
    const openPage = (url: string): Promise<void> => {
      opened.push(url);
      return Promise.resolve();
    };
    const { server, called } = appServer();
    const { page, scene, choose, accessible } = await openInspect(
      t,
      [planAt(await served(t, server))],
      {},
      { openPage },
    );
    await choose('tools', 'show');
    await page.getByLabel('city').fill('Oslo');
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    const app = page.getByRole('region', { name: 'App' });
    await page.getByRole('region', { name: 'Result' }).getByText('sunny in Oslo').waitFor();
    await app.getByRole('button', { name: 'Show its source' }).click();
    await app.getByText('https://api.example.com').waitFor();
    assert.equal(await page.locator('iframe').count(), 0);
    assert.match((await app.getByLabel('Source of the app').textContent()) ?? '', /<h1>The app<\/h1>/);
    await app.getByText('camera: not given').waitFor();
    await accessible('the source of an app');
    await app.getByRole('checkbox', { name: /Allow https:\/\/api\.example\.com for requests/ }).check();
    await app.getByRole('button', { name: 'Run the app' }).click();
    const frame = await appIn(page);
    const seen = (await frame.locator('#seen').textContent()) ?? '';
    assert.match(seen, /^theme light, tool show, tools true$/m);
    assert.match(seen, /ui\/notifications\/tool-input \{"arguments":\{"city":"Oslo"\}\}/);
    assert.match(seen, /ui\/notifications\/tool-result \{.*sunny in Oslo/);
    assert.match(seen, /^for apps: .*refreshed/m);
    assert.match(seen, /^for models: \{"refused":".*not for apps/m);
    assert.match(seen, /^another: \{"refused":"there is no own\/method/m);
    assert.match(seen, /^page: SecurityError$/m);
    assert.match(seen, /^storage: SecurityError$/m);
    assert.match(seen, /^fetch: TypeError$/m);
    assert.match(seen, /^process: TypeError$/m);
    assert.match(seen, /^origin null$/m);
    assert.deepEqual(called, ['show', 'refresh']);
    assert.equal(await app.locator('iframe').getAttribute('height'), '333');
    for (const { tag, sandbox } of await sandboxes(page))
      assert.deepEqual([tag, sandbox], ['IFRAME', 'allow-scripts allow-forms']);

    await frame.locator('#link').click();
    const asked = app.getByRole('region', { name: 'The app wants to open a page' });
    assert.equal(await asked.locator('b').textContent(), 'example.com');
    await accessible('an app that runs, and asks');
    assert.deepEqual(opened, []);
    await asked.getByRole('button', { name: 'Refuse' }).click();
    await frame.getByText('does not want to open it').waitFor();
    await frame.locator('#link').click();
    await asked.getByRole('button', { name: 'Open it' }).click();
    await frame.getByText('link: {}').waitFor();
    assert.deepEqual(opened, ['https://example.com/there?x=1']);
    await frame.locator('#bad').click();
    await frame.getByText('addresses of the web alone').waitFor();
    assert.equal(await asked.count(), 0);

    await page.emulateMedia({ colorScheme: 'dark' });
    await frame.getByText('ui/notifications/host-context-changed {"theme":"dark"}').waitFor();

    await frame.locator('#pop').click();
    await frame.getByText('pop: "null"').waitFor();
    await frame.locator('#send').click();
    assert.equal(page.context().pages().length, 1);
    await app.getByRole('button', { name: 'End the app' }).click();
    await app.getByRole('button', { name: 'Run the app' }).waitFor();
    const rows = rowsOf(scene).filter(({ lane }) => lane === 'app');
    for (const what of [
      'ui/initialize',
      'ui/notifications/tool-result',
      'tools/call',
      'ui/open-link',
      'ui/resource-teardown',
    ])
      assert.ok(
        rows.some((row) => row.what === what),
        what,
      );
  },
);

/** The sandbox of the frame around the app, and of the app itself. */
async function sandboxes(page: Page): Promise<readonly { readonly tag: string; readonly sandbox: string }[]> {
  const found: { tag: string; sandbox: string }[] = [];
  for (const frame of page.frames()) {
    if (frame.parentFrame() === null) continue;
    const element = await frame.frameElement();
    found.push({ tag: 'IFRAME', sandbox: (await element.getAttribute('sandbox')) ?? '' });
  }
  if (found.length !== 2) throw new Error(`${found.length} frames`);
  return found;
}

test('an app does not leave its frame, and another window is not heard in its place', { skip }, async (t) => {
  const { server, called } = appServer();
  const { page, choose } = await openInspect(t, [planAt(await served(t, server))]);
  await page.getByRole('tab', { name: /Resources/ }).click();
  await choose('resources', 'dashboard');
  const app = page.getByRole('region', { name: 'App' });
  await app.getByRole('button', { name: 'Show its source' }).click();
  await app.getByRole('button', { name: 'Run the app' }).click();
  const frame = await appIn(page);
  const before = called.length;
  // The page says to itself what only its app may say.
  await page.evaluate(
    'window.postMessage({ jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "refresh", arguments: {} } }, "*")',
  );
  await frame.locator('#leave').click();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(called.length, before);
  for (const one of page.frames()) assert.doesNotMatch(one.url(), /evil/);
});

test('an address names an app: it is filled in by anybody, and runs with the token alone', { skip }, async (t) => {
  const { server, called } = appServer();
  const { page, scene } = await openInspect(t, []);
  const url = await served(t, server);
  const open = async (query: Readonly<Record<string, string>>): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${scene.origin}/?${String(new URLSearchParams(query))}#${scene.token}`);
  };
  const wish = { serverUrl: url, openApp: 'show', appArgs: '{"city":"Oslo"}' };
  await open({ ...wish, autoConnect: scene.token, autoOpen: 'what-a-stranger-guesses' });
  await page.getByRole('heading', { name: 'show' }).waitFor();
  assert.equal(await page.getByLabel('city').inputValue(), 'Oslo');
  assert.deepEqual(called, []);
  await open({ openApp: 'show', appArgs: '{"city":"Bern"}', autoOpen: scene.token });
  const frame = await appIn(page);
  assert.match((await frame.locator('#seen').textContent()) ?? '', /tool-result \{.*sunny in Bern/);
  assert.deepEqual(called, ['show', 'refresh']);
  assert.equal(new URL(page.url()).search, '');
  await open({ openApp: 'show', appArgs: 'nonsense' });
  await page.getByText('no JSON object').waitFor();
});
