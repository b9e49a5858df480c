import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../client.ts';
import { listen } from '../../node.ts';
import { createServer } from '../../server/server.ts';

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  test(`a call waits for its task while the server cannot be reached, at ${revision} [tasks-081]`, async (t) => {
    const named: (readonly [string, string | undefined])[] = [];
    let begun: () => void = () => undefined;
    let end: () => void = () => undefined;
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const mayEnd = new Promise<void>((resolve) => (end = resolve));
    const server = createServer({ name: 's', version: '1' }, { tasks: { pollIntervalMs: 100 } });
    server.tool('t', { task: 'required' }, async (_, ctx) => {
      ctx.task?.say('begun');
      await mayEnd;
      return ctx.task?.id ?? '';
    });
    const authenticate = (request: { header(name: string): string | undefined }): { principal: string } => {
      const method = request.header('mcp-method');
      if (method?.startsWith('tasks/') === true) named.push([method, request.header('mcp-name')]);
      return { principal: 'ann' };
    };
    let listening = await listen(server, { port: 0, authenticate });
    const client = await connect(listening.url, { revisions: [revision] });
    t.after(async () => {
      await client.close();
      await listening.close();
      await server.close();
    });
    const task = await client.startTask('t');
    const seen = (async (): Promise<void> => {
      for await (const { statusMessage } of task.updates()) if (statusMessage === 'begun') begun();
    })();
    const result = task.result();
    await isBegun;
    const { port } = new URL(listening.url);
    await listening.close();
    listening = await listen(server, { port: Number(port), authenticate });
    end();
    const [block] = (await result).content;
    await seen;
    const id = task.reference?.taskId;
    assert.deepEqual(block?.type === 'text' && block.text, id);
    assert.equal(task.reference?.server, `http://127.0.0.1:${port}/mcp`);
    if (revision === '2026-07-28') {
      assert.ok(named.length > 1);
      for (const [, name] of named) assert.equal(name, id);
    }
  });
