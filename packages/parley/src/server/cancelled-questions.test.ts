/** What a handler reads when its plain call is cancelled while it asks the client. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, open } from '../../../../test/support/raw.ts';
import { until } from '../../../../test/support/turns.ts';
import { createServer, type ToolContext } from '../server.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } } } as const;
const capabilities = { elicitation: {}, roots: {} };

/** Calls a tool and cancels the call once its handler says so; gives what the handler caught. */
async function caught(
  date: (typeof dates)[number],
  ask: (ctx: ToolContext, isReady: () => void) => Promise<unknown>,
): Promise<string> {
  const found: unknown[] = [];
  let ready = false;
  const server = createServer({ name: 's', version: '1' });
  server.tool('t', {}, async (_, ctx) => {
    await ask(ctx, () => (ready = true)).catch((error: unknown) => found.push(error));
    return 'done';
  });
  const raw = await open(server, date, { capabilities });
  void raw.send('tools/call', { name: 't' }, 'c');
  await until(() => ready);
  await raw.notify('notifications/cancelled', { requestId: 'c' });
  await until(() => found.length > 0);
  assert.ok(found[0] instanceof Error);
  return found[0].message;
}

/** Asks in the way that each version has. */
const question = (ctx: ToolContext): Promise<unknown> =>
  Promise.resolve(ctx.revision < '2025-06-18' ? ctx.roots() : ctx.elicit({ message: '?', schema }));

for (const date of dates) {
  test(`a call of ${date} that is cancelled while it asks reads that it was cancelled`, async () => {
    const message = await caught(date, async (ctx, isReady) => {
      const asked = question(ctx);
      asked.catch(() => undefined);
      isReady();
      // In 2026-07-28 the run ends once its other work is done.
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      return await asked;
    });
    assert.equal(message, 'the request was cancelled');
  });

  test(`a call of ${date} that asks after it was cancelled reads that it was cancelled`, async () => {
    const message = await caught(date, async (ctx, isReady) => {
      const aborted = new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      isReady();
      await aborted;
      return await question(ctx);
    });
    assert.equal(message, 'the request was cancelled');
  });
}
