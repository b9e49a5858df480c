/** A question of our server as a task of our client, whatever carries it, in a call and in a task. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { connect, type Client, type ConnectOptions } from '../../packages/parley/src/client.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { spawnNode } from '../support/programs.ts';
import { connectInMemory, record } from '../../packages/parley/src/testing.ts';
import { askingServer } from '../support/task-asking-server.ts';

type Json = Readonly<Record<string, unknown>>;

const hosting: ConnectOptions = {
  onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  onSample: () => 'hello',
  clientTasks: { elicitation: true, sampling: true },
};
const outcome = [
  { action: 'accept', content: { name: 'Ada' } },
  { type: 'text', text: 'hello' },
];

interface Carried {
  readonly client: Client;
  close(): Promise<unknown>;
}

const carriers: Readonly<Record<string, (server: Server, options: ConnectOptions) => Promise<Carried>>> = {
  'in memory': async (server, options) => {
    const client = await connectInMemory(server, options);
    return { client, close: () => client.close() };
  },
  'over HTTP': async (server, options) => {
    const served = await listen(server, { port: 0 });
    const client = await connect(served.url, options);
    return { client, close: async () => Promise.all([client.close(), served.close()]) };
  },
  'over stdio': async (_, options) => {
    const file = fileURLToPath(new URL('../support/task-asking-server.ts', import.meta.url));
    const client = await connect(spawnNode([file]), options);
    return { client, close: () => client.close() };
  },
};

async function answerOf(client: Client, asTask: boolean): Promise<unknown> {
  const params = { name: 'ask', arguments: {} };
  const called = await client.request('tools/call', asTask ? { ...params, task: {} } : params);
  const task = (called as { readonly task?: Json }).task;
  const result = task === undefined ? called : await client.request('tasks/result', { taskId: String(task['taskId']) });
  return JSON.parse((result as { content: { text: string }[] }).content[0]?.text ?? '');
}

/** Something that happens once. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give: () => give() };
}

for (const [carrier, carry] of Object.entries(carriers)) {
  for (const asTask of [false, true]) {
    test(`${asTask ? 'a task' : 'a call'} asks for tasks ${carrier}, and has their results [tasks-020, tasks-025]`, async () => {
      const server = createServer({ name: 's', version: '1' });
      askingServer(server);
      const recording = record();
      const { client, close } = await carry(server, { ...hosting, revisions: ['2025-11-25'] });
      try {
        assert.deepEqual(await answerOf(client, asTask), outcome);
        const answered = recording.messages.flatMap(({ from, message }) =>
          from === 'client' && 'result' in message ? [message.result as Json] : [],
        );
        // Two tasks were created here, and fetched.
        assert.equal(answered.filter(({ task }) => task !== undefined).length, 2);
        // What was fetched names the client's task; inside a task of the server its two answers name that one.
        assert.equal(answered.filter(({ _meta }) => _meta !== undefined).length, asTask ? 4 : 2);
      } finally {
        recording.stop();
        await Promise.all([close(), server.close()]);
      }
    });
  }
}

test('in other revisions the wish changes nothing, and neither does a client that hosts nothing [tasks-003, tasks-009]', async () => {
  const { clientTasks: _, ...plain } = hosting;
  for (const [revision, options] of [
    ['2025-06-18', hosting],
    ['2026-07-28', hosting],
    ['2025-11-25', plain],
  ] as const) {
    const server = createServer({ name: 's', version: '1' });
    askingServer(server);
    const recording = record();
    const client = await connectInMemory(server, { ...options, revision });
    const [block] = (await client.callTool('ask', {})).content;
    assert.deepEqual(JSON.parse(block?.type === 'text' ? block.text : ''), outcome);
    recording.stop();
    assert.doesNotMatch(JSON.stringify(recording.messages.map(({ message }) => message)), /"task"|tasks\//);
    await Promise.all([client.close(), server.close()]);
  }
});

test('a client that waits for a task of its server answers by tasks of its own, and has the same result through a bridge', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  askingServer(server, 'required');
  t.after(() => server.close());
  const served = await listen(server, { port: 0 });
  t.after(() => served.close());
  const bridge = await createBridge({ upstream: served.url, upstreamRevisions: ['2025-11-25'] });
  t.after(() => bridge.close());
  for (const to of [server, bridge]) {
    const client = await connectInMemory(to, { ...hosting, revision: '2025-11-25' });
    const recording = record();
    const [block] = (await client.callTool('ask', {})).content;
    recording.stop();
    assert.deepEqual(JSON.parse(block?.type === 'text' ? block.text : ''), outcome);
    const tasks = recording.messages.filter(
      ({ from, message }) => from === 'client' && 'result' in message && message.result['task'] !== undefined,
    );
    // A bridge sends on over HTTP what came to it in memory.
    assert.equal(tasks.length, to === server ? 2 : 4);
    await client.close();
  }
});

test('a stream that breaks while somebody thinks loses no answer, and asks nobody twice', async () => {
  const [thinking, back] = [signal(), signal()];
  const server = createServer({ name: 's', version: '1' });
  server.tool('ask', {}, async (_, ctx) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
    const asked = ctx.elicit({ message: 'Name?', schema }, { task: { ttlMs: 600_000 } });
    await thinking.given;
    ctx.closeStream(1);
    back.give();
    return JSON.stringify(await asked);
  });
  const served = await listen(server, { port: 0 });
  let times = 0;
  const client = await connect(served.url, {
    revisions: ['2025-11-25'],
    onElicit: async () => {
      times++;
      thinking.give();
      await back.given;
      return { action: 'accept', content: { name: 'Ada' } };
    },
    clientTasks: { elicitation: true },
  });
  try {
    const [block] = (await client.callTool('ask', {})).content;
    assert.equal(block?.type === 'text' ? block.text : '', JSON.stringify(outcome[0]));
    assert.equal(times, 1);
  } finally {
    await Promise.all([client.close(), served.close(), server.close()]);
  }
});
