/** What somebody meets who uses the page each day: finding a tool by its name, reading what it gave, and why something cannot be done. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../packages/parley/src/server.ts';
import { spawn } from '../../packages/parley/src/transports/stdio/client/transport.ts';
import type { ServerPlan } from '../../packages/cli/src/inspect/servers/shared.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

/** A server of a script that answers by a table of results. */
function answering(results: Readonly<Record<string, unknown>>): ServerPlan {
  const script = `const results = ${JSON.stringify(results)};
  process.stdin.on('data', (text) => String(text).split('\\n').filter(Boolean).forEach((line) => {
    const { id, method } = JSON.parse(line);
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
  }))`;
  return planAt('none', {
    kind: 'stdio',
    reach: ({ onStderr, killTimeoutMs }) =>
      Promise.resolve(spawn(process.execPath, ['-e', script], { onStderr, killTimeoutMs })),
  });
}

const opened = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'x', version: '1' },
};
const takesAny = { type: 'object' };

test('a tool with a title is found by its name', { skip }, async (t) => {
  const tools = [
    { name: 'get-sum', title: 'Adds numbers', inputSchema: takesAny },
    { name: 'echo', inputSchema: takesAny },
  ];
  const plan = answering({ initialize: opened, 'tools/list': { tools } });
  const { page } = await openInspect(t, [plan], {}, { revision: '2025-11-25' });
  await page.getByRole('searchbox', { name: 'Filter of tools' }).fill('get-s');
  const rows = page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row');
  await rows.filter({ hasText: 'Adds numbers' }).waitFor();
  assert.equal(await rows.count(), 1);
});

test('structured content stands above a text that says the same, and below another', { skip }, async (t) => {
  const rows = [{ day: 'Mon', max: 4 }];
  const texts: Readonly<Record<string, string>> = {
    same: JSON.stringify({ rows }, undefined, 2),
    inner: JSON.stringify(rows),
    other: 'Cold.',
  };
  for (const [name, text] of Object.entries(texts)) {
    const plan = answering({
      initialize: opened,
      'tools/list': { tools: [{ name, inputSchema: takesAny }] },
      'tools/call': { content: [{ type: 'text', text }], structuredContent: { rows } },
    });
    const { page, choose } = await openInspect(t, [plan], {}, { revision: '2025-11-25' });
    await choose('tools', name);
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByRole('cell', { name: 'Mon' }).waitFor();
    const blocks = await result.locator('.block').allInnerTexts();
    assert.equal(blocks.length, 2);
    assert.equal(
      blocks.findIndex((block) => block.startsWith('structured')),
      name === 'other' ? 1 : 0,
      name,
    );
  }
});

test('a malformed entry of a list is a problem, inside its column', { skip }, async (t) => {
  const tools = [
    { name: 'fine', inputSchema: takesAny },
    { name: 'odd', inputSchema: { type: 'no' } },
  ];
  const plan = answering({ initialize: opened, 'tools/list': { tools } });
  const { page } = await openInspect(t, [plan], { width: 1_024 }, { revision: '2025-11-25' });
  const said = page.locator('.pick').getByText(/"odd" is malformed: .*inputSchema/);
  await said.waitFor();
  assert.ok(await said.evaluate((node) => node.scrollWidth <= node.clientWidth));
  // What the message is stands in the wire still, however much it breaks.
  const row = page.locator('.wire-list [role=row]').filter({ hasText: 'breaks' });
  assert.match(
    (await row.locator('.c-what').first().innerText()).replaceAll(/\s+/g, ' '),
    /breaks \S+(?:, \S+| and \d+ more)? result of tools\/list/,
  );
  // The finding names the tool, and its place is marked.
  await row.first().click();
  const message = page.getByRole('complementary', { name: /^Message/ });
  await message.locator('.fault').getByText('odd: its type is "no"').first().waitFor();
  await message
    .getByRole('row')
    .filter({ hasText: /wrong here: .*"odd"/ })
    .waitFor();
});

test('a tool that cannot be called says why', { skip }, async (t) => {
  const server = createServer({ name: 'x', version: '1' });
  server.tool('fine', {}, () => 'fine');
  const { page, choose } = await openInspect(t, [planAt(await served(t, server))]);
  await choose('tools', 'fine');
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('not connected: press Connect first').waitFor();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('not connected: press Connect first').waitFor({ state: 'hidden' });
});

test('the lens says that a client sends what is its own', { skip }, async (t) => {
  const plan = answering({ initialize: opened, 'tools/list': { tools: [] } });
  const { page, choose } = await openInspect(t, [plan], {}, { revision: '2025-11-25' });
  await choose('Messages', 'tools/list');
  await page.getByRole('button', { name: 'Lens', exact: true }).click();
  const lens = page.getByRole('region', { name: 'Lens' });
  await lens.getByText('a client of 2024-11-05 sends', { exact: true }).waitFor();
});

test('what is copied for a shell says which variables it waits for', { skip }, async (t) => {
  const server = createServer({ name: 'x', version: '1' });
  server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, () => 'fine');
  const { page, choose } = await openInspect(t, [planAt(await served(t, server))], {}, { revision: '2025-11-25' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await choose('tools', 'echo');
  // What looks like one in an argument stands between single quotes.
  await page.getByRole('textbox', { name: 'text' }).fill('"$HOME"');
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Copy as parley call' }).click();
  await page.getByRole('button', { name: 'copied', exact: true }).waitFor();
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await choose('Messages', 'tools/call echo');
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByRole('button', { name: 'copied: set $MCP_SESSION_ID in the shell' }).waitFor();
});
