/** Uses of the page of `parley inspect`, each as a person does it, at a server that offers it under its own names. */

import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { OpenPage } from './inspect-page.ts';

/** A page before a server. */
export type UsedPage = Pick<OpenPage, 'page' | 'choose' | 'until' | 'accessible'>;

/** A tool, what it is given by the words of its fields (`true` presses what has them), and what is seen then. */
export interface OfferedTool {
  readonly tool: string;
  readonly fill?: Readonly<Record<string, string | true>>;
  readonly shows: string | RegExp;
}

/** A thing of a list, with a field that completes what is typed. */
export interface OfferedField {
  readonly name: string;
  readonly fill?: OfferedTool['fill'];
  readonly field: string;
  readonly typed: string;
  readonly option: string;
  readonly shows: string | RegExp;
}

const escaped = (words: string): RegExp => new RegExp(`^${words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);

/** Shows a tab of the server. */
export async function openTab({ page }: UsedPage, name: string): Promise<void> {
  await page.getByRole('tab', { name: escaped(name) }).click();
}

/** Fills fields in by their words. */
export async function fillIn(place: Locator, fill: OfferedTool['fill'] = {}): Promise<void> {
  for (const [words, value] of Object.entries(fill)) {
    const field = place.getByLabel(escaped(words)).first();
    await (value === true ? field.check() : field.fill(value));
  }
}

/** Calls a tool, and waits until it is shown: what an earlier call of it gave stands there until then. */
export async function begin(used: UsedPage, { tool, fill }: Omit<OfferedTool, 'shows'>): Promise<Locator> {
  const { page, choose } = used;
  await openTab(used, 'Tools');
  await choose('tools', tool);
  const place = page.locator('.tool');
  await fillIn(place, fill);
  const results = page.getByRole('region', { name: 'Result' });
  const toRow = results.getByRole('button', { name: /^#\d+$/ });
  const earlier = (await toRow.count()) === 0 ? undefined : await toRow.innerText();
  await place.getByRole('button', { name: /^Call Ctrl/ }).click();
  return earlier === undefined
    ? results
    : results.filter({ hasNot: page.getByRole('button', { name: earlier, exact: true }) });
}

/** Calls a tool, and waits for what is seen of its result. */
export async function callOffered(used: UsedPage, offered: OfferedTool): Promise<Locator> {
  const result = await begin(used, offered);
  await result.getByText(offered.shows).first().waitFor();
  return result;
}

/** The question that waits, once it is there. */
export async function questionOf({ page }: UsedPage, words: string | RegExp): Promise<Locator> {
  const question = page.locator('.question');
  await question.getByText(words).first().waitFor();
  return question;
}

/** Chooses a thing of a list whose field completes what is typed, and uses it. */
export async function complete(used: UsedPage, list: 'prompts' | 'resources', offered: OfferedField): Promise<void> {
  const { page, choose } = used;
  await openTab(used, list === 'prompts' ? 'Prompts' : 'Resources');
  await choose(list, offered.name);
  const field = page.getByRole('combobox', { name: escaped(offered.field) });
  await field.pressSequentially(offered.typed);
  await page.getByRole('option', { name: offered.option, exact: true }).click();
  await fillIn(page.locator('.tool'), offered.fill);
  await page
    .locator('.tool')
    .getByRole('button', { name: list === 'prompts' ? /^Get/ : 'Read' })
    .first()
    .click();
  await page.getByRole('region', { name: 'Result' }).getByText(offered.shows).first().waitFor();
}

/** Looks at the newest call of a tool in the wire: its pair, its time, its texts and, over HTTP, its status and headers. */
export async function lookAtWire({ page }: UsedPage, isHttp: boolean): Promise<void> {
  const rows = page.getByRole('grid', { name: 'Messages' }).getByRole('row');
  await page.getByLabel('Filter of the wire').fill('method:tools/call');
  const request = rows.filter({ hasText: /→.*tools\/call/ }).last();
  await request.click();
  assert.match(await request.locator('.c-ms').innerText(), /^\d+$/);
  const pane = page.getByRole('complementary');
  await pane.getByText('"tools/call"').waitFor();
  for (const copy of ['Copy JSON', 'Copy as parley call', ...(isHttp ? ['Copy as curl'] : [])])
    await pane.getByRole('button', { name: copy }).waitFor();
  await pane.getByRole('button', { name: /^answer #/ }).click();
  await pane.getByText('"result"').first().waitFor();
  await pane.getByRole('button', { name: 'HTTP' }).click();
  if (isHttp) await pane.getByText('content-type').first().waitFor();
  else await pane.getByText('a line of standard input or output').waitFor();
  for (const what of ['recording', 'transcript', 'har'] as const) {
    const saved = page.waitForEvent('download');
    await page.getByLabel('File of the recording').selectOption(what);
    await page.locator('.wire-bar').getByRole('button', { name: 'Save', exact: true }).click();
    assert.ok((await saved).suggestedFilename().length > 0);
  }
}

/** Holds the lens over the message that is chosen, for the oldest revision, and tries what it says. */
export async function lookThroughLens({ page }: UsedPage): Promise<void> {
  const pane = page.getByRole('complementary');
  await pane.getByRole('button', { name: 'Lens' }).click();
  const lens = page.getByRole('region', { name: 'Lens' });
  await lens.getByRole('button', { name: '2024-11-05', exact: true }).click();
  await lens.getByRole('grid', { name: 'For a client of 2024-11-05' }).waitFor();
  await lens.getByRole('button', { name: /as a client of/ }).click();
  const said = lens.getByRole('region', { name: 'Try it' });
  await said.getByText(/^. (as|\d+ messages? (is|are) not as) the lens says$/).waitFor();
  assert.match(await said.innerText(), /✓ as the lens says/);
  await page.getByRole('button', { name: 'Close the side panel' }).click();
  await pane.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('Filter of the wire').fill('');
}
