/** The page in a real browser: what a person does there, from the first click. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { spawn } from '../../packages/parley/src/transports/stdio/client/transport.ts';
import { spawnNode } from '../support/programs.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';
import { root } from '../support/sources.ts';

const skip = noBrowser;

test('does it work: connect, a tool, its form, its result', { skip }, async (t) => {
  const { page, choose, accessible } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await choose('tools', 'Forecast');
  await page.getByLabel('city').fill('Oslo');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('fits the output schema').waitFor();
  assert.match((await result.textContent()) ?? '', /Oslo/);
  await accessible('a result');
  await choose('tools', 'Picture');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await page.locator('.result img').waitFor();
  assert.ok(
    await page.locator('.result img').evaluate((image: { readonly naturalWidth: number }) => image.naturalWidth > 0),
  );
});

test('what an older host will see: the lens over the answer of a call', { skip }, async (t) => {
  const { page, choose, accessible } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await choose('tools', 'Forecast');
  await page.getByLabel('city').fill('Oslo');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Result' }).getByRole('button', { name: /^#/ }).click();
  const pane = page.getByRole('complementary');
  await pane.getByRole('button', { name: /^answer/ }).click();
  await pane.getByRole('button', { name: 'Lens' }).click();
  const lens = page.getByRole('region', { name: 'Lens' });
  await lens.getByRole('button', { name: '2025-03-26' }).click();
  await lens.getByText('a client of 2025-03-26 gets').waitFor();
  assert.match(
    (await lens.textContent()) ?? '',
    /left out.*structuredContent|structuredContent.*its JSON as a text block/,
  );
  const crossed = lens.getByRole('grid', { name: 'As it crossed in 2026-07-28' }).getByRole('row');
  await crossed.filter({ hasText: /only here: ▾?"structuredContent"/ }).waitFor();
  await accessible('the lens');
  await page.getByRole('tab', { name: 'About' }).click();
  await page.getByRole('region', { name: 'Clients of other revisions' }).getByText('refused').first().waitFor();
  await accessible('what is lost');
});

test('what an older host will see: the call, tried as its client before the same server', { skip }, async (t) => {
  const { page, choose, accessible } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await choose('tools', 'Forecast');
  await page.getByLabel(/^city/).fill('Oslo');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await page.getByRole('region', { name: 'Result' }).getByText('celsius').first().waitFor();
  const messages = page.getByRole('grid', { name: 'Messages' });
  await messages.getByRole('row').filter({ hasText: 'result of tools/call' }).click();
  await page.getByRole('button', { name: 'Lens', exact: true }).click();
  await page.getByRole('button', { name: '2025-03-26', exact: true }).click();
  assert.equal(
    await messages
      .getByRole('row')
      .filter({ hasText: /result of tools\/call/ })
      .count(),
    1,
  );
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByRole('button', { name: 'Call it again as a client of 2025-03-26' }).click();
  await trial.getByText('✓ as the lens says').waitFor();
  await messages
    .getByRole('row')
    .filter({ hasText: /result of tools\/call/ })
    .nth(1)
    .waitFor();
  await trial.getByText('its JSON as a text block').waitFor();
  assert.match(
    (await trial.getByRole('grid', { name: 'Message at the server' }).first().textContent()) ?? '',
    /structuredContent/,
  );
  assert.doesNotMatch(
    (await trial.getByRole('grid', { name: 'Message at the client' }).first().textContent()) ?? '',
    /structuredContent/,
  );
  await accessible('a conversation that was tried');
  await page.getByRole('button', { name: '2025-06-18', exact: true }).click();
  await trial.getByRole('button', { name: 'Call it again as a client of 2025-06-18' }).waitFor();
  assert.equal(await trial.getByText('as the lens says').count(), 0);
});

test('a list is tried too where no tool is called', { skip }, async (t) => {
  const url = await served(t, createExampleServer());
  const { page } = await openInspect(t, [planAt(url)], {}, { isReadOnly: true });
  await page
    .getByRole('grid', { name: 'Messages' })
    .getByRole('row')
    .filter({ hasText: 'result of tools/list' })
    .click();
  await page.getByRole('button', { name: 'Lens', exact: true }).click();
  await page.getByRole('button', { name: /^Try it as a client of/ }).click();
  await page.getByText('✓ as the lens says').waitFor();
});

function asking(): Server {
  const server = createServer({ name: 'asks', version: '1' });
  server.tool('who', {}, async (_, context) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
    const { action, content } = await context.elicit({ message: 'Who are you?', schema });
    return `${action}: ${JSON.stringify(content)}`;
  });
  server.tool('think', {}, async (_, context) => {
    const { content } = await context.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'What is seven?' } }],
      maxTokens: 10,
    });
    return JSON.stringify(content);
  });
  server.tool('slow', {}, async (_, context) => {
    context.progress(1, 4, 'one of four');
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
    return 'never';
  });
  return server;
}

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`it asks me: a form and a model, answered in the page (${revision})`, { skip }, async (t) => {
    const plans = [planAt(await served(t, asking()))];
    const { page, choose, accessible, until } = await openInspect(t, plans, {}, { revision });
    await choose('tools', 'who');
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    const question = page.getByRole('region', { name: 'Question of server' });
    await question.getByText('Who are you?').waitFor();
    await until('document.title.startsWith("(1)")');
    await accessible('a question');
    await question.getByLabel('name').fill('Ann');
    await question.getByRole('button', { name: 'Send' }).click();
    await page.getByText('accept: {"name":"Ann"}').waitFor();
    await choose('tools', 'think');
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    await question.getByText('What is seven?').waitFor();
    await question.getByLabel('Answer of the model').fill('7');
    await question.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('"text":"7"').waitFor();
  });

test('questions for a model are answered alike, as long as the person wishes it', { skip }, async (t) => {
  const { page, choose, accessible } = await openInspect(t, [planAt(await served(t, asking()))]);
  const call = page.getByRole('button', { name: /^Call Ctrl/ });
  const result = page.getByRole('region', { name: 'Result' });
  const question = page.getByRole('region', { name: 'Question of server' });
  await choose('tools', 'think');
  await call.click();
  await question.getByLabel('Answer of the model').fill('7');
  await question.getByRole('button', { name: 'Answer all of this server like this' }).click();
  await result.getByText('"text":"7"').waitFor();
  await page.getByText('answered as you said, 99 times more').waitFor();
  await accessible('answers that were wished for');
  await call.click();
  await page.getByText('answered as you said, 98 times more').waitFor();
  await result.getByText('"text":"7"').waitFor();
  await page.getByRole('button', { name: 'Ask me again' }).click();
  await call.click();
  await question.getByText('What is seven?').waitFor();
});

test('what a server has is told to be unknown until it is connected', { skip }, async (t) => {
  const reach = (): Promise<never> => new Promise(() => {});
  const { page } = await openInspect(t, [planAt('http://127.0.0.1:1', { reach })]);
  await page.getByRole('tabpanel').getByText('Connecting').waitFor();
  assert.equal(await page.getByText('This server has no tools').count(), 0);
});

test('it takes long: progress, and cancel by a key', { skip }, async (t) => {
  const { page, choose } = await openInspect(t, [planAt(await served(t, asking()))]);
  await choose('tools', 'slow');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await page.getByText('1 of 4 one of four').first().waitFor();
  await page.getByRole('grid', { name: 'tools', exact: true }).focus();
  await page.keyboard.press('.');
  await page.getByRole('heading', { name: /Cancelled/ }).waitFor();
});

test('why not: a process that ends says what it wrote, and what to do', { skip }, async (t) => {
  const command = process.execPath;
  const args = ['-e', 'console.error("the database is away"); process.exit(3)'];
  const reach = ({
    onStderr,
  }: {
    readonly onStderr: (text: string) => void;
  }): ReturnType<Parameters<typeof openInspect>[1][number]['reach']> =>
    Promise.resolve(spawn(command, args, { onStderr }));
  const { page, accessible } = await openInspect(t, [planAt('http://127.0.0.1:1', { kind: 'stdio', reach })]);
  await page.getByRole('region', { name: 'Failure' }).getByText('Fix it, then restart it.').waitFor();
  const rows = page.getByRole('grid', { name: 'Messages' }).getByRole('row');
  await rows.getByText('the database is away').first().waitFor();
  // Nobody is there any more who would answer.
  await rows.filter({ hasText: 'initialize' }).getByText('no answer', { exact: true }).waitFor();
  assert.equal(await rows.getByText('waits', { exact: true }).count(), 0);
  await accessible('a failure');
});

test('it works with server-everything, and with two servers side by side', { skip }, async (t) => {
  const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const plans = [
    planAt('http://127.0.0.1:1', {
      name: 'everything',
      kind: 'stdio',
      reach: ({ onStderr, killTimeoutMs }) =>
        Promise.resolve(spawnNode([everything, 'stdio'], { onStderr, killTimeoutMs })),
    }),
    planAt(await served(t, createExampleServer()), { name: 'example' }),
  ];
  const { page, choose, accessible, scene } = await openInspect(t, plans);
  await choose('tools', 'Get Sum');
  const { server } = await scene.line('server', (line) => line.server.pid !== undefined);
  const card = page.getByRole('region', { name: 'Server A' }).getByTestId('connection-status');
  assert.match((await card.textContent()) ?? '', new RegExp(`stdio, pid ${server.pid}`));
  // It is that of a process which is there, and is shown no longer than it.
  assert.ok(process.kill(server.pid ?? 0, 0));
  await page.getByLabel('a* (required)').fill('2');
  await page.getByLabel('b* (required)').fill('3');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await page.getByText('The sum of 2 and 3 is 5.').waitFor();
  await page.getByRole('tab', { name: /Resources/ }).click();
  await page.getByRole('button', { name: 'B', exact: false }).filter({ hasText: 'example' }).click();
  await page.getByRole('tab', { name: /Prompts/ }).click();
  await page.getByRole('grid', { name: 'prompts', exact: true }).getByRole('row').first().waitFor();
  await accessible('two servers');
  await page.getByRole('button', { name: 'Compare two' }).click();
  await page
    .getByRole('dialog')
    .getByText(/tools: \d+ differ/)
    .waitFor();
  // Nothing that the official server does is taken for a fault.
  assert.equal(await page.getByRole('grid', { name: 'Messages' }).getByText('breaks').count(), 0);
  await page.keyboard.press('Escape');
  await page
    .getByRole('region', { name: 'Server A' })
    .getByRole('button', { name: /everything/ })
    .click();
  await page.getByRole('region', { name: 'Server A' }).getByRole('button', { name: 'Disconnect' }).click();
  await card.getByText(/closed/).waitFor();
  assert.doesNotMatch((await card.textContent()) ?? '', /pid/);
});

test(
  'an address in the words of the official Inspector reaches a server, and starts no command',
  { skip },
  async (t) => {
    const { page, scene } = await openInspect(t, []);
    const url = await served(t, createExampleServer());
    const open = async (query: Readonly<Record<string, string>>): Promise<void> => {
      await page.goto('about:blank');
      await page.goto(`${scene.url.split('#')[0]}?${String(new URLSearchParams(query))}#${scene.token}`);
    };
    await open({ serverUrl: url, transport: 'http' });
    const field = page.getByLabel('Add an address');
    assert.equal(await field.inputValue(), url);
    await open({ serverUrl: url, transport: 'http', autoConnect: 'what-a-stranger-guesses' });
    assert.equal(await field.inputValue(), url);
    assert.equal(await page.getByTestId('connection-status').count(), 0);
    await open({ serverUrl: url, transport: 'http', autoConnect: scene.token });
    await page.locator('.server[data-status=connected]').waitFor();
    assert.equal(await field.inputValue(), '');
    assert.equal(new URL(page.url()).search, '');
    await open({ transport: 'stdio', serverCommand: 'node', serverArgs: 'server.js' });
    await page.locator('.trouble', { hasText: 'parley inspect -- node server.js' }).waitFor();
    // The servers that there are come by the feed, the trouble stands in the address.
    await page.locator('.server').first().waitFor();
    assert.equal(await page.locator('.server').count(), 1);
  },
);

test('a page that is opened later has the rows in the order in which they crossed', { skip }, async (t) => {
  const { page, scene } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  const grid = page.getByRole('grid', { name: 'Messages' });
  await grid.getByText('result of resources/templates/list').first().waitFor();
  await page.goto('about:blank');
  await page.goto(scene.url);
  await grid.getByText('result of resources/templates/list').first().waitFor();
  const rows = await grid.getByRole('row').allTextContents();
  const numbers = rows.map((row) => Number.parseInt(row, 10)).filter((n) => !Number.isNaN(n));
  assert.ok(numbers.length > 6);
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, another) => one - another),
  );
});

test('without a mouse: palette, lists, the wire, and back', { skip }, async (t) => {
  const { page, until } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
  const palette = page.getByRole('combobox', { name: 'Search everything' });
  await page.keyboard.press('Control+k');
  await palette.waitFor();
  await page.keyboard.type('tools echo');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Echo' }).waitFor();
  await page.keyboard.press('Control+k');
  await palette.waitFor();
  await page.keyboard.type('filter of the wire');
  await page.keyboard.press('Enter');
  await until('document.activeElement?.getAttribute("aria-label") === "Filter of the wire"');
  await page.keyboard.type('method:tools/list');
  await page.getByRole('grid', { name: 'Messages' }).getByText('result of tools/list').waitFor();
  while (!(await page.evaluate('document.activeElement?.getAttribute("aria-label") === "Messages"')))
    await page.keyboard.press('Tab');
  await page.keyboard.press('j');
  await page
    .getByRole('complementary')
    .getByRole('heading', { name: /tools\/list/ })
    .waitFor();
  await page.keyboard.press('p');
  await page
    .getByRole('complementary')
    .getByRole('button', { name: /^request/ })
    .waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('complementary').waitFor({ state: 'detached' });
});

for (const look of [
  { width: 360, height: 740 },
  { width: 800, height: 900, dark: true },
  { width: 1_600, height: 1_000, dark: true },
])
  test(
    `every place is accessible at ${look.width} px, ${look.dark === true ? 'dark' : 'light'}, and nothing is wider than the page`,
    { skip },
    async (t) => {
      const { page, choose, accessible } = await openInspect(t, [planAt(await served(t, createExampleServer()))], look);
      const fits = async (what: string): Promise<void> => {
        await accessible(what);
        assert.ok(
          await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
          `${what} is wider than the page`,
        );
      };
      await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
      await fits('tools');
      await choose('tools', 'Forecast');
      await page.getByLabel('city').fill('Oslo');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('region', { name: 'Result' }).getByText('fits').waitFor();
      await fits('a result');
      if (look.width < 1_000) {
        await page.getByRole('button', { name: 'Servers', exact: true }).click();
        await fits('servers');
        await page.getByRole('button', { name: 'Wire', exact: true }).click();
      }
      await page.getByRole('grid', { name: 'Messages' }).getByRole('row').nth(2).click();
      await fits('a message');
      await page.getByRole('complementary').getByRole('button', { name: 'Lens' }).click();
      await page
        .getByRole('region', { name: 'Lens' })
        .getByText(/a client of|nothing to compare/i)
        .first()
        .waitFor();
      await fits('the lens');
      await page.getByRole('button', { name: 'Keys' }).click();
      await fits('the keys');
    },
  );
