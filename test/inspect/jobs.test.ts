/** The jobs of a day, with the clicks and key presses that each takes: what is typed into a field counts as one. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

/** Actions of a person on a page, counted. */
interface Hand {
  readonly page: Page;
  click(one: Locator): Promise<void>;
  press(key: string): Promise<void>;
  type(one: Locator, words: string): Promise<void>;
  /** Fails if a job took another number of actions than it should. */
  took(count: number, job: string): void;
}

function handOn(page: Page): Hand {
  let done = 0;
  return {
    page,
    async click(one) {
      done += 1;
      await one.click();
    },
    async press(key) {
      done += 1;
      await page.keyboard.press(key);
    },
    async type(one, words) {
      done += 1;
      await one.fill(words);
    },
    took(count, job) {
      assert.equal(done, count, job);
      done = 0;
    },
  };
}

const names = Array.from({ length: 13 }, (_, at) => `field${at}`);
const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const megabytes = 5;

/** A server with the tools of all jobs. */
function working(version: string): Server {
  const server = createServer({ name: 'working', version });
  const properties = Object.fromEntries(names.map((one) => [one, { type: 'string' } as const]));
  server.tool('fill', { input: { type: 'object', properties, required: names } }, () => `filled in at ${version}`);
  server.tool('long', {}, () => `${'x'.repeat(99)}\n`.repeat(megabytes * 10_000));
  server.tool('ask', {}, async (_, context) => JSON.stringify(await context.elicit({ message: 'Who?', schema: name })));
  server.tool('think', {}, async (_, context) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'A rhyme?' } }];
    return JSON.stringify(await context.sample({ messages, maxTokens: 50 }));
  });
  server.tool('wait', {}, async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return 'given up';
  });
  return server;
}

async function begun(t: TestContext): Promise<Hand> {
  const plans = [planAt(await served(t, working('1'))), planAt(await served(t, working('2')), { name: 'other' })];
  const { page } = await openInspect(t, plans, { width: 1_440, height: 900, isFirstVisit: true });
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  return handOn(page);
}

/** Finds a tool by a part of its name, without the mouse. */
async function find({ page, press, type }: Hand, words: string): Promise<void> {
  await press('Control+k');
  await type(page.getByRole('combobox', { name: 'Search everything' }), `A tools: ${words}`);
  await press('Enter');
  await page.getByRole('heading', { name: words, exact: true }).waitFor();
}

function resultOf(page: Page): Locator {
  return page.getByRole('region', { name: 'Result' });
}

test('a tool is found, 13 fields are filled in, and it is called', { skip }, async (t) => {
  const hand = await begun(t);
  const { page, press, type, took } = hand;
  // Connecting takes none: the command line names the server.
  took(0, 'connect');
  await find(hand, 'fill');
  took(3, 'find');
  for (const one of names) await type(page.getByLabel(`${one}* (required)`, { exact: true }), 'x');
  took(13, 'fill in');
  await press('Control+Enter');
  await resultOf(page).getByText('filled in at 1').waitFor();
  took(1, 'call');
});

test('five megabytes are read and searched', { skip }, async (t) => {
  const hand = await begun(t);
  const { page, click, press, type, took } = hand;
  await find(hand, 'long');
  await press('Control+Enter');
  await click(page.getByRole('button', { name: 'Open large' }));
  const large = page.getByRole('dialog', { name: 'Result of long' });
  await large.getByText('50,001 lines').waitFor();
  await type(large.getByRole('searchbox'), 'xxx');
  await large.getByText('1 of 50,000 lines').waitFor();
  took(6, 'read 5 MB');
});

test('a form and a model are answered', { skip }, async (t) => {
  const hand = await begun(t);
  const { page, click, press, type, took } = hand;
  const question = page.getByRole('region', { name: 'Question of server' });
  await find(hand, 'ask');
  await press('Control+Enter');
  await type(question.getByRole('textbox', { name: /^name/ }), 'Ann');
  await click(question.getByRole('button', { name: 'Send' }));
  await resultOf(page).getByText('"Ann"').first().waitFor();
  took(6, 'answer a form');
  await find(hand, 'think');
  await press('Control+Enter');
  await type(question.getByRole('textbox', { name: 'Answer of the model' }), 'Rain');
  await click(question.getByRole('button', { name: 'Answer', exact: true }));
  await resultOf(page).getByText('Rain').first().waitFor();
  took(6, 'answer for a model');
});

test('a call is cancelled', { skip }, async (t) => {
  const hand = await begun(t);
  const { page, click, press, took } = hand;
  await find(hand, 'wait');
  await press('Control+Enter');
  await click(resultOf(page).getByRole('button', { name: 'Cancel' }));
  await resultOf(page)
    .getByRole('heading', { name: /^Cancelled/ })
    .waitFor();
  took(5, 'cancel');
});

test('two versions are compared, the messages are shared, and a reload keeps the place', { skip }, async (t) => {
  const hand = await begun(t);
  const { page, click, took } = hand;
  await click(page.getByRole('button', { name: 'Compare two' }));
  await page.getByRole('dialog').getByText('~ what they say of themselves: 1 field differs').waitFor();
  took(1, 'compare two versions');
  await page.keyboard.press('Escape');
  const file = page.waitForEvent('download');
  await click(page.getByRole('button', { name: 'Share' }));
  assert.equal((await file).suggestedFilename(), 'mcp-messages.html');
  took(1, 'share');
  await find(hand, 'fill');
  await page.getByLabel('field0* (required)', { exact: true }).fill('kept');
  await page.reload();
  await page.getByRole('heading', { name: 'fill', exact: true }).waitFor();
  assert.equal(await page.getByLabel('field0* (required)', { exact: true }).inputValue(), 'kept');
});
