/** One handler, as a call and as a task, in each revision that has them, whatever carries it. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect, type Client, type ConnectOptions } from '../../packages/parley/src/client.ts';
import { listen } from '../../packages/parley/src/node.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol.ts';
import { spawnNode } from '../support/programs.ts';
import { connectInMemory } from '../../packages/parley/src/testing.ts';
import { oneHandlerServer } from '../support/one-handler-server.ts';

/** Answers with what it was asked, so that no answer is taken for another. */
const onSample: ConnectOptions['onSample'] = ({ messages }) => {
  const [message] = messages;
  return `to ${JSON.stringify(message?.content).replaceAll('"', "'")}`;
};

const told = (text: string): object => ({ type: 'text', text: `to {'type':'text','text':'${text}'}` });
const outcome = [told('first'), 7, [told('second'), told('third')]];

const carriers: Readonly<Record<string, (t: TestContext, revision: RevisionDate) => Promise<Client>>> = {
  'in memory': async (t, revision) => {
    const server = oneHandlerServer();
    t.after(() => server.close());
    return await connectInMemory(server, { onSample, revision });
  },
  'over HTTP': async (t, revision) => {
    const server = oneHandlerServer();
    const served = await listen(server, { port: 0 });
    t.after(() => Promise.all([served.close(), server.close()]));
    return await connect(served.url, { onSample, revisions: [revision] });
  },
  'over stdio': async (_, revision) => {
    const file = fileURLToPath(new URL('../support/one-handler-server.ts', import.meta.url));
    return await connect(spawnNode([file]), { onSample, revisions: [revision] });
  },
};

/** The ways that a revision has, by what each of them does. */
const ways: Readonly<Record<RevisionDate, Readonly<Record<string, (client: Client) => Promise<unknown>>>>> = (() => {
  const call = (name: string) => async (client: Client) => (await client.callTool(name)).content;
  const task = (name: string) => async (client: Client) => {
    const handle = await client.startTask(name);
    assert.notEqual(handle.reference, undefined);
    return (await handle.result()).content;
  };
  const calls = { 'a call': call('call'), 'a call of what may be a task': call('maybe') };
  const tasks = { ...calls, 'a call of what is a task alone': call('only'), 'a task': task('maybe') };
  return {
    '2024-11-05': calls,
    '2025-03-26': calls,
    '2025-06-18': calls,
    '2025-11-25': tasks,
    '2026-07-28': tasks,
  };
})();

describe('one handler has the same result in every way in which it is called', () => {
  for (const [carrier, carry] of Object.entries(carriers))
    for (const [revision, all] of Object.entries(ways))
      test(`${carrier}, at ${revision}: ${Object.keys(all).join(', ')}`, async (t) => {
        // `Object.entries` forgets that the names are dates.
        const client = await carry(t, revision as RevisionDate);
        try {
          for (const [way, run] of Object.entries(all)) {
            const [block] = (await run(client)) as readonly { readonly text?: string }[];
            assert.deepEqual(JSON.parse(block?.text ?? ''), outcome, way);
          }
        } finally {
          await client.close();
        }
      });
});
