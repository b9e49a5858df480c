/** What is said of things that are over: requests that nobody answers, a process that ended, a page that failed. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { spawn } from '../../packages/parley/src/transports/stdio/client/transport.ts';
import { noBrowser, openInspect, type OpenPage } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';
import { oddServer } from '../support/odd-http-server.ts';

const skip = noBrowser;

/** A server with a tool that ends when it is cancelled. */
function slow(): Server {
  const server = createServer({ name: 'slow', version: '1' });
  server.tool('wait', {}, async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return 'given up';
  });
  return server;
}

/** Calls of a tool in the wire, and what is said of each. */
function callsOf(page: Page, tool: string): { readonly rows: Locator; said(): Promise<readonly string[]> } {
  const rows = page
    .getByRole('grid', { name: 'Messages' })
    .getByRole('row')
    .filter({ hasText: `tools/call ${tool}` });
  return { rows, said: async () => await rows.locator('.c-status').allTextContents() };
}

test('a request that was given up says so, and does not wait in a page that is loaded anew', { skip }, async (t) => {
  const plans = [planAt(await served(t, slow()))];
  const { page, choose } = await openInspect(t, plans, {}, { revision: '2025-11-25' });
  const { rows, said } = callsOf(page, 'wait');
  const call = async (count: number): Promise<void> => {
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    await rows.nth(count).getByText('waits').waitFor();
  };
  await choose('tools', 'wait');
  await call(0);
  await page.keyboard.press('.');
  await rows.first().getByText('given up').waitFor();
  await call(1);
  assert.deepEqual(await said(), ['given up', 'waits']);
  await page.reload();
  await rows.nth(1).getByText('waits').waitFor();
  assert.deepEqual(await said(), ['given up', 'waits']);
});

test(
  'a request whose server ended waits no more once there is another, also in a page that is loaded anew',
  { skip },
  async (t) => {
    const script = `process.stdin.on('data', (text) => String(text).split('\\n').filter(Boolean).forEach((line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'tools/call') process.exit(3);
    const results = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
      'tools/list': { tools: [{ name: 'end', inputSchema: { type: 'object' } }] },
    };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
  }))`;
    const plan = planAt('http://127.0.0.1:1', {
      kind: 'stdio',
      reach: ({ onStderr, killTimeoutMs }) =>
        Promise.resolve(spawn(process.execPath, ['-e', script], { onStderr, killTimeoutMs })),
    });
    const { page, choose } = await openInspect(t, [plan], {}, { revision: '2025-11-25' });
    const { rows, said } = callsOf(page, 'end');
    await choose('tools', 'end');
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    await rows.getByText('no answer').waitFor();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText(/exited with code 3/).waitFor();
    // The panel names the call that it died of, and not the answers before.
    const steps = await page.getByRole('region', { name: 'Failure' }).locator('li').allTextContents();
    assert.deepEqual(
      steps.map((step) => step.replaceAll(/[^\w ,/]|failed/g, '').trim()),
      ['asked tools/call end, and got no answer', 'the process ended with code 3'],
    );
    // The server said nothing, and so no error of the protocol.
    assert.match((await result.textContent()) ?? '', /^The request failed \(no JSON-RPC answer\)/);
    await page.getByRole('button', { name: 'Connect', exact: true }).first().click();
    await page
      .getByText(/^connected/)
      .first()
      .waitFor();
    assert.deepEqual(await said(), ['no answer']);
    await page.reload();
    await rows.first().waitFor();
    await page
      .getByText(/^connected/)
      .first()
      .waitFor();
    assert.deepEqual(await said(), ['no answer']);
  },
);

test(
  'a process that ends at its start is told of with what it wrote last, wherever the wire is',
  { skip },
  async (t) => {
    const script = `for (let at = 0; at < 50; at++) console.error('line ' + at); throw new Error('no database')`;
    const plan = planAt('none', {
      kind: 'stdio',
      reach: ({ onStderr, killTimeoutMs }) =>
        Promise.resolve(spawn(process.execPath, ['-e', script], { onStderr, killTimeoutMs })),
    });
    const { page, accessible } = await openInspect(t, [plan], { width: 360, height: 740 });
    const failure = page.getByRole('region', { name: 'Failure' });
    await failure.getByText('more', { exact: true }).click();
    await failure.getByText('the process ended with code 1').first().waitFor();
    const said = await failure.locator('pre').allInnerTexts();
    assert.equal(said.length, 1);
    // Once, and not with each step again.
    assert.equal(await failure.locator('li').filter({ hasText: 'no database' }).count(), 1);
    assert.match(said[0] ?? '', /Error: no database/);
    assert.doesNotMatch(said[0] ?? '', /line 0\n/);
    await accessible('a process that ended at its start');
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  },
);

test('a page in the place of a server is cited among what was tried', { skip }, async (t) => {
  const { url } = await oddServer(t, (_, response) => {
    response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Down for maintenance</h1>');
    return true;
  });
  const { page } = await openInspect(t, [planAt(url)]);
  await page.getByRole('region', { name: 'Failure' }).getByText('more', { exact: true }).click();
  await page.getByRole('region', { name: 'Failure' }).getByText('<h1>Down for maintenance</h1>').first().waitFor();
});

/** Another page of the same process, of whose complaints nothing is made. */
async function beside(
  t: TestContext,
  { page, scene }: OpenPage,
  before?: (own: Page) => Promise<unknown>,
): Promise<Page> {
  const own = await page.context().newPage();
  t.after(() => own.close());
  await before?.(own);
  await own.goto(scene.url);
  await own.getByRole('heading', { name: 'Parley' }).waitFor();
  return own;
}

test('a process that ended is told of, with what to do, and what was done in vain too', { skip }, async (t) => {
  const open = await openInspect(t, [planAt(await served(t, slow()))]);
  const own = await beside(t, open);
  await own.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().click();
  await open.page.close();
  await open.scene.close();
  const words = /does not answer.*start it again and open the address that it prints/;
  await own.getByRole('alert').getByText(words).waitFor();
  await own.getByRole('button', { name: /^Call Ctrl/ }).click();
  await own.getByRole('alert').filter({ hasText: 'Dismiss' }).getByText(words).waitFor();
});

test('a page that cannot take what the process says does not blame the process', { skip }, async (t) => {
  const open = await openInspect(t, [planAt(await served(t, slow()))]);
  let asked = 0;
  const own = await beside(t, open, (page) =>
    page.route('**/api/feed', async (route) => {
      asked += 1;
      await route.fulfill({ status: 200, contentType: 'application/x-ndjson', body: '{"kind":"server"}\n' });
    }),
  );
  await own
    .getByRole('alert')
    .getByText(/This page failed, and shows no further events.*Reload it/)
    .waitFor();
  assert.equal(asked, 1);
});
