/** What a person does once more: a list is read again, a call is filled in again; and the words of a list are shown as they came. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

test('a list of a server that tells of no change is read again by a click', { skip }, async (t) => {
  const { page, accessible } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  await page.getByLabel('Filter of the wire').fill('method:tools/list from:client');
  const asked = page.getByRole('grid', { name: 'Messages' }).getByRole('row').filter({ hasText: 'tools/list' });
  await asked.first().waitFor();
  assert.equal(await asked.count(), 1);
  await page.locator('.pages').getByRole('button', { name: 'Refresh' }).click();
  await asked.nth(1).waitFor();
  await accessible('a list that was read again');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('lists of A');
  await page.keyboard.press('Enter');
  await asked.nth(2).waitFor();
});

test('a call of before is filled in again, to be changed', { skip }, async (t) => {
  const { page, choose } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  for (const words of ['first', 'second']) {
    await choose('tools', 'Echo');
    await page.getByRole('textbox', { name: /^message/ }).fill(words);
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    await page.getByRole('region', { name: 'Result' }).getByText(words).first().waitFor();
  }
  await page.getByRole('tab', { name: /^Calls/ }).click();
  await page.getByRole('grid', { name: 'calls', exact: true }).getByRole('row').last().click();
  await page.getByRole('button', { name: 'Fill in again' }).click();
  await page.getByRole('tab', { name: /^Tools/, selected: true }).waitFor();
  assert.equal(await page.getByRole('textbox', { name: /^message/ }).inputValue(), 'first');
  assert.ok(
    await page
      .getByRole('textbox', { name: /^message/ })
      .evaluate((field) => field === field.ownerDocument.activeElement),
  );
});

test('a thing of a list is shown as the server lists it', { skip }, async (t) => {
  const { page, choose } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  const listed = page.getByText('As the server lists it');
  for (const [tab, list, name, words] of [
    ['Tools', 'tools', 'Add', '"outputSchema": {'],
    ['Prompts', 'prompts', 'Greet somebody', '"arguments": ['],
    ['Resources', 'resources', 'The manual', '"audience": ['],
    ['Resources', 'resources', 'A city', '"uriTemplate": "example://cities/{city}"'],
  ] as const) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
    await choose(list, name);
    await listed.click();
    await page.getByRole('grid', { name: 'As the server lists it' }).getByText(words).waitFor();
  }
});
