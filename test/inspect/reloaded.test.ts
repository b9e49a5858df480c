/** I change the code: the server starts anew by itself, what is new in it is marked, and the same call is made again. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { spawnNode } from '../support/programs.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, rowsOf } from '../support/inspected.ts';
import { root } from '../support/sources.ts';

const skip = noBrowser;

/** A server as its author has it at a time: its tools, and what they answer. */
const source = (tools: readonly string[], says: string): string => `
  import { createServer } from ${JSON.stringify(pathToFileURL(join(root, 'packages/parley/dist/server.js')).href)};
  import { serveStdio } from ${JSON.stringify(pathToFileURL(join(root, 'packages/parley/dist/stdio.js')).href)};
  const server = createServer({ name: 'changes', version: '1' });
  for (const name of ${JSON.stringify(tools)})
    server.tool(name, { input: { type: 'object', properties: { city: { type: 'string' } } } }, ({ city }) => ${JSON.stringify(says)} + city);
  serveStdio(server);`;

test(
  'I change the code: it starts anew, what is new is marked, and the same call is made again',
  { skip },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'inspect-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const script = join(folder, 'server.mjs');
    await writeFile(script, source(['greet', 'leave'], 'hello '));
    const plan = planAt('http://127.0.0.1:1', {
      kind: 'stdio',
      folder,
      reach: ({ onStderr, killTimeoutMs }) => Promise.resolve(spawnNode([script], { onStderr, killTimeoutMs })),
    });
    const { page, scene, choose, accessible } = await openInspect(t, [plan]);
    const tools = page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row');
    const result = page.getByRole('region', { name: 'Result' });
    await choose('tools', 'greet');
    await page.getByLabel('city').fill('Oslo');
    await page.getByLabel('again at each start').check();
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    await result.getByText('hello Oslo').waitFor();
    // An author adds a tool, takes one away, and changes what another says.
    await writeFile(script, source(['greet', 'ask'], 'good morning '));
    await result.getByText('good morning Oslo').waitFor();
    await tools.filter({ hasText: 'ask' }).getByText('changed').waitFor();
    assert.deepEqual(await tools.locator('.item-name').allTextContents(), ['greet', 'askchanged']);
    await page.getByRole('tab', { name: /Log/ }).click();
    await page
      .getByText(/restarted, since files changed/)
      .first()
      .waitFor();
    await accessible('after a restart');
    // What breaks it is told of, with what it wrote; what mends it is heard of too.
    await writeFile(script, 'nonsense(');
    await page.getByText('SyntaxError').first().waitFor();
    await page.getByText('Fix it, then restart it').waitFor();
    await writeFile(script, source(['greet'], 'good evening '));
    await page.getByRole('tab', { name: /Tools/ }).click();
    await result.getByText('good evening Oslo').waitFor();
    // What is other now stands below the result.
    await page.getByText('1 difference from the call before').waitFor();
    await page
      .locator('.difference')
      .getByText(/\+ "good evening Oslo"/)
      .waitFor();
    // The call does not wait for the lists.
    await tools.filter({ hasText: 'ask' }).waitFor({ state: 'detached' });
    assert.deepEqual(await tools.locator('.item-name').allTextContents(), ['greet']);
    // Once for the click, and once for each start that came to something.
    const calls = rowsOf(scene).filter(({ what, kind }) => what === 'tools/call' && kind === 'request');
    assert.deepEqual(
      calls.map(({ about }) => about),
      ['greet', 'greet', 'greet'],
    );
  },
);
