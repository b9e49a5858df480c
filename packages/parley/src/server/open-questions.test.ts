import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageText } from '../jsonrpc/encode.ts';
import { connectInMemory } from '../testing.ts';
import type { ToolContext } from './definition/tool-context.ts';
import { createServer, type Server } from './server.ts';

const dates = ['2026-07-28', '2025-11-25'] as const;
const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

function reporting(): { readonly server: Server; readonly errors: string[] } {
  const errors: string[] = [];
  const onError = (error: unknown, where: string): void => void errors.push(`${where}: ${String(error)}`);
  return { server: createServer({ name: 's', version: '1' }, { onError }), errors };
}

for (const revision of dates)
  test(`a question that its handler does not await is reported at ${revision}`, async () => {
    const { server, errors } = reporting();
    const schema = { type: 'object', properties: { a: { type: 'string' } } } as const;
    server.tool('forgets', {}, (_, ctx) => {
      void ctx.elicit({ message: 'sure?', schema });
      return 'done';
    });
    server.prompt('forgets', {}, (_, ctx) => {
      void ctx.roots();
      return 'done';
    });
    server.tool('awaits', {}, async (_, ctx) => {
      const { action } = await ctx.elicit({ message: 'sure?', schema });
      return action;
    });
    const client = await connectInMemory(server, { revision, onElicit: () => 'decline', roots: [] });
    await client.callTool('awaits');
    assert.deepEqual(errors, []);
    await client.callTool('forgets');
    await client.getPrompt('forgets');
    const why =
      'Error: the handler returned before its question to the client was answered, or its ctx.once had ended; await ctx.elicit, ctx.once and their like';
    assert.deepEqual(errors, [`tools/call "forgets": ${why}`, `prompts/get "forgets": ${why}`]);
    await client.close();
  });

for (const revision of dates)
  test(`a ctx.once that its handler does not await is reported at ${revision}`, async () => {
    const { server, errors } = reporting();
    let fail = (): void => {};
    server.tool('forgets', {}, (_, ctx) => {
      void ctx.once('k', () => new Promise((_, reject) => (fail = () => reject(new Error('no')))));
      return 'done';
    });
    server.tool('awaits', {}, async (_, ctx) => {
      await ctx.once('k', () => Promise.reject(new Error('no'))).catch(() => undefined);
      return await ctx.once('l', () => 'done');
    });
    const client = await connectInMemory(server, { revision });
    await client.callTool('awaits');
    assert.deepEqual(errors, []);
    await client.callTool('forgets');
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? '', /^tools\/call "forgets": .* or its ctx\.once had ended; await /);
    fail();
    await client.close();
  });

const cyclic: readonly (readonly [string, (args: unknown, ctx: ToolContext) => unknown])[] = [
  ['structured content', () => ({ content: [], structuredContent: cycle })],
  ['metadata', () => ({ content: [{ type: 'text', text: 'x', _meta: cycle }] })],
  ['state of rounds', () => ({ resultType: 'input_required', requestState: cycle })],
  ['what ctx.once keeps', async (_, ctx) => void (await ctx.once('k', () => cycle))],
];

for (const [name, run] of cyclic)
  test(`an error names a cyclic value in the ${name} of a tool`, async () => {
    const { server, errors } = reporting();
    // The values are wrong by their type too.
    server.tool('cyclic', {}, run as () => string);
    const client = await connectInMemory(server);
    await client.callTool('cyclic').catch(() => undefined);
    assert.match(errors[0] ?? '', /the value is cyclic: a part of it contains the whole/);
    await client.close();
  });

test('an error names a cyclic value in the output of a tool with a schema', async () => {
  const { server, errors } = reporting();
  server.tool('cyclic', { output: { type: 'object' } }, () => cycle);
  const client = await connectInMemory(server);
  await client.callTool('cyclic');
  assert.match(errors[0] ?? '', /the output of tool "cyclic" cannot be written as JSON: .*the value is cyclic/);
  await client.close();
});

test('an error names a cyclic value in a message of a client', () => {
  assert.throws(
    () => messageText({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: cycle }),
    /the message is not JSON, the value is cyclic/,
  );
});

test('an error without a common version names the versions of both sides, also those in the text of the server', async () => {
  const server = createServer({ name: 's', version: '1' }, { revisions: ['2025-06-18', '2025-11-25'] });
  await assert.rejects(connectInMemory(server, { revision: '2026-07-28' }), {
    message: 'no common revision: the server speaks 2025-11-25, 2025-06-18, this client may use 2026-07-28',
    theirs: ['2025-11-25', '2025-06-18'],
  });
});

test('the question of a cancelled task rejects with the cancellation as its reason', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  t.after(() => server.close());
  const schema = { type: 'object', properties: { a: { type: 'string' } } } as const;
  let tell: (why: string) => void;
  const why = new Promise<string>((resolve) => (tell = resolve));
  server.tool('asks', { task: 'required' }, async (_, ctx) => {
    await ctx.elicit({ message: 'sure?', schema }).catch((error: unknown) => tell(String(error)));
    return 'late';
  });
  const client = await connectInMemory(server, { revision: '2025-11-25', onElicit: () => new Promise(() => {}) });
  const task = await client.startTask('asks');
  await task.cancel();
  assert.equal(await why, 'RoundEnded: this run ended: the task was cancelled or has its outcome');
  await client.close();
});
