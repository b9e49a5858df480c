/** Every other use of the page in a real browser: prompts, resources, roots, addresses, tasks, the wire, and software of others. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { spawnNode } from '../support/programs.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';
import { root } from '../support/sources.ts';

const skip = noBrowser;

test('a prompt is got, and what is typed is completed with what the server knows', { skip }, async (t) => {
  const { page, choose, accessible } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.getByRole('tab', { name: /Prompts/ }).click();
  await choose('prompts', 'Greet somebody');
  await page.getByLabel('name').fill('Ann');
  await page.getByLabel('Tone').pressSequentially('f');
  await page.getByRole('option', { name: 'friendly' }).waitFor();
  await page.getByRole('option', { name: 'formal' }).click();
  await page.getByRole('button', { name: /^Get/ }).click();
  await page.getByText('Write a formal greeting for Ann.').waitFor();
  await accessible('a prompt');
});

test('a resource is read, and a template filled in', { skip }, async (t) => {
  const { page, choose } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.getByRole('tab', { name: /Resources/ }).click();
  await choose('resources', 'The manual');
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  await page.getByText('Believe none of it').waitFor();
  await choose('resources', 'The sun');
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  await page.locator('.result img').waitFor();
  await choose('resources', 'A city');
  await page.getByRole('combobox', { name: /^city/ }).pressSequentially('Os');
  await page.getByRole('option', { name: 'Osaka' }).click();
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  await page.getByText('A city in Japan').waitFor();
});

/** An address in which the host stands twice, and which is visited by the first of them. */
const lure = 'https://evil.example/?to=https://evil.example/x';

function changing(): Server {
  const server = createServer({ name: 'changing', version: '1' });
  let count = 0;
  server.resource('note://one', { name: 'note' }, () => `read ${count}`);
  server.tool('touch', {}, () => {
    count += 1;
    server.resourceUpdated('note://one');
    return 'touched';
  });
  server.tool('grow', {}, () => {
    server.tool('grown', {}, () => 'grown');
    return 'bigger';
  });
  server.tool('where', {}, async (_, context) => (await context.roots()).map(({ uri }) => uri).join());
  server.tool('visit', {}, async (_, context) => {
    const { action } = await context.elicitUrl({ message: 'Look here.', url: 'https://example.com/path?x=1' });
    return `visited: ${action}`;
  });
  server.tool('lure', {}, async (_, context) => {
    const { action } = await context.elicitUrl({ message: 'Look there.', url: lure });
    return `lured: ${action}`;
  });
  server.tool('long', { task: 'required' }, async (_, context) => {
    context.progress(1, 2, 'half');
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
    return 'never';
  });
  return server;
}

async function callOf(page: Page, choose: (list: string, words: string) => Promise<void>, tool: string): Promise<void> {
  await choose('tools', tool);
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
}

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`a watched resource says that it was updated, and a new tool is marked (${revision})`, { skip }, async (t) => {
    const plans = [planAt(await served(t, changing()))];
    const { page, choose } = await openInspect(t, plans, {}, { revision });
    await page.getByRole('tab', { name: /Resources/ }).click();
    await choose('resources', 'note');
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.getByRole('button', { name: 'Stop watching' }).waitFor();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await callOf(page, choose, 'touch');
    await page.getByRole('tab', { name: /Resources/ }).click();
    await page.getByRole('button', { name: 'Read again: it was updated' }).click();
    await page.getByText('read 1').waitFor();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await callOf(page, choose, 'grow');
    await page
      .getByRole('grid', { name: 'tools', exact: true })
      .getByRole('row')
      .filter({ hasText: 'grown' })
      .getByText('changed')
      .waitFor();
  });

  test(`roots are given, and an address is shown before it is visited (${revision})`, { skip }, async (t) => {
    const plans = [planAt(await served(t, changing()))];
    const { page, choose, accessible } = await openInspect(t, plans, {}, { revision });
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByPlaceholder('file:///').fill('file:///srv/data');
    await page.getByRole('button', { name: 'Add', exact: true }).last().click();
    await page.getByRole('button', { name: 'Remove file:///srv/data' }).waitFor();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await callOf(page, choose, 'where');
    await page.getByRole('region', { name: 'Result' }).getByText('file:///srv/data').waitFor();
    await callOf(page, choose, 'visit');
    const question = page.getByRole('region', { name: 'Question of server' });
    await question.getByText('Look here.').waitFor();
    assert.equal(await question.locator('.address b').textContent(), 'example.com');
    assert.equal(await question.locator('a').count(), 0);
    await accessible('an address');
    await question.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('visited: decline').waitFor();
    await callOf(page, choose, 'lure');
    await question.getByText('Look there.').waitFor();
    assert.equal(await question.locator('.address').textContent(), lure);
    assert.equal(
      await question.locator('.address').evaluate((one: { readonly innerHTML: string }) => one.innerHTML),
      lure.replace('//evil.example/', '//<b>evil.example</b>/'),
    );
    await question.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('lured: decline').waitFor();
  });

  test(`a task is followed and cancelled (${revision})`, { skip }, async (t) => {
    const plans = [planAt(await served(t, changing()))];
    const { page, choose } = await openInspect(t, plans, {}, { revision });
    await callOf(page, choose, 'long');
    await page
      .locator('.running')
      .getByText(/1 of 2:? half/)
      .waitFor();
    await page
      .getByRole('region', { name: 'Result' })
      .or(page.locator('.running'))
      .getByRole('button', { name: /^Cancel/ })
      .click();
    await page.getByRole('heading', { name: /Cancelled/ }).waitFor();
  });
}

test('a call is made again when its server starts, with what is typed then', { skip }, async (t) => {
  const { page, scene, choose } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await choose('tools', 'Forecast');
  await page.getByLabel('city').fill('Osl');
  await page.getByLabel('again at each start').check();
  await page.getByLabel('city').fill('Oslo');
  await page.getByRole('button', { name: 'Restart' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('fits the output schema').waitFor();
  assert.match((await result.textContent()) ?? '', /Oslo/);
  await page.getByLabel('again at each start').uncheck();
  await page.getByRole('button', { name: 'Restart' }).click();
  await scene.line('server', ({ server }) => server.version > 2);
  await page.getByRole('tab', { name: /^Calls ?1$/ }).waitFor();
});

test('the wire is filtered, searched, paused, cleared, and saved as three kinds of files', { skip }, async (t) => {
  const { page, choose } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await choose('tools', 'Forecast');
  await page.getByLabel('city').fill('Oslo');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await page.getByRole('region', { name: 'Result' }).getByText('fits the output schema').waitFor();
  const wire = page.getByRole('grid', { name: 'Messages' });
  const filter = page.getByLabel('Filter of the wire');
  await filter.fill('method:tools/call');
  await page.getByRole('button', { name: /hidden, show all/ }).waitFor();
  assert.equal(await wire.getByRole('row').filter({ hasText: 'server/discover' }).count(), 0);
  await filter.fill('text:oslo');
  await wire.getByRole('row').filter({ hasText: 'tools/call' }).first().waitFor();
  await page.getByRole('button', { name: /hidden, show all/ }).click();
  for (const [what, words] of [
    ['recording', /"lane":"message"/],
    ['transcript', /tools\/call/],
    ['har', /"entries"/],
  ] as const) {
    const downloaded = page.waitForEvent('download');
    await page.getByLabel('File of the recording').selectOption(what);
    await page.locator('.wire-bar').getByRole('button', { name: 'Save', exact: true }).click();
    assert.match(await text(await (await downloaded).createReadStream()), words);
  }
  await page.getByRole('button', { name: 'Pause' }).click();
  const before = await wire.getAttribute('aria-rowcount');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await page.getByRole('tab', { name: /^Calls ?2$/ }).waitFor();
  assert.equal(await wire.getAttribute('aria-rowcount'), before);
  await page.getByRole('button', { name: 'Resume' }).click();
  await wire.getByRole('row').filter({ hasText: 'tools/call' }).nth(2).waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('0 messages').waitFor();
});

test('it works with a server of the official second SDK, which asks by rounds', { skip }, async (t) => {
  const official = join(root, 'test/bridge/servers/official.ts');
  const plan = planAt('http://127.0.0.1:1', {
    name: 'official',
    kind: 'stdio',
    reach: ({ onStderr, killTimeoutMs }) =>
      Promise.resolve(spawnNode([official, 'stdio'], { onStderr, killTimeoutMs })),
  });
  const { page, choose } = await openInspect(t, [plan]);
  await choose('tools', 'greet');
  await page.getByLabel('name').fill('Ann');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await page.getByText('Hello, Ann!').waitFor();
  // Nothing that the official server does is taken for a fault.
  assert.equal(await page.getByRole('grid', { name: 'Messages' }).getByText('breaks').count(), 0);
});
