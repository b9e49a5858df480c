/** Servers that mean harm: the page shows what they say, and nothing of it runs, loads or holds it up. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt } from '../support/inspected.ts';
import { speaking } from '../support/speaking.ts';

const skip = noBrowser;

const script = '"><img src=x onerror="window.hurt=1"><script>window.hurt=1</script>';
const markdown = `# ${script}\n\n[click](javascript:window.hurt=1) ![x](https://evil.example/x.png)\n\n<iframe src="javascript:parent.hurt=1"></iframe>\n\n\`${script}\``;

function initialized(name: string): object {
  return {
    result: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} },
      serverInfo: { name, title: name, version: name, websiteUrl: 'javascript:window.hurt=1' },
      instructions: name,
    },
  };
}

const unknown = { error: { code: -32601, message: script } };

test('script in every text is text', { skip }, async (t) => {
  const url = await speaking(t, (method) => {
    const common = {
      title: script,
      description: `${script} \u202etxet\u202c`,
      icons: [{ src: 'https://evil.example/icon.svg' }],
    };
    switch (method) {
      case 'initialize':
        return initialized(script);
      case 'tools/list':
        return {
          result: {
            tools: [
              {
                name: 'hurt',
                ...common,
                inputSchema: {
                  type: 'object',
                  properties: {
                    [script]: {
                      type: 'string',
                      title: script,
                      description: script,
                      enum: [script],
                      $ref: 'https://evil.example/schema',
                    },
                  },
                },
              },
            ],
          },
        };
      case 'prompts/list':
        return {
          result: { prompts: [{ name: script, ...common, arguments: [{ name: script, description: script }] }] },
        };
      case 'resources/list':
        return {
          result: { resources: [{ uri: 'javascript:window.hurt=1', name: script, ...common, mimeType: script }] },
        };
      case 'resources/templates/list':
        return { result: { resourceTemplates: [{ uriTemplate: `javascript:${script}{x}`, name: script, ...common }] } };
      case 'tools/call':
        return {
          result: {
            content: [
              { type: 'text', text: markdown },
              {
                type: 'image',
                data: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="window.hurt=1"/>`).toString(
                  'base64',
                ),
                mimeType: 'image/svg+xml',
              },
              { type: 'image', data: 'x" onerror="window.hurt=1', mimeType: 'image/png" onerror="window.hurt=1' },
              { type: 'audio', data: 'AAAA', mimeType: 'audio/wav;"onerror=1' },
              { type: 'resource_link', uri: 'javascript:window.hurt=1', name: script },
              { type: 'resource', resource: { uri: 'https://evil.example/x', text: script, mimeType: 'text/html' } },
              { type: script, [script]: script },
            ],
            structuredContent: { rows: [{ [script]: script, ['__proto__']: 1 }] },
            [script]: script,
          },
        };
      default:
        return unknown;
    }
  });
  const { page, choose, accessible } = await openInspect(t, [planAt(url, { name: script })]);
  await choose('tools', 'img');
  await page.getByText('⟦U+202E⟧').first().waitFor();
  await page.getByRole('button', { name: /^Call/ }).click();
  await page.getByRole('button', { name: 'Send anyway' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByRole('button', { name: 'Markdown' }).click();
  await result.getByText('javascript:window.hurt=1').first().waitFor();
  await accessible('hostile texts');
  for (const tab of ['Prompts', 'Resources']) {
    await page.getByRole('tab', { name: new RegExp(tab) }).click();
    await choose(tab.toLowerCase(), 'img');
  }
  await page.getByRole('tab', { name: 'About' }).click();
  await page.getByRole('grid', { name: 'Messages' }).getByRole('row').last().click();
  await page.getByRole('complementary').getByRole('button', { name: 'Lens' }).click();
  assert.equal(await page.evaluate('window.hurt'), undefined);
  assert.deepEqual(
    await page.evaluate('[...document.querySelectorAll("a[href],iframe,object,embed,script:not([src])")].length'),
    0,
  );
});

test('a text that would take half a minute as Markdown is shown as text, and the page lives', { skip }, async (t) => {
  const url = await speaking(t, (method, params) => {
    if (method === 'initialize') return initialized('markdown');
    if (method === 'tools/list')
      return { result: { tools: ['>', '_a'].map((name) => ({ name, inputSchema: { type: 'object' } })) } };
    if (method === 'tools/call')
      return { result: { content: [{ type: 'text', text: `- ${String(params['name']).repeat(50_000)}` }] } };
    return unknown;
  });
  const { page, choose } = await openInspect(t, [planAt(url)]);
  for (const name of ['>', '_a']) {
    await choose('tools', name);
    await page.getByRole('button', { name: /^(Call|Send anyway)/ }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByRole('button', { name: 'Markdown' }).click();
    await result.getByText('cannot be read as Markdown').waitFor();
    await result.getByText(name.repeat(100)).waitFor();
  }
});

test('large and deep results are shown without holding the page up', { skip }, async (t) => {
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
  const url = await speaking(t, (method, params) => {
    if (method === 'initialize') return initialized('large');
    if (method === 'tools/list')
      return {
        result: {
          tools: Array.from({ length: 1_000 }, (_, at) => ({ name: `tool-${at}`, inputSchema: { type: 'object' } })),
        },
      };
    if (method === 'tools/call')
      return {
        result: {
          content: [{ type: 'text', text: params['name'] === 'tool-1' ? deep : 'x'.repeat(8_000_000) }],
          structuredContent: { all: Array.from({ length: 50_000 }, (_, at) => ({ at })) },
        },
      };
    return unknown;
  });
  const { page, choose } = await openInspect(t, [planAt(url)]);
  for (const name of ['tool-0', 'tool-1']) {
    await choose('tools', name);
    await page.getByRole('button', { name: /^(Call|Send anyway)/ }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('structured content').first().waitFor();
  }
  assert.ok(Number(await page.evaluate('document.querySelectorAll("*").length')) < 12_000);
});

test('Thousands of messages are a list of which few are in the document', { skip }, async (t) => {
  let count = 0;
  const url = await speaking(t, (method) => {
    if (method === 'initialize') return initialized('many');
    if (method === 'tools/list') return { result: { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] } };
    count++;
    return method === 'tools/call' ? { result: { content: [] } } : unknown;
  });
  const { page, scene, until } = await openInspect(t, [planAt(url)]);
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  for (let round = 0; count < 1_200 && round < 500; round++)
    await Promise.all(
      Array.from({ length: 20 }, () =>
        scene.json('call', { server: 'A', kind: 'resource', name: 'file:///x', text: '{}' }).catch(() => {}),
      ),
    );
  const grid = page.getByRole('grid', { name: 'Messages' });
  await until('Number(document.querySelector(".wire [aria-rowcount]")?.getAttribute("aria-rowcount")) > 2000');
  assert.ok(count > 1_000);
  assert.ok((await grid.getByRole('row').count()) < 100);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  // Rows that left the document are not held by anything that stays.
  const { nodes } = await cdp.send('Memory.getDOMCounters');
  assert.ok(nodes < 5_000, `${nodes} nodes`);
  await page.getByLabel('Filter of the wire').fill('kind:error');
  await grid.getByText('error of resources/read').first().waitFor();
  await grid.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  await page
    .getByRole('complementary')
    .getByRole('heading', { name: /resources\/read/ })
    .waitFor();
});

test('names and words of a megabyte leave what is done with them in view', { skip }, async (t) => {
  const endless = 'n'.repeat(1_000_000);
  const url = await speaking(t, (method) => {
    const common = { name: endless, title: endless, description: endless };
    if (method === 'initialize') return initialized(endless);
    if (method === 'tools/list') return { result: { tools: [{ ...common, inputSchema: { type: 'object' } }] } };
    if (method === 'prompts/list') return { result: { prompts: [common] } };
    if (method === 'resources/list') return { result: { resources: [{ ...common, uri: `x:${endless}` }] } };
    if (method === 'tools/call')
      return { result: { content: [{ type: 'resource_link', uri: 'x:y', name: endless, title: endless }] } };
    return unknown;
  });
  const { page, choose } = await openInspect(t, [planAt(url)]);
  for (const [tab, list, button] of [
    ['Tools', 'tools', /^Call Ctrl/],
    ['Prompts', 'prompts', /^Get/],
    ['Resources', 'resources', 'Read'],
  ] as const) {
    await page.getByRole('tab', { name: new RegExp(tab) }).click();
    await choose(list, 'nnn');
    const box = await page.getByRole('tabpanel').getByRole('button', { name: button }).first().boundingBox();
    // After some thousand characters, and not after a million of them.
    assert.ok((box?.y ?? Number.POSITIVE_INFINITY) < 2_000, `${tab} ${box?.y}`);
  }
  await page.getByRole('tab', { name: /Tools/ }).click();
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await page.getByRole('region', { name: 'Result' }).getByText('link').first().waitFor();
  const wide = '[...document.querySelectorAll(".chosen-one")].some((one) => one.scrollWidth > one.clientWidth)';
  assert.equal(await page.evaluate(wide), false);
});

test(
  'things without a name, or with the same, are told apart and chosen by nobody but the person',
  { skip },
  async (t) => {
    const url = await speaking(t, (method, { name }) => {
      if (method === 'initialize') return initialized('names');
      if (method === 'tools/list')
        return {
          result: { tools: ['', 'same', 'same'].map((own) => ({ name: own, inputSchema: { type: 'object' } })) },
        };
      if (method === 'tools/call')
        return { result: { content: [{ type: 'text', text: `called ${JSON.stringify(name)}` }] } };
      return unknown;
    });
    const { page, accessible } = await openInspect(t, [planAt(url)]);
    const tools = page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row');
    await page.getByText('Select a tool.').waitFor();
    const ids: unknown = await tools.evaluateAll((all: readonly { readonly id: string }[]) => all.map(({ id }) => id));
    assert.equal(new Set(ids as readonly string[]).size, 3);
    await accessible('names that are alike');
    for (const [at, name] of [
      [0, ''],
      [2, 'same'],
    ] as const) {
      await tools.nth(at).click();
      await page.getByRole('button', { name: /^Call Ctrl/ }).click();
      await page
        .getByRole('region', { name: 'Result' })
        .getByText(`called ${JSON.stringify(name)}`)
        .waitFor();
    }
  },
);
