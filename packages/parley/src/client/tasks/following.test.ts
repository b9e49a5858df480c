import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { TaskCancelledError, TaskGoneError, type Client, type ConnectOptions } from '../../client.ts';
import { createServer, type Server } from '../../server/server.ts';
import type { ToolContext } from '../../server/definition/tool-context.ts';
import { connectInMemory } from '../../testing.ts';
import { McpError } from '../../protocol/error.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import type { TaskReference } from '../api/task-handle.ts';

const surfaces = ['2025-11-25', '2026-07-28'] as const;

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

function serverWith(
  t: TestContext,
  run: (ctx: ToolContext) => unknown,
  support: 'optional' | 'required' = 'required',
): Server {
  const server = createServer(
    { name: 's', version: '1' },
    { tasks: { pollIntervalMs: 100 }, rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } } },
  );
  server.tool('t', { task: { support, after: 0 } }, async (_, ctx) => (await run(ctx)) as string);
  t.after(() => server.close());
  return server;
}

async function clientOf(
  t: TestContext,
  server: Server,
  revision: (typeof surfaces)[number],
  options: ConnectOptions = {},
): Promise<Client> {
  const client = await connectInMemory(server, { revision, ...options });
  t.after(() => client.close());
  return client;
}

function textOf({ content }: CallToolResult): unknown {
  const [block] = content;
  return block?.type === 'text' ? block.text : undefined;
}

for (const revision of surfaces) {
  test(`a call of a tool that is a task alone gives its result at ${revision} [tasks-007, tasks-051]`, async (t) => {
    const client = await clientOf(
      t,
      serverWith(t, () => 'done'),
      revision,
    );
    const result = await client.callTool('t');
    assert.deepEqual([textOf(result), result._meta, result.isError], ['done', undefined, undefined]);
  });

  test(`a task gives the result that says isError, and rejects with the error of its tool, at ${revision}`, async (t) => {
    const wrong = await clientOf(
      t,
      serverWith(t, () => ({ content: [], isError: true })),
      revision,
    );
    assert.equal((await wrong.callTool('t')).isError, true);
    const failing = serverWith(t, () => {
      throw new McpError('invalidParams', 'no', { data: { n: 1 } });
    });
    await assert.rejects((await clientOf(t, failing, revision)).callTool('t'), (error) => {
      assert.ok(error instanceof McpError);
      assert.deepEqual([error.code, error.message, error.data], [-32602, 'no', { n: 1 }]);
      return true;
    });
  });

  test(`what a task asks is answered by the handlers, each once, at ${revision} [tasks-029, tasks-068, tasks-070]`, async (t) => {
    let asked = 0;
    const server = serverWith(t, async (ctx) => {
      const answers = [
        await ctx.elicit({ message: 'a', schema: form }),
        ...(await Promise.all([
          ctx.elicit({ message: 'b', schema: form }, { key: 'b' }),
          ctx.elicit({ message: 'c', schema: form }),
        ])),
      ];
      return JSON.stringify(answers.map(({ action }) => action));
    });
    const client = await clientOf(t, server, revision, {
      onElicit: () => {
        asked++;
        return { action: 'accept', content: { name: 'ann' } };
      },
    });
    assert.equal(textOf(await client.callTool('t')), '["accept","accept","accept"]');
    assert.equal(asked, 3);
  });

  test(`who gives a call up cancels its task, and may leave it, at ${revision} [tasks-076]`, async (t) => {
    const signals: AbortSignal[] = [];
    const server = serverWith(t, async (ctx) => {
      signals.push(ctx.signal);
      ctx.task?.say('begun');
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
    });
    const client = await clientOf(t, server, revision);
    for (const onGiveUp of ['cancel', 'leave'] as const) {
      const given = new AbortController();
      const onProgress = (): void => given.abort(new Error('enough'));
      await assert.rejects(client.callTool('t', {}, { signal: given.signal, onGiveUp, onProgress }), /enough/);
    }
    const [cancelled, left] = signals;
    await new Promise<void>((resolve) => {
      if (cancelled?.aborted === true) resolve();
      else cancelled?.addEventListener('abort', () => resolve());
    });
    assert.equal(left?.aborted, false);
  });

  test(`a task is taken up by another client, which asks nothing twice, at ${revision}`, async (t) => {
    let asked = 0;
    const onElicit = (): { action: 'accept'; content: { name: string } } => {
      asked++;
      return { action: 'accept', content: { name: 'ann' } };
    };
    let go: () => void = () => undefined;
    const mayGo = new Promise<void>((resolve) => (go = resolve));
    const server = serverWith(t, async (ctx) => {
      await ctx.elicit({ message: 'a', schema: form });
      ctx.task?.say('asked');
      await mayGo;
      return 'done';
    });
    const first = await clientOf(t, server, revision, { onElicit });
    const task = await first.startTask('t', {}, { ttlMs: 60_000 });
    for await (const { statusMessage } of task.updates()) if (statusMessage === 'asked') break;
    const kept: unknown = JSON.parse(JSON.stringify(task.reference));
    await first.close();
    go();
    const second = await clientOf(t, server, revision, { onElicit });
    const again = await second.task(kept as TaskReference);
    const statuses: string[] = [];
    for await (const { status } of again.updates()) statuses.push(status);
    assert.equal(statuses.at(-1), 'completed');
    assert.deepEqual([textOf(await again.result()), textOf(await again.result()), asked], ['done', 'done', 1]);
  });

  test(`a task that is cancelled rejects, and one that nobody knows is gone, at ${revision}`, async (t) => {
    const server = serverWith(t, () => new Promise(() => undefined));
    const client = await clientOf(t, server, revision);
    const task = await client.startTask('t');
    assert.equal((await task.poll()).status, 'working');
    await task.cancel();
    await task.cancel();
    await assert.rejects(task.result(), TaskCancelledError);
    const { reference } = task;
    assert.ok(reference);
    const lost = await client.task({ ...reference, taskId: 'x'.repeat(24) });
    for (const wait of [lost.result(), lost.poll(), lost.cancel()])
      await assert.rejects(wait, (error) => error instanceof TaskGoneError && error.reason === 'unknown');
  });

  test(`a reference that is none, or is another server's, is refused by name at ${revision}`, async (t) => {
    const client = await clientOf(
      t,
      serverWith(t, () => 'x'),
      revision,
    );
    const { reference } = await client.startTask('t');
    assert.ok(reference);
    for (const [wrong, words] of [
      [undefined, /server must be a text/],
      [{ ...reference, taskId: 7 }, /taskId must be a text, not 7/],
      [{ ...reference, ttlMs: -1 }, /ttlMs must be .* -1/],
      [{ ...reference, answered: [1] }, /answered must be a list/],
      [{ ...reference, server: 'other' }, /server "other".*"s"/],
      [{ ...reference, server: 'https://a.example/mcp?key=1?2' }, /server "https:\/\/a\.example\/mcp".*"s"/],
    ] as const)
      await assert.rejects(client.task(wrong as TaskReference), (error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, words);
        return true;
      });
  });
}
