/** What a client of another revision gets, played through a bridge: beside what the lens says, with every end tied up. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import type { ServerPlan } from '../../packages/cli/src/inspect/servers/shared.ts';
import type { EntryView, TrialView } from '../../packages/cli/src/inspect/view.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { connected, inspecting, noPage, outcomeOf, planAt, rowsOf, type InspectedScene } from '../support/inspected.ts';
import { stuckAfterMs } from '../support/stuck.ts';

const skip = noPage;

/** Conversations with a server that are open. */
interface Counted {
  open: number;
  ever: number;
}

function planOf(server: Server, counted: Counted = { open: 0, ever: 0 }): ServerPlan {
  const transport = memoryTransport(server);
  const reach = (): Promise<Transport> =>
    Promise.resolve({
      ...transport,
      async open(receiver) {
        const channel = await transport.open(receiver);
        counted.open += 1;
        counted.ever += 1;
        let isOpen = true;
        return {
          ...channel,
          close() {
            if (isOpen) counted.open -= 1;
            isOpen = false;
            return channel.close();
          },
        };
      },
    });
  return planAt('memory:', { reach });
}

const uses = [
  { name: 'forecast', text: '{"city":"Oslo"}' },
  { name: 'fail' },
  { name: 'steps' },
  { name: 'tone' },
  { name: 'cities' },
  { kind: 'resource', name: 'example://manual' },
];

/** The example server, with a tool that tells of its progress and waits for nothing. */
function example(): Server {
  const server = createExampleServer();
  server.tool('steps', {}, (_, context) => {
    context.progress(1, 2, 'half');
    context.log('info', 'half is done');
    return 'done';
  });
  return server;
}

/** Requests of the wire, each of its kind once. */
async function requestsOf(scene: InspectedScene): Promise<readonly number[]> {
  const known = new Map<string, number>();
  for (const { n, from, kind, what } of rowsOf(scene)) {
    if (from !== 'client' || kind !== 'request' || /subscribe|listen|setLevel/.test(what)) continue;
    const { entry } = await scene.json<EntryView>('entry', { n });
    known.set(`${what} ${/"(?:name|uri)":"[^"]*"/.exec(String(entry['text']))?.[0]}`, n);
  }
  return [...known.values()];
}

/** Places of which a bridge speaks for itself, by the revision of the server. */
const byBridge: Readonly<Record<string, readonly string[]>> = {
  '2024-11-05': ['.result.capabilities.completions'],
  '2025-11-25': ['.result.capabilities.extensions'],
  '2026-07-28': ['.result.capabilities.tasks', '.result.tools[].execution'],
};

for (const { date: revision } of revisions)
  test(`what clients get of a server of ${revision} is what the lens says`, { skip }, async (t) => {
    const counted = { open: 0, ever: 0 };
    const scene = await inspecting(t, [planOf(example(), counted)], { revision });
    await connected(scene);
    await scene.json('lists', { server: 'A' });
    for (const use of uses) await outcomeOf(scene, use);
    const requests = await requestsOf(scene);
    assert.ok(requests.length >= 10);
    const differing: string[] = [];
    const own = new Set<string>();
    const verdicts = new Set<string>();
    for (const n of requests)
      for (const { date } of revisions) {
        const trial = await scene.json<TrialView>('try', { n, revision: date });
        assert.deepEqual([trial.client, trial.server, trial.left], [date, revision, 0]);
        for (const { verdict, what, differences, ...step } of trial.steps) {
          verdicts.add(`${verdict} ${what}`);
          if (verdict === 'differs') differing.push(`${date} ${what}: ${differences.join(' ')}`);
          for (const place of step.byBridge ?? []) own.add(place.replaceAll(/\[\d+\]/g, '[]'));
        }
      }
    assert.deepEqual(differing, []);
    assert.deepEqual([...own].toSorted(), byBridge[revision] ?? []);
    for (const what of ['tools/call', 'result of tools/call', 'notifications/progress', 'result of resources/read'])
      assert.ok(verdicts.has(`as-predicted ${what}`), what);
    assert.ok(counted.ever > requests.length);
    assert.equal(counted.open, 1, 'conversations were left open');
  });

function asking(): { readonly server: Server; readonly called: () => number } {
  const server = createServer({ name: 'asks', version: '1' });
  let called = 0;
  server.tool('ask', {}, async (_, context) => {
    called += 1;
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
    const { content } = await context.elicit({ message: 'Who?', schema });
    return JSON.stringify(content);
  });
  server.tool('wait', {}, async (_, context) => {
    called += 1;
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
    return 'never';
  });
  return { server, called: () => called };
}

async function callRow(scene: InspectedScene): Promise<number> {
  const { rows } = await scene.line('rows', (line) => line.rows.some(({ what }) => what === 'tools/call'));
  return rows.find(({ what }) => what === 'tools/call')?.n ?? assert.fail();
}

for (const [up, down] of [
  ['2025-11-25', '2026-07-28'],
  ['2026-07-28', '2025-06-18'],
] as const)
  test(
    `a question comes while it is tried, and is asked in the words of its client (${up} for ${down})`,
    { skip },
    async (t) => {
      const scene = await inspecting(t, [planOf(asking().server)], { revision: up });
      await connected(scene);
      const answer = async (is: RegExp): Promise<void> => {
        const { question } = await scene.line('question', (line) => is.test(line.question.during ?? ''));
        await scene.json('answer', { question: question.id, action: 'accept', text: '{"name":"Ann"}' });
      };
      await Promise.all([outcomeOf(scene, { name: 'ask' }), answer(/^ask$/)]);
      const trying = scene.json<TrialView>('try', { n: await callRow(scene), revision: down });
      await answer(/^ask, for a client of/);
      const { steps, failure } = await trying;
      assert.equal(failure, undefined);
      const asked = steps
        .filter(({ what }) => /^elicitation\/create|asks for input/.test(what))
        .map(({ what }) => what);
      assert.deepEqual(asked.toSorted(), ['elicitation/create', 'tools/call asks for input']);
      const result = steps.find(({ what }) => what === 'result of tools/call');
      assert.equal(result?.verdict, 'as-predicted');
      assert.match(JSON.stringify(result?.client), /Ann/);
    },
  );

test(
  'nothing is tried that may not be: no tool where only is read, no answer of nothing, no other method',
  { skip },
  async (t) => {
    const { server, called } = asking();
    const plan = planOf(server);
    const open = await inspecting(t, [plan]);
    await connected(open);
    void outcomeOf(open, { name: 'wait' }).catch(() => {});
    const n = await callRow(open);
    const { entry } = await open.json<EntryView>('entry', { n });
    const recorded = [{ ...entry, sequence: 1 }] as unknown as NonNullable<ServerPlan['recorded']>;
    // A request that was recorded before, as where one process began without and another with --read-only.
    const scene = await inspecting(t, [{ ...plan, recorded }], { isReadOnly: true });
    await connected(scene);
    const before = called();
    assert.equal((await scene.post('try', { n: 1, revision: '2025-06-18' })).status, 403);
    assert.equal(called(), before);
    const told = rowsOf(scene).find(({ what }) => what === 'notifications/subscriptions/acknowledged');
    assert.equal((await scene.post('try', { n: told?.n, revision: '2025-06-18' })).status, 400);
    assert.equal((await scene.post('try', { n: 1, revision: '2025-06-19' })).status, 400);
    assert.equal((await scene.post('try', { n: 9_999, revision: '2025-06-18' })).status, 410);
  },
);

test(
  'what is tried ends when the person stops it, when the server is let go, and with the process',
  { skip },
  async (t) => {
    const counted = { open: 0, ever: 0 };
    const { server, called } = asking();
    const scene = await inspecting(t, [planOf(server, counted)], { revision: '2025-11-25' });
    await connected(scene);
    void outcomeOf(scene, { name: 'wait' }).catch(() => {});
    const body = { n: await callRow(scene), revision: '2025-06-18' };
    const runs = async (count: number): Promise<void> => {
      const signal = AbortSignal.timeout(stuckAfterMs);
      while (called() < count) {
        signal.throwIfAborted();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await runs(1);
    const begin = (signal?: AbortSignal): Promise<TrialView | undefined> =>
      fetch(`${scene.origin}/api/try`, {
        method: 'POST',
        headers: { authorization: `Bearer ${scene.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }).then(
        async (response) => (await response.json()) as TrialView,
        () => undefined,
      );
    const stop = new AbortController();
    const stopped = begin(stop.signal);
    await runs(2);
    stop.abort();
    assert.equal(await stopped, undefined);
    const letGo = begin();
    await runs(3);
    await scene.json('disconnect', { server: 'A' });
    assert.match((await letGo)?.failure ?? '', /disconnected/);
    await scene.json('connect', { server: 'A', revision: '2025-11-25' });
    await connected(scene);
    await scene.line('server', (line) => line.server.state === 'connected' && line.server.version > 1);
    const last = begin();
    await runs(4);
    await scene.close();
    await last;
    assert.equal(counted.open, 0);
  },
);
