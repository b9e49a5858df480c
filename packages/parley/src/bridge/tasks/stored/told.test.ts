/** Tasks that a bridge keeps, before servers that tell of them. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeTo } from '../../../../../../test/support/bridged.ts';
import {
  begun,
  clientAt,
  core,
  createdAs,
  newest,
  paramsOf,
  scripted,
  taskOf,
  type Json,
} from '../../../../../../test/support/bridged-tasks.ts';
import type { Scripted } from '../../../../../../test/support/scripted-upstream.ts';
import type { TaskClient } from '../../../../../../test/support/task-client.ts';
import { turns, until } from '../../../../../../test/support/turns.ts';
import { metaKey } from '../../../protocol/meta.ts';
import type { ScriptedPeer, SentMessage } from '../../../testing/scripted.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { ToldTasks } from '../extension/reported-tasks.ts';
import type { TaskWish } from '../task-streams.ts';

/** A task that is looked at once an hour: whatever is known of it before, its server told. */
const slow: Json = { ...createdAs(newest, 'upstream-task-1'), pollIntervalMs: 3_600_000 };
const standing = (status: string, more: Json = {}): Json => ({
  ...taskOf('upstream-task-1', status),
  pollIntervalMs: 3_600_000,
  ...more,
});
const ended: Json = standing('completed', { result: { content: [{ type: 'text', text: 'told' }] } });

/** Acknowledges a stream, and gives what tells on it. */
function acknowledging({ message }: SentMessage, peer: ScriptedPeer, taskIds: readonly string[]) {
  const _meta = { [metaKey.subscriptionId]: message['id'] };
  const notify = (method: string, params: Json): void =>
    peer.send({ jsonrpc: '2.0', method, params: { ...params, _meta } });
  notify('notifications/subscriptions/acknowledged', { notifications: { taskIds } });
  return (task: Json): void => notify('notifications/tasks', task);
}

async function before(t: TestContext, answers: Scripted['answers']) {
  const transport = scripted(newest, { 'tools/call': slow, 'tasks/cancel': {}, ...answers });
  const bridge = await bridgeTo(t, transport);
  return { transport, client: await clientAt(bridge, core) };
}

async function textOf(client: TaskClient, taskId: unknown): Promise<unknown> {
  const result = await client.ask('tasks/result', { taskId });
  return (result['content'] as readonly Json[] | undefined)?.[0]?.['text'] ?? result;
}

it('a kept task is looked at when its server tells of it', async (t) => {
  let now = standing('working');
  const asked: Json[] = [];
  const { client, transport } = await before(t, {
    'subscriptions/listen': (sent, peer) => {
      asked.push(paramsOf(sent.message));
      const tell = acknowledging(sent, peer, ['upstream-task-1']);
      now = ended;
      tell(now);
    },
    'tasks/get': (sent, peer) => peer.reply(sent, now),
  });
  const { taskId } = await begun(client, core);
  assert.equal(await textOf(client, taskId), 'told');
  assert.deepEqual(asked[0]?.['notifications'], { taskIds: ['upstream-task-1'] });
  await until(() => transport.methods.includes('notifications/cancelled'), 'the end of the stream');
});

it('a kept task is looked at by its interval where its server does not tell of it', async (t) => {
  let listens = 0;
  const { client } = await before(t, {
    'tools/call': { ...slow, pollIntervalMs: 5 },
    'subscriptions/listen': (sent, peer) => {
      listens++;
      peer.refuse(sent, { code: -32601, message: 'no such method' });
    },
    'tasks/get': (sent, peer) =>
      peer.reply(sent, { ...(listens > 0 ? ended : standing('working')), pollIntervalMs: 5 }),
  });
  const { taskId } = await begun(client, core);
  assert.equal(await textOf(client, taskId), 'told');
});

describe('tasks of which a server may tell', () => {
  // A stream needs no upstream that is one.
  const upstream = {} as Upstream;
  const wish = { call: {} as TaskWish['call'], taskIds: ['one'] };
  const never = new AbortController().signal;

  it('are not asked for again where it told of none three times', async () => {
    let asked = 0;
    const told = new ToldTasks(() => {
      asked++;
      return Promise.resolve({ agreed: new Set<string>(), closed: Promise.resolve(), close: () => undefined });
    });
    for (let i = 0; i < 5; i++) await told.hear(upstream, wish, () => assert.fail('nothing changed'), never);
    assert.equal(asked, 3);
  });

  it('take no more than sixteen streams at once, each of which ends with its task', async () => {
    let open = 0;
    let most = 0;
    const told = new ToldTasks(() => {
      most = Math.max(most, ++open);
      let close = (): void => undefined;
      const closed = new Promise<void>((resolve) => (close = resolve)).then(() => void open--);
      return Promise.resolve({ agreed: new Set(['one']), closed, close });
    });
    const over = new AbortController();
    const all = Array.from({ length: 20 }, () => told.hear(upstream, wish, () => undefined, over.signal));
    await turns();
    assert.equal(open, 16);
    over.abort();
    await Promise.all(all);
    assert.deepEqual([open, most], [0, 16]);
    const again = new AbortController();
    const one = told.hear(upstream, wish, () => again.abort(), again.signal);
    await one;
    assert.equal(open, 0);
  });
});
