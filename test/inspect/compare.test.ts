/** Two servers side by side. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

function weather(version: string, maximum: number, more: readonly string[]): Server {
  const server = createServer({ name: 'weather', version });
  const input = { type: 'object', properties: { days: { type: 'number', maximum } } } as const;
  server.tool('forecast', { input, description: 'Says what comes' }, () => 'rain');
  for (const name of more) server.tool(name, {}, () => name);
  return server;
}

for (const width of [360, 1_600])
  test(`two servers are compared field by field, at ${width} px`, { skip }, async (t) => {
    const plans = [
      planAt(await served(t, weather('1.0', 7, ['old', 'same'])), { name: 'before' }),
      planAt(await served(t, weather('2.0', 14, ['same', 'fresh'])), { name: 'after' }),
    ];
    const { page, accessible } = await openInspect(t, plans, { width, height: 740, dark: width === 360 });
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
    if (width < 1_200) await page.getByRole('button', { name: 'Servers', exact: true }).click();
    await page.getByRole('button', { name: 'Compare two' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'tools: 3 differ' }).waitFor();
    await dialog.getByText('− old: only A').waitFor();
    await dialog.getByText('+ fresh: only B').waitFor();
    await dialog.getByText('~ forecast: 1 field differs').click();
    const place = dialog.getByRole('listitem').filter({ hasText: '.inputSchema.properties.days.maximum' }).last();
    assert.match((await place.textContent()) ?? '', /A 7B 14/);
    // What they say of themselves differs too.
    await dialog.getByText('~ what they say of themselves: 1 field differs').click();
    await dialog.getByText('.info.version').waitFor();
    await accessible('a comparison');
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  });
