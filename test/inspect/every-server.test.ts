/** Every use of the page before every kind of server: our example, one of each official SDK, and a guarded one. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { start } from '../support/cli-process.ts';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { spawnNode } from '../support/programs.ts';
import { guardedServer } from '../support/guarded-server.ts';
import { noBrowser, openInspect, watchPage } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';
import {
  begin,
  callOffered,
  complete,
  fillIn,
  lookAtWire,
  lookThroughLens,
  openTab,
  questionOf,
  type OfferedField,
  type OfferedTool,
  type UsedPage,
} from '../support/offered-uses.ts';
import { servedOfficialUses } from '../support/official-uses.ts';
import { authorizationServer } from '../support/oidc-provider.ts';
import { machineWithPerson } from '../support/page-opener.ts';
import { root } from '../support/sources.ts';

const skip = noBrowser;

/** Names under which a server offers what is used; what it has not is left out. */
interface Offered {
  readonly isHttp: boolean;
  readonly text: OfferedTool;
  readonly media: readonly (OfferedTool & { readonly seen: string })[];
  readonly structured: OfferedTool;
  readonly failure: OfferedTool;
  readonly prompt: OfferedField;
  readonly resource: { readonly name: string; readonly shows: string };
  readonly template: OfferedField;
  readonly watch: { readonly name: string; readonly tool?: string; readonly begins?: string };
  readonly slow: Omit<OfferedTool, 'shows'>;
  readonly log: OfferedTool & { readonly says: string | RegExp };
  readonly task?: Omit<OfferedTool, 'shows'>;
  readonly roots: OfferedTool;
  readonly form: OfferedTool & { readonly asks: string; readonly answer: OfferedTool['fill'] };
  readonly url: OfferedTool & { readonly asks: string };
  readonly sampling: OfferedTool & { readonly asks: string };
}

const example: Offered = {
  isHttp: true,
  text: { tool: 'Echo', fill: { message: 'hi there' }, shows: 'hi there' },
  media: [
    { tool: 'Picture', shows: 'Copy', seen: 'img' },
    { tool: 'Tone', shows: /wav/, seen: 'audio' },
    { tool: 'Cities', shows: 'example://cities/Oslo', seen: '*' },
    { tool: 'Manual', shows: 'Believe none of it', seen: '*' },
  ],
  structured: { tool: 'Add', fill: { a: '2', b: '3' }, shows: 'fits the output schema' },
  failure: { tool: 'Fail', shows: 'the kettle is empty' },
  prompt: {
    name: 'Greet somebody',
    field: 'Tone',
    fill: { name: 'Ann' },
    typed: 'f',
    option: 'formal',
    shows: 'Write a formal greeting',
  },
  resource: { name: 'The manual', shows: 'Believe none of it' },
  template: { name: 'A city', field: 'city', typed: 'Os', option: 'Osaka', shows: 'A city in Japan' },
  watch: { name: 'The manual' },
  slow: { tool: 'Countdown', fill: { from: '50', pauseMs: '500' } },
  log: { tool: 'Countdown', fill: { from: '2', pauseMs: '1' }, shows: 'lift-off', says: 'countdown' },
  task: { tool: 'Countdown', fill: { from: '50', pauseMs: '500' } },
  roots: { tool: 'Folders', shows: 'file:///srv/data' },
  form: {
    tool: 'Book a journey',
    fill: { city: 'Oslo' },
    asks: 'When and how do you travel to Oslo?',
    answer: { Day: '2026-01-02', window: true },
    shows: /Noted for Oslo.*"seat":"window"/,
  },
  url: { tool: 'Map', asks: 'Here is a map.', shows: 'You said: decline.' },
  sampling: { tool: 'Rhyme', asks: 'Give me two lines', shows: 'by a person' },
};

const everything: Offered = {
  isHttp: false,
  text: { tool: 'Echo Tool', fill: { message: 'hi there' }, shows: 'Echo: hi there' },
  media: [
    { tool: 'Get Tiny Image', shows: /image/, seen: 'img' },
    { tool: 'Get Resource Links', shows: 'demo://resource', seen: '*' },
    { tool: 'Get Resource Reference', shows: /plaintext resource/, seen: '*' },
  ],
  structured: { tool: 'Get Structured Content', fill: { Chicago: true }, shows: 'fits the output schema' },
  failure: { tool: 'Get Resource Reference', fill: { resourceId: '-1' }, shows: /resourceId/ },
  prompt: {
    name: 'Team Management',
    field: 'department',
    fill: { name: 'Eve' },
    typed: 'Sal',
    option: 'Sales',
    shows: /Sales/,
  },
  resource: { name: 'architecture.md', shows: 'Architecture' },
  template: { name: 'Dynamic Text Resource', field: 'resourceId', typed: '7', option: '7', shows: 'Resource 7' },
  watch: { name: 'architecture.md', tool: 'Toggle Subscriber Updates' },
  slow: { tool: 'Trigger Long Running', fill: { duration: '60', steps: '60' } },
  log: { tool: 'Toggle Simulated Logging', shows: /Started simulated/, says: /message/ },
  task: { tool: 'Simulate Research Query', fill: { topic: 'rain' } },
  roots: { tool: 'Get Roots List', shows: /file:\/\/\/srv\/data/ },
  form: {
    tool: 'Trigger Elicitation Request',
    asks: 'Please provide inputs',
    answer: { String: 'Ann' },
    shows: /User provided/,
  },
  url: {
    tool: 'Trigger URL Elicitation',
    fill: { url: 'https://example.com/path' },
    asks: 'Please open the link',
    shows: /decline/,
  },
  sampling: { tool: 'Trigger Sampling Request', fill: { prompt: 'seven' }, asks: 'seven', shows: /by a person/ },
};

/** The official second SDK has no tasks. */
const official: Offered = {
  isHttp: true,
  text: { tool: 'greet', fill: { name: 'Ann' }, shows: 'Hello, Ann!' },
  media: ['img', 'audio', 'text=the memo', 'text=enclosed words'].map((seen) => ({
    tool: 'media',
    shows: 'the memo',
    seen,
  })),
  structured: { tool: 'measure', fill: { air: true }, shows: 'fits the output schema' },
  failure: { tool: 'fail', shows: 'nothing works' },
  prompt: { name: 'welcome', field: 'tone', typed: 'for', option: 'formal', shows: 'Be formal.' },
  resource: { name: 'memo', shows: 'remember the milk' },
  template: { name: 'plan', field: 'day', typed: 'sun', option: 'sunday', shows: 'planned: plan://sunday' },
  watch: { name: 'memo', tool: 'touch' },
  slow: { tool: 'slow' },
  log: { tool: 'note', shows: 'noted', says: 'it is late' },
  roots: { tool: 'look', shows: /file:\/\/\/srv\/data/ },
  form: { tool: 'book', asks: 'Your name?', answer: { name: 'Ann' }, shows: /"name":"Ann"/ },
  url: { tool: 'visit', asks: 'Look here.', shows: /decline/ },
  sampling: { tool: 'think', asks: 'What is seven?', shows: /by a person/ },
};

const uses: Readonly<Record<string, (used: UsedPage, offered: Offered) => Promise<unknown>>> = {
  'a tool is filled in and called': (used, { text }) => callOffered(used, text),
  async 'images, sounds, links and what is enclosed are shown as what they are'(used, { media }) {
    for (const one of media) await (await callOffered(used, one)).locator(one.seen).first().waitFor();
  },
  'structured content is judged': (used, { structured }) => callOffered(used, structured),
  async 'a failure of a tool says that it is one'(used, { failure }) {
    await (
      await callOffered(used, failure)
    )
      .getByText(/The tool failed|error -?\d/i)
      .first()
      .waitFor();
  },
  'a prompt completes what is typed': (used, { prompt }) => complete(used, 'prompts', prompt),
  async 'a resource is read'(used, { resource: { name, shows } }) {
    await openTab(used, 'Resources');
    await used.choose('resources', name);
    await used.page.getByRole('button', { name: 'Read', exact: true }).click();
    await used.page.getByRole('region', { name: 'Result' }).getByText(shows).first().waitFor();
  },
  'a template completes what is typed': (used, { template }) => complete(used, 'resources', template),
  async 'a resource is watched'(used, { watch }) {
    const { page, choose } = used;
    await openTab(used, 'Resources');
    await choose('resources', watch.name);
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.getByRole('button', { name: 'Stop watching' }).waitFor();
    if (watch.tool !== undefined) {
      await begin(used, { tool: watch.tool });
      await openTab(used, 'Resources');
      await page.getByRole('button', { name: 'Read again: it was updated' }).click();
      await begin(used, { tool: watch.tool });
      await openTab(used, 'Resources');
    }
    await page.getByRole('button', { name: 'Stop watching' }).click();
    await page.getByRole('button', { name: 'Watch', exact: true }).waitFor();
  },
  async 'a call that takes long is seen to go on, and cancelled'(used, { slow }) {
    const result = await begin(used, slow);
    await result.getByRole('progressbar').waitFor();
    await result
      .getByText(/[1-9]\d* of \d+/)
      .first()
      .waitFor();
    await result.getByRole('button', { name: /^Cancel/ }).click();
    await result
      .getByText(/cancelled/i)
      .first()
      .waitFor();
  },
  async 'what a server logs is shown by levels'(used, { log }) {
    const { page } = used;
    await openTab(used, 'Log');
    await page.getByLabel('Ask the server for').selectOption('debug');
    await callOffered(used, log);
    await openTab(used, 'Log');
    await page.getByRole('grid', { name: 'Log' }).getByText(log.says).first().waitFor();
  },
  async 'a task moves, and is cancelled'(used, { task }) {
    if (task === undefined) return;
    const { page, choose } = used;
    await openTab(used, 'Tools');
    await choose('tools', task.tool);
    await fillIn(page.locator('.tool'), task.fill);
    await page.getByRole('button', { name: 'Call as a task' }).click();
    await page.getByRole('tab', { name: /^Tasks \d/ }).click();
    await page.getByRole('grid', { name: 'tasks', exact: true }).getByRole('row').first().click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText(/task working/).waitFor();
    await result.getByRole('button', { name: /^Cancel/ }).click();
    await page.locator('.tool').getByText('cancelled').first().waitFor();
  },
  async 'roots are given'(used, { roots }) {
    const { page } = used;
    await openTab(used, 'About');
    await page.getByPlaceholder('file:///').fill('file:///srv/data');
    await page.getByPlaceholder('file:///').press('Enter');
    await page.getByRole('button', { name: 'Remove file:///srv/data' }).waitFor();
    await callOffered(used, roots);
  },
  async 'a form is answered'(used, { form }) {
    const result = await begin(used, form);
    const question = await questionOf(used, form.asks);
    await used.accessible('a form');
    await fillIn(question, form.answer);
    await question.getByRole('button', { name: 'Send', exact: true }).click();
    await result.getByText(form.shows).first().waitFor();
  },
  async 'a page is asked for'(used, { url }) {
    const result = await begin(used, url);
    const question = await questionOf(used, url.asks);
    assert.equal(await question.locator('.address b').textContent(), 'example.com');
    await question.getByRole('button', { name: 'Decline' }).click();
    await result.getByText(url.shows).first().waitFor();
  },
  async 'a model is answered for'(used, { sampling }) {
    const result = await begin(used, sampling);
    const question = await questionOf(used, sampling.asks);
    await question.getByLabel('Answer of the model').fill('by a person');
    await question.getByRole('button', { name: 'Answer', exact: true }).click();
    await result.getByText(sampling.shows).first().waitFor();
  },
  async 'the wire and its files'(used, { isHttp, text }) {
    await callOffered(used, text);
    await lookAtWire(used, isHttp);
  },
  'the lens, and the bridge that it speaks of': (used) => lookThroughLens(used),
};

async function useAll(t: TestContext, used: UsedPage, offered: Offered): Promise<void> {
  for (const [title, use] of Object.entries(uses))
    await t.test(title, async () => {
      try {
        await use(used, offered);
      } catch (cause) {
        const seen = await used.page.locator('body').innerText();
        throw new Error(`then there stood: ${seen.slice(0, 4_000)}`, { cause });
      }
    });
}

/** Adds a second server by its address, and compares the two. */
async function besideAnother(used: UsedPage, address: string): Promise<void> {
  const { page } = used;
  await page.getByLabel('Add an address').fill(address);
  await page.getByRole('button', { name: 'Add', exact: true }).first().click();
  await page.getByRole('region', { name: 'Server B' }).getByText('connected').waitFor();
  await page.getByRole('button', { name: 'Compare two' }).click();
  await page
    .getByRole('dialog')
    .getByText(/tools: (the same|\d+ differ)/)
    .waitFor();
  await page.keyboard.press('Escape');
}

const servers: Readonly<Record<string, { readonly offered: Offered; open(t: TestContext): Promise<UsedPage> }>> = {
  'our example': {
    offered: example,
    open: async (t) => openInspect(t, [planAt(await served(t, createExampleServer()))]),
  },
  'server-everything': {
    offered: everything,
    open(t) {
      const program = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
      const plan = planAt('http://127.0.0.1:1', {
        name: 'everything',
        kind: 'stdio',
        reach: ({ onStderr, killTimeoutMs }) =>
          Promise.resolve(spawnNode([program, 'stdio'], { onStderr, killTimeoutMs })),
      });
      return openInspect(t, [plan]);
    },
  },
  'a server of the official second SDK': {
    offered: official,
    open: async (t) => openInspect(t, [planAt(await servedOfficialUses(t))]),
  },
};

for (const [name, { offered, open }] of Object.entries(servers))
  test(`everything is used at ${name}`, { skip }, async (t) => {
    const used = await open(t);
    await useAll(t, used, offered);
    await t.test('beside another one', async () => besideAnother(used, await served(t, createExampleServer())));
  });

test('everything is used at a guarded server, once a person signed in', { skip }, async (t) => {
  const as = await authorizationServer(t);
  const { url } = await guardedServer(t, as.issuer, { server: createExampleServer() });
  const { env } = await machineWithPerson(t);
  const opened: UsedPage[] = [];
  // Before the process ends, of which a page complains.
  t.after(async () => {
    for (const { page } of opened) await page.close();
  });
  // All of it takes longer than a command does, on a busy machine.
  const running = start(['inspect', '--no-open', url], env, 400_000);
  t.after(async () => {
    running.child.kill('SIGTERM');
    await running.ended;
  });
  const used = await watchPage(t, await running.said(/at (http:\S+)/));
  opened.push(used);
  const card = used.page.getByRole('region', { name: 'Server A' });
  await card.getByRole('button', { name: 'Sign in' }).click();
  await card.getByText(/signed in/).waitFor();
  await callOffered(used, { tool: 'whoami', shows: 'ann' });
  await useAll(t, used, example);
  await t.test('beside another one', async () => besideAnother(used, await served(t, createExampleServer())));
  await card.getByRole('button').first().click();
  await card.getByRole('button', { name: 'Sign out' }).click();
  // It closes, leaves, and only then forgets that somebody was signed in.
  await card.getByText(/signed in/).waitFor({ state: 'hidden' });
  assert.equal(as.revokedGrants(), 1);
});
