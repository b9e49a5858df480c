/** Questions for a model that may use tools, answered by the person in its place. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

function asking(): Server {
  const server = createServer({ name: 'asks', version: '1' });
  server.tool('plan', {}, async (_, context) => {
    const { content, model, stopReason } = await context.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Where is it warm?' } }],
      tools: [
        { name: 'look', description: 'Looks out of the window', inputSchema: { type: 'object' } },
        {
          name: 'measure',
          inputSchema: {
            type: 'object',
            properties: { city: { type: 'string' }, height: { type: 'number' } },
            required: ['city'],
          },
        },
      ],
      toolChoice: { mode: 'required' },
      maxTokens: 10,
    });
    return JSON.stringify({ content, model, stopReason });
  });
  return server;
}

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`a question for a model is answered by uses of tools (${revision})`, { skip }, async (t) => {
    const { page, choose, accessible } = await openInspect(
      t,
      [planAt(await served(t, asking()))],
      { width: 360, height: 800 },
      { revision },
    );
    await choose('tools', 'plan');
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    const question = page.getByRole('region', { name: 'Question of server' });
    await question.getByText('It may use tools (required):').waitFor();
    await question.getByText('Looks out of the window').first().waitFor();
    await question.getByRole('button', { name: 'Use of a tool' }).click();
    assert.equal(await question.getByLabel('Stopped since').inputValue(), 'toolUse');
    const first = question.getByRole('group', { name: 'Use 1' });
    await first.getByRole('combobox', { name: /^Tool/ }).selectOption('measure');
    // It is judged by the schema of the tool that is used.
    await first.getByLabel(/^height/).fill('high');
    await first.getByText('must be number').first().waitFor();
    await first.getByRole('textbox', { name: /^city/ }).fill('Quito');
    await first.getByLabel(/^height/).fill('2850.0');
    await question.getByRole('button', { name: 'One use more' }).click();
    await accessible('uses of tools');
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await question.getByLabel('Model').fill('me');
    await question.getByRole('button', { name: 'JSON', exact: true }).first().click();
    await question.getByRole('button', { name: 'Use of a tool' }).click();
    await question.getByRole('button', { name: 'Answer', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('"stopReason":"toolUse"').first().waitFor();
    const text = (await result.locator('pre.text').first().textContent()) ?? '';
    const { content, model } = JSON.parse(text) as { readonly content: readonly object[]; readonly model: string };
    assert.equal(model, 'me');
    assert.deepEqual(
      content.map((block) => ({ ...block, id: 'any' })),
      [
        { type: 'tool_use', id: 'any', name: 'measure', input: { city: 'Quito', height: 2850 } },
        { type: 'tool_use', id: 'any', name: 'look', input: {} },
      ],
    );
    assert.equal(new Set(content.map((block) => ('id' in block ? block.id : ''))).size, 2);
  });
