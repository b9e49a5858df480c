/** How the page is arranged: what is in view at the usual sizes of a screen, and what is kept when the page is loaded again. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { spawnNode } from '../support/programs.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';
import { isSeen } from '../support/seen.ts';
import { root } from '../support/sources.ts';

const skip = noBrowser;

/** A server with a long form, a choice with defaults, and a long text. */
function work(): Server {
  const server = createServer({ name: 'work', version: '1' });
  const names = Array.from({ length: 14 }, (_, at) => `field${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' } as const]));
  server.tool('form', { input: { type: 'object', properties, required: names } }, () => 'filled in');
  const booking = {
    type: 'object',
    properties: {
      kind: { const: 'train' },
      seats: { type: 'integer', default: 2, minimum: 1 },
      town: { type: 'string', minLength: 3 },
    },
    required: ['kind', 'town'],
  } as const;
  server.tool('book', { title: 'Books a journey', input: booking }, (given) => JSON.stringify(given));
  server.tool('long', { description: 'Many lines' }, () =>
    Array.from({ length: 30_000 }, (_, at) => `line ${at}${at === 20_000 ? ' with a needle' : ''}`).join('\n'),
  );
  return server;
}

test('at 1280 × 720 a form of 14 fields is used while the lens is open', { skip }, async (t) => {
  const look = { width: 1_280, height: 720, isFirstVisit: true };
  const { page, choose, accessible } = await openInspect(t, [planAt(await served(t, work()))], look);
  await choose('tools', 'book');
  await page.getByRole('textbox', { name: 'town' }).fill('Oslo');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await page.getByRole('button', { name: 'Other versions' }).click();
  const lens = page.getByRole('region', { name: 'Lens' });
  await lens
    .getByText(/complete|left out|changed/)
    .first()
    .waitFor();
  await choose('tools', 'form');
  for (let at = 0; at < 14; at++) {
    const field = page.getByLabel(`field${at}* (required)`, { exact: true });
    await field.fill('x');
    assert.ok(await isSeen(field), `field${at}`);
    assert.ok(await isSeen(page.getByRole('button', { name: /^Call Ctrl/ })), `the button at field${at}`);
  }
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Result' }).getByText('filled in').waitFor();
  assert.ok(await isSeen(lens.getByRole('button', { name: '2025-03-26' })));
  await accessible('a form beside the lens');
});

test('panes are moved by keys, folded by a double click, and stay so', { skip }, async (t) => {
  const look = { width: 1_440, height: 900, isFirstVisit: true };
  const { page, choose } = await openInspect(t, [planAt(await served(t, work()))], look);
  const wire = page.getByRole('region', { name: 'Wire' });
  // It is one line at first, and opens at the message that it shows.
  await choose('tools', 'long');
  assert.ok(((await wire.boundingBox())?.height ?? 0) < 40);
  await wire.getByRole('button', { name: /result of/ }).click();
  await page.getByRole('complementary', { name: /^Message/ }).waitFor();
  const list = page.getByRole('separator', { name: 'Width of the list' });
  const before = Number(await list.getAttribute('aria-valuenow'));
  await list.focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(Number(await list.getAttribute('aria-valuenow')), before + 16);
  await page.getByRole('separator', { name: 'Width of the servers' }).dblclick();
  const servers = page.getByRole('navigation', { name: 'Servers' });
  await servers.waitFor({ state: 'hidden' });
  await page.reload();
  await page.getByRole('heading', { name: 'long' }).waitFor();
  assert.equal(Number(await list.getAttribute('aria-valuenow')), before + 16);
  assert.equal(await servers.isVisible(), false);
  await page.getByRole('button', { name: 'server', exact: true }).click();
  await servers.waitFor();
  await wire.getByRole('button', { name: 'Fold the wire' }).click();
  assert.ok(((await wire.boundingBox())?.height ?? 0) < 40);
});

test('every field of a long question is in sight at 1440 × 900', { skip }, async (t) => {
  const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const plan = planAt('http://127.0.0.1:1', {
    kind: 'stdio',
    reach: ({ onStderr, killTimeoutMs }) =>
      Promise.resolve(spawnNode([everything, 'stdio'], { onStderr, killTimeoutMs })),
  });
  const look = { width: 1_440, height: 900, isFirstVisit: true };
  const { page, choose, accessible } = await openInspect(t, [plan], look);
  await choose('tools', 'trigger-elicitation-request');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  const question = page.getByRole('region', { name: 'Question of server' });
  await question.getByText('Titled Multiple Select Enum').first().waitFor();
  const fields = await question.locator('.form-properties > .form-field').all();
  assert.ok(fields.length >= 12);
  for (const field of fields) assert.ok(await isSeen(field), (await field.textContent()) ?? '');
  // The defaults are there, and nothing is wrong yet.
  assert.equal(await question.getByLabel(/^Integer/).inputValue(), '42');
  assert.equal(await question.locator('[aria-invalid=true]').count(), 0);
  await accessible('a long question');
  await question.getByRole('button', { name: 'Send' }).click();
  await question.getByText('is required').first().waitFor();
  await question.getByLabel(/^String\*/).fill('Ann');
  await page.getByRole('button', { name: 'Later' }).click();
  await question.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: '1 question waits' }).click();
  await question.getByRole('button', { name: 'Decline' }).click();
  await page
    .getByRole('region', { name: 'Result' })
    .getByText(/decline/i)
    .first()
    .waitFor();
});

test('a server offers other tools to a client with other capabilities', { skip }, async (t) => {
  const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const plan = planAt('http://127.0.0.1:1', {
    kind: 'stdio',
    reach: ({ onStderr, killTimeoutMs }) =>
      Promise.resolve(spawnNode([everything, 'stdio'], { onStderr, killTimeoutMs })),
  });
  const { page, accessible } = await openInspect(t, [plan]);
  await page.getByRole('tab', { name: 'Tools 19' }).waitFor();
  await page.getByRole('button', { name: 'Capabilities' }).click();
  const dialog = page.getByRole('dialog', { name: 'Capabilities' });
  await dialog.getByText('It offers 19 tools').waitFor();
  await dialog.getByLabel('tasks').uncheck();
  await dialog.getByText('It offers 17 tools').waitFor();
  await dialog.getByText(/^− trigger-.*-async/).waitFor();
  await accessible('the capabilities');
});

test('defaults are filled in, and nothing is wrong before the first attempt', { skip }, async (t) => {
  const { page, choose } = await openInspect(t, [planAt(await served(t, work()))]);
  await choose('tools', 'book');
  const form = page.getByRole('group', { name: 'Arguments of book' });
  assert.equal(await form.getByLabel(/^seats/).inputValue(), '2');
  await form.getByText('default', { exact: true }).waitFor();
  await form.getByLabel(/^seats/).fill('0');
  await form.getByText('must be >= 1').waitFor();
  const wrong = page.locator('.tool-main [aria-invalid=true]');
  assert.equal(await wrong.count(), 0);
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await form.getByText('is required').waitFor();
  assert.deepEqual([await wrong.count(), await form.getByText(/is required|must be/).count()], [2, 2]);
  await page.getByRole('button', { name: 'Send anyway' }).click();
  await page.getByRole('region', { name: 'Result' }).getByText('The tool failed').waitFor();
  await page.getByRole('button', { name: 'Reset' }).click();
  assert.equal(await form.getByLabel(/^seats/).inputValue(), '2');
  await form.getByRole('textbox', { name: 'town' }).fill('Oslo');
  await page.keyboard.press('Control+Enter');
  const sent = { kind: 'train', seats: 2, town: 'Oslo' };
  await page.getByRole('region', { name: 'Result' }).getByText(JSON.stringify(sent)).waitFor();
});

test('a long result is opened over the whole window, searched, and saved', { skip }, async (t) => {
  const { page, choose, accessible } = await openInspect(t, [planAt(await served(t, work()))]);
  await choose('tools', 'long');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await page.getByRole('button', { name: 'Open large' }).click();
  const large = page.getByRole('dialog', { name: 'Result of long' });
  await large.getByText('30,000 lines').waitFor();
  await large.getByRole('searchbox').fill('needle');
  await large.getByText('1 of 1 lines').waitFor();
  await large.getByText('line 20000 with a').waitFor();
  assert.ok((await large.getByRole('row').count()) < 200);
  await accessible('a large result');
  const file = page.waitForEvent('download');
  await large.getByRole('button', { name: 'Save' }).click();
  const saved = await file;
  assert.equal(saved.suggestedFilename(), 'result.txt');
  assert.match(await text(await saved.createReadStream()), /^line 0\nline 1\n/);
});

test('back, forward and a reload keep the place and what was typed', { skip }, async (t) => {
  const { page, choose } = await openInspect(t, [planAt(await served(t, work()))]);
  await choose('tools', 'book');
  await page.getByRole('textbox', { name: 'town' }).fill('Oslo');
  await choose('tools', 'form');
  await page.getByRole('heading', { name: 'form' }).waitFor();
  assert.match(page.url(), /#\/A\/tools\/form$/);
  await page.goBack();
  await page.getByRole('heading', { name: 'book' }).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'town' }).inputValue(), 'Oslo');
  await page.goForward();
  await page.getByRole('heading', { name: 'form' }).waitFor();
  await choose('tools', 'book');
  await choose('Messages', 'result of tools/list');
  await page.getByRole('complementary', { name: /^Message/ }).waitFor();
  const address = page.url();
  assert.match(address, /#\/A\/tools\/book\?message=\d+$/);
  await page.reload();
  await page.getByRole('complementary', { name: /^Message/ }).waitFor();
  await page.getByRole('heading', { name: 'book' }).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'town' }).inputValue(), 'Oslo');
  assert.equal(page.url(), address);
});

test('Share saves one file of HTML that needs nothing, with secrets masked', { skip }, async (t) => {
  const secret = 'sesame-4711-sesame';
  const plan = planAt(await served(t, work()), { secrets: [secret] });
  const { page, choose } = await openInspect(t, [plan]);
  await choose('tools', 'book');
  await page.getByRole('textbox', { name: 'town' }).fill(`Oslo ${secret}`);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Result' }).getByText('Oslo').first().waitFor();
  const file = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Share' }).click();
  const html = await text(await (await file).createReadStream());
  assert.ok(!html.includes(secret));
  const other = await page.context().newPage();
  await other.setContent(html);
  await other.getByText('result of tools/call').click();
  await other.getByText('"jsonrpc": "2.0"').last().waitFor();
  await other.close();
});

test('the palette finds what titles, descriptions and messages say', { skip }, async (t) => {
  const { page } = await openInspect(t, [planAt(await served(t, work()))]);
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  const find = async (words: string): Promise<string> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill(words);
    const first = (await page.locator('.palette').getByRole('option').first().textContent()) ?? '';
    await page.keyboard.press('Escape');
    return first;
  };
  assert.match(await find('a journey'), /^A tools: book/);
  assert.match(await find('many lines'), /^A tools: long/);
  assert.match(await find('result tools/list'), /^Message #\d+ result of tools\/list/);
});

test('the wire shows the chosen server, and all of them by a switch', { skip }, async (t) => {
  const plans = [planAt(await served(t, work())), planAt(await served(t, createExampleServer()), { name: 'other' })];
  const { page } = await openInspect(t, plans);
  const rows = page
    .getByRole('grid', { name: 'Messages' })
    .getByRole('row')
    .filter({ hasText: 'result of tools/list' });
  await page.getByLabel('All servers').waitFor();
  await rows.first().waitFor();
  assert.equal(await rows.count(), 1);
  await page.getByLabel('All servers').check();
  await rows.nth(1).waitFor();
});
