/** Tasks on the page: how they move, how long they are kept, and their polls as one row of the wire. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';

const skip = noBrowser;

/** A server with a task that goes on until it is told to end, and one that asks. */
function tasking(): { readonly server: Server; end(): void } {
  const server = createServer({ name: 'tasking', version: '1' });
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  server.tool('long', { task: 'required' }, async (_, context) => {
    context.progress(1, 4, 'a quarter');
    await ended;
    return 'all of it';
  });
  server.tool('asks', { task: 'required' }, async (_, context) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } } as const;
    const { action } = await context.elicit({ message: 'Who are you?', schema });
    return `it was ${action}`;
  });
  return { server, end };
}

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`a task moves in a place of its own, and its polls are one row (${revision})`, { skip }, async (t) => {
    const { server, end } = tasking();
    const { page, choose, until, accessible } = await openInspect(
      t,
      [planAt(await served(t, server))],
      {},
      { revision },
    );
    await choose('tools', 'long');
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    await page.getByRole('tab', { name: 'Tasks 1' }).click();
    await choose('tasks', 'long');
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByRole('progressbar', { name: 'Progress of long' }).waitFor();
    await result.getByText(/1 of 4 a quarter .*task working .*kept for \d+ (s|min|h)/).waitFor();
    // The time goes on while nothing else happens.
    await result.getByText(/ · for (?:[2-9]|\d{2,}) (?:s|min)/).waitFor();
    await accessible('a task that runs');
    const rows = page.getByRole('grid', { name: 'Messages' }).getByRole('row');
    const mark = rows.getByRole('button', { name: /\d+ poll/ });
    await mark.waitFor();
    await accessible('polls that are one row');
    assert.equal(await rows.filter({ hasText: 'result of tasks/get' }).count(), 0);
    await mark.click();
    await rows.filter({ hasText: 'result of tasks/get working' }).first().waitFor();
    await mark.click();
    await rows.filter({ hasText: 'result of tasks/get' }).first().waitFor({ state: 'detached' });
    // By keyboard, too.
    await rows.filter({ has: page.getByRole('button', { name: /\d+ poll/ }) }).click({ position: { x: 8, y: 8 } });
    await page.keyboard.press('Enter');
    await rows.filter({ hasText: 'result of tasks/get working' }).first().waitFor();
    // A filter shows what it finds, each by itself.
    await page.keyboard.press('Enter');
    await rows.filter({ hasText: 'result of tasks/get' }).first().waitFor({ state: 'detached' });
    await page.getByLabel('Filter of the wire').fill('tasks/get');
    await rows.filter({ hasText: 'result of tasks/get' }).first().waitFor();
    await page.getByLabel('Filter of the wire').fill('');
    end();
    await result.getByText('all of it').waitFor();
    await page.locator('.tool').getByText('completed').first().waitFor();
    await until('document.querySelectorAll("progress").length === 0');
  });

  test(`a task that asks says so, and its question counts the time (${revision})`, { skip }, async (t) => {
    const { page, choose } = await openInspect(t, [planAt(await served(t, tasking().server))], {}, { revision });
    await choose('tools', 'asks');
    await page.getByRole('button', { name: /^Call Ctrl/ }).click();
    await page.getByRole('tab', { name: 'Tasks 1' }).click();
    const question = page.getByRole('region', { name: 'Question of server' });
    await question.getByText(/waits for (?:[2-9]|\d{2,}) (?:s|min); its task is kept for/).waitFor();
    const tasks = page.getByRole('grid', { name: 'tasks', exact: true });
    await tasks.getByRole('row').filter({ hasText: 'asks' }).getByText('task input_required').waitFor();
    await question.getByRole('button', { name: 'Decline' }).click();
    await tasks.getByText(/completed/).waitFor();
    await choose('tasks', 'asks');
    await page.getByRole('region', { name: 'Result' }).getByText('it was decline').waitFor();
  });
}
