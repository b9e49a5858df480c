/** Tools that run as tasks alone, for clients that know of no tasks. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeBefore, bridgeTo } from '../../../../../test/support/bridged.ts';
import {
  core,
  createdAs,
  newest,
  paramsOf,
  person,
  scripted,
  serverWith,
  taskOf,
  type Json,
} from '../../../../../test/support/bridged-tasks.ts';
import { hurried } from '../../../../../test/support/hurried.ts';
import { dates } from '../../../../../test/support/raw.ts';
import { paramsSent } from '../../../../../test/support/scripted-upstream.ts';
import { extension, taskClient } from '../../../../../test/support/task-client.ts';
import { until } from '../../../../../test/support/turns.ts';
import { McpError } from '../../protocol/error.ts';
import { revisions, type RevisionDate } from '../../protocol/revision.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { ScriptedPeer, SentMessage } from '../../testing/scripted.ts';
import type { ToolContext } from '../../server/definition/tool-context.ts';
import { tampered } from '../../../../../test/support/tampered.ts';

const answer = (): Json => ({ action: 'accept', content: { name: 'Ada' } });

/** The revisions in which a form can be filled in. */
const asked = revisions.filter(({ elicitation }) => elicitation !== 'none').map(({ date }) => date);

/** The answer of a scripted server to a call that asks for no task. */
const refusals: Readonly<Record<string, { readonly code: number; readonly message: string; readonly data?: unknown }>> =
  {
    [core]: { code: -32601, message: 'a task alone' },
    [newest]: {
      code: -32021,
      message: 'a task alone',
      data: { requiredCapabilities: { extensions: { [extension]: {} } } },
    },
  };

/** A scripted server whose tool is a task, whatever it is asked for. */
function taskOnly(up: RevisionDate, answers: Parameters<typeof scripted>[1] = {}): ReturnType<typeof scripted> {
  const transport: ReturnType<typeof scripted> = scripted(up, {
    'tools/call': (sent, peer) => {
      const { task, _meta: meta } = paramsSent(transport, 'tools/call');
      const isAsked = up === core ? task !== undefined : JSON.stringify(meta).includes(extension);
      if (isAsked) peer.reply(sent, createdAs(up, 'x'));
      else peer.refuse(sent, refusals[up] ?? { code: 0, message: '' });
    },
    ...answers,
  });
  return transport;
}

for (const up of [core, newest] as const) {
  /** A server of ours with one tool that is a task alone. */
  const serverOf = (
    t: Parameters<typeof serverWith>[0],
    run: (ctx: ToolContext) => unknown,
  ): ReturnType<typeof serverWith> => {
    const server = serverWith(t, up);
    server.tool('only', { task: 'required' }, async (_, ctx) => (await run(ctx)) as string);
    return server;
  };

  describe(`a tool that is a task alone at ${up}`, () => {
    for (const down of dates)
      it(`is called at ${down} as any other`, async (t) => {
        hurried(t);
        const bridge = await bridgeBefore(
          t,
          serverOf(t, () => 'done'),
        );
        const client = await taskClient(bridge, { revision: down });
        const result = await client.ask('tools/call', { name: 'only' });
        assert.deepEqual(result['content'], [{ type: 'text', text: 'done' }]);
        assert.equal(JSON.stringify(result).includes('related-task'), false);
      });

    for (const down of asked)
      it(`asks a client at ${down}`, async (t) => {
        hurried(t);
        const bridge = await bridgeBefore(
          t,
          serverOf(t, async (ctx) => {
            const { content } = await ctx.elicit({ message: 'who?', schema: person });
            return `hello ${String(content?.['name'])}`;
          }),
        );
        const client = await taskClient(bridge, { revision: down, capabilities: { elicitation: {} }, answer });
        let result = await client.ask('tools/call', { name: 'only' });
        if (down === newest) {
          const { inputRequests, requestState } = result;
          const [key = ''] = Object.keys(inputRequests as Json);
          const inputResponses = { [key]: answer() };
          result = await client.ask('tools/call', { name: 'only', inputResponses, requestState });
        }
        assert.deepEqual(result['content'], [{ type: 'text', text: 'hello Ada' }]);
      });

    it('tells its client how far it got', async (t) => {
      hurried(t);
      let goOn = (): void => undefined;
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      const upstream = serverOf(t, async (ctx) => {
        ctx.progress(1, 4, 'loaded');
        await gate;
        return 'done';
      });
      const client = await taskClient(await bridgeBefore(t, upstream), { revision: '2025-06-18' });
      const asked = client.ask('tools/call', { name: 'only', _meta: { progressToken: 'mine' } });
      const reports = (): readonly Json[] => client.heard.filter(({ method }) => method === 'notifications/progress');
      await until(() => reports().length > 0, 'a report of progress');
      goOn();
      await asked;
      const { progressToken, message } = paramsOf(reports()[0]);
      assert.deepEqual([progressToken, message], ['mine', up === core ? 'loaded' : '1 of 4: loaded']);
    });

    it('fails as the call would', async (t) => {
      hurried(t);
      const bridge = await bridgeBefore(
        t,
        serverOf(t, () => {
          throw new McpError('invalidParams', 'not like that', { data: { n: 1 } });
        }),
      );
      const client = await taskClient(bridge, { revision: '2025-06-18' });
      const failure = await client.ask('tools/call', { name: 'only' });
      assert.deepEqual(failure, { code: -32602, message: 'not like that', data: { n: 1 } });
    });

    it('is cancelled when its client gives the call up', async (t) => {
      let [begun, aborted] = [false, false];
      const upstream = serverOf(t, async ({ signal }) => {
        begun = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        aborted = true;
      });
      const client = await taskClient(await bridgeBefore(t, upstream), { revision: '2025-06-18' });
      void client.ask('tools/call', { name: 'only' }).catch(() => undefined);
      await until(() => begun, 'the task');
      client.close();
      await until(() => aborted, 'the end of the run');
    });

    it('is refused where a bridge is told to', async (t) => {
      const bridge = await bridgeTo(t, taskOnly(up), { taskOnly: 'refuse' });
      const client = await taskClient(bridge, { revision: newest });
      // A client that could have declared the extension is told to, whatever the server says.
      assert.deepEqual(await client.ask('tools/call', { name: 'only' }), refusals[newest]);
      const before = await taskClient(bridge, { revision: '2025-06-18' });
      assert.equal((await before.ask('tools/call', { name: 'only' }))['message'], 'a task alone');
    });

    it('tells how it stands as progress, each word once', async (t) => {
      hurried(t);
      let looks = 0;
      const words = ['one', 'one', 'two'];
      const ends = (peer: { reply: (...given: never[]) => void }, sent: unknown, result: Json): void =>
        peer.reply(...([sent, result] as never[]));
      let finish: () => void = () => undefined;
      const transport = taskOnly(up, {
        'tasks/get': (sent, peer) => {
          const statusMessage = words[looks++];
          if (statusMessage !== undefined) return peer.reply(sent, { ...taskOf('x'), statusMessage });
          if (up === core) return (finish(), peer.reply(sent, taskOf('x', 'completed')));
          return ends(peer, sent, { ...taskOf('x', 'completed'), result: { content: [] } });
        },
        'tasks/result': (sent, peer) => void (finish = () => peer.reply(sent, { content: [] })),
      });
      const client = await taskClient(await bridgeTo(t, transport), { revision: '2025-06-18' });
      await client.ask('tools/call', { name: 'only', _meta: { progressToken: 'mine' } });
      assert.deepEqual(
        client.heard.map(({ params }) => params),
        ['one', 'two'].map((message, at) => ({ progressToken: 'mine', progress: at + 1, message })),
      );
    });

    it('goes on where its server is away for a moment, and is not cancelled', async (t) => {
      hurried(t);
      let tries = 0;
      const whenBack =
        (answer: Json) =>
        (sent: SentMessage, peer: ScriptedPeer): void =>
          tries++ === 0 ? peer.fail(new ConnectionError('closed', 'gone')) : peer.reply(sent, answer);
      const content = [{ type: 'text', text: 'after all' }];
      const transport = taskOnly(up, {
        'tasks/get': up === core ? taskOf('x') : whenBack({ ...taskOf('x', 'completed'), result: { content } }),
        'tasks/result': whenBack({ content }),
        'tasks/cancel': {},
      });
      const client = await taskClient(await bridgeTo(t, transport), { revision: '2025-06-18' });
      assert.deepEqual((await client.ask('tools/call', { name: 'only' }))['content'], content);
      assert.equal(transport.methods.includes('tasks/cancel'), false);
    });

    it('fails clearly where its server lost it while it was away', async (t) => {
      hurried(t);
      const transport = taskOnly(up, {
        'tasks/get': (sent, peer) => peer.refuse(sent, { code: -32602, message: 'no such task' }),
        'tasks/result': (_, peer) => peer.fail(new ConnectionError('closed', 'gone')),
        'tasks/cancel': {},
      });
      const client = await taskClient(await bridgeTo(t, transport), { revision: '2025-06-18' });
      const failure = await client.ask('tools/call', { name: 'only' });
      assert.equal(failure['code'], -32603);
      assert.match(String(failure['message']), /does not have the task of the call any more/);
    });

    it('that its server describes in words that are none fails the call, and is cancelled', async (t) => {
      const nonsense: Json = { taskId: 'x', status: 7 };
      const transport = taskOnly(up, {
        'tasks/get': nonsense,
        'tasks/result': (sent, peer) => peer.reply(sent, { content: 'none' }),
      });
      const client = await taskClient(await bridgeTo(t, transport), { revision: '2025-06-18' });
      assert.equal((await client.ask('tools/call', { name: 'only' }))['code'], -32603);
      if (up === newest) await until(() => transport.methods.includes('tasks/cancel'), 'the cancel');
    });
  });
}

describe('a call that waits for a task', () => {
  const inputRequests = { who: { method: 'elicitation/create', params: { message: 'who?', requestedSchema: person } } };

  it('goes on for its own principal and its own params alone', async (t) => {
    hurried(t);
    const transport = taskOnly(newest, { 'tasks/get': { ...taskOf('x', 'input_required'), inputRequests } });
    const bridge = await bridgeTo(t, transport);
    const options = { revision: newest, capabilities: { elicitation: {} } };
    const ann = await taskClient(bridge, { ...options, principal: 'ann' });
    const eve = await taskClient(bridge, { ...options, principal: 'eve' });
    const { requestState } = await ann.ask('tools/call', { name: 'only' });
    const inputResponses = { who: answer() };
    const forged = tampered(String(requestState));
    const failures = [
      await eve.ask('tools/call', { name: 'only', requestState, inputResponses }),
      await ann.ask('tools/call', { name: 'other', requestState, inputResponses }),
      await ann.ask('tools/call', { name: 'only', requestState: forged, inputResponses }),
      await ann.ask('tools/call', { name: 'only', requestState: `parley-task.${'A'.repeat(100_000)}`, inputResponses }),
    ];
    assert.deepEqual(new Set(failures.map(({ code }) => code)), new Set([-32602]));
    assert.equal(transport.methods.includes('tasks/update'), false);
  });

  it('asks nothing twice that was answered, and nothing that its client did not declare', async (t) => {
    hurried(t);
    let looks = 0;
    const asking = { ...taskOf('x', 'input_required'), inputRequests };
    const transport = taskOnly(newest, {
      'tasks/get': (sent, peer) =>
        peer.reply(sent, ++looks < 4 ? asking : { ...taskOf('x', 'completed'), result: { content: [] } }),
      'tasks/update': {},
    });
    const bridge = await bridgeTo(t, transport);
    const client = await taskClient(bridge, { revision: newest, capabilities: { elicitation: {} } });
    const { requestState } = await client.ask('tools/call', { name: 'only' });
    const inputResponses = { who: answer(), never: answer() };
    const result = await client.ask('tools/call', { name: 'only', requestState, inputResponses });
    assert.deepEqual(result['content'], []);
    assert.deepEqual(paramsSent(transport, 'tasks/update')['inputResponses'], { who: answer() });
    looks = 0;
    const mute = await taskClient(bridge, { revision: newest });
    assert.equal((await mute.ask('tools/call', { name: 'only' }))['code'], -32603);
    await until(() => transport.methods.includes('tasks/cancel'), 'the cancel');
  });
});
