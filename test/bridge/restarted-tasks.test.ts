/** Tasks of a server behind HTTP that is away for a while and comes back with its store, for clients of a bridge that wait for them meanwhile. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { httpTransport } from '../../packages/parley/src/http.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { memoryTasks } from '../../packages/parley/src/storage/memory-tasks.ts';
import type { TaskStore } from '../../packages/parley/src/storage/tasks.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { memoryTransport } from '../../packages/parley/src/testing.ts';
import { bridgeTo, serverAt } from '../support/bridged.ts';
import { core, newest, person } from '../support/bridged-tasks.ts';
import { until } from '../support/turns.ts';

/** A process that serves a task which asks, and whose store outlives it. */
async function serving(t: TestContext, up: RevisionDate, { store, port = 0 }: { store: TaskStore; port?: number }) {
  const runs = { count: 0 };
  const server = serverAt(up, { tasks: { store, pollIntervalMs: 100 } });
  server.tool('job', { task: { support: 'required', attempts: 1 } }, async (_, ctx) => {
    runs.count++;
    const { content } = await ctx.elicit({ message: 'who?', schema: person });
    return `done for ${String(content?.name)}`;
  });
  const listening = await listen(server, { port, drainTimeoutMs: 0 });
  const close = async (): Promise<void> => {
    await listening.close();
    await server.close();
  };
  t.after(close);
  return { runs, url: listening.url, port: listening.port, close };
}

for (const up of [core, newest] as const)
  for (const down of ['2025-06-18', core, newest] as const)
    test(`a client at ${down} has the result of a task of a server at ${up} that was away while it asked`, async (t) => {
      const store = memoryTasks();
      const first = await serving(t, up, { store });
      const bridge = await bridgeTo(t, httpTransport(first.url));
      let answer = (): void => undefined;
      const answering = new Promise<void>((resolve) => (answer = resolve));
      let asked = 0;
      const client = await connect(memoryTransport(bridge), {
        revisions: [down],
        onElicit: async () => {
          asked++;
          await answering;
          return { action: 'accept', content: { name: 'Ada' } };
        },
      });
      t.after(() => client.close());
      await client.listTools();
      const result = client.callTool('job', {});
      result.catch(() => undefined);
      await until(() => asked > 0, 'the question');
      await first.close();
      const second = await serving(t, up, { store, port: first.port });
      answer();
      const { content } = await result;
      assert.deepEqual(content, [{ type: 'text', text: 'done for Ada' }]);
      // The run that came after goes on with the answer, at no cost.
      assert.deepEqual([first.runs.count, second.runs.count], [1, 1]);
    });
