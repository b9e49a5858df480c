/** Processes of one server that tell each other of changes, over a bus that may be away. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { turns } from '../../../../../test/support/turns.ts';
import { StoreError } from '../../storage/store.ts';
import type { ServerParts } from '../parts/parts.ts';
import { SharedChanges } from './changes.ts';

interface Hearer {
  readonly channel: string;
  readonly hear: (text: string) => void;
  readonly onGap: () => void;
}

interface Process {
  readonly changes: SharedChanges;
  /** Lists and resources that were told here. */
  readonly told: string[];
  readonly watched: Map<string, boolean>;
  readonly tools: Map<string, object>;
  readonly errors: unknown[];
}

/** A bus, which may be away, and the processes at it. */
function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(Math, 'random', () => 0.5);
  const hearers = new Set<Hearer>();
  const published: (readonly [channel: string, news: Record<string, unknown>])[] = [];
  const state = { isAway: false, leaveFails: false };
  const check = (): void => {
    if (state.isAway) throw new StoreError('unavailable', 'away');
  };
  const bus = {
    publish: async (channel: string, text: string) => {
      check();
      published.push([channel, JSON.parse(text) as Record<string, unknown>]);
      const heard = [...hearers].filter((one) => one.channel === channel);
      for (const { hear } of heard) hear(text);
      return heard.length;
    },
    subscribe: async (channel: string, hear: Hearer['hear'], onGap: Hearer['onGap']) => {
      check();
      const one = { channel, hear, onGap };
      hearers.add(one);
      return () => {
        hearers.delete(one);
        if (state.leaveFails) throw new Error('not left');
      };
    },
  };
  const all: Process[] = [];
  const process = (names: readonly string[] = []): Process => {
    const [told, errors]: [string[], unknown[]] = [[], []];
    const watched = new Map<string, boolean>();
    const tools = new Map(names.map((name) => [name, { tool: { name } }]));
    const none = new Map();
    const options = { onError: (error: unknown) => errors.push(error) };
    // It needs no more of a server.
    const parts = { options, tools, prompts: none, resources: none, templates: none } as unknown as ServerParts;
    const here = {
      tellList: (kind: string) => void told.push(kind),
      tellUpdate: (uri: string) => void told.push(uri),
      watched,
    };
    const made = { changes: new SharedChanges(parts, { name: 's', bus, here }), told, watched, tools, errors };
    all.push(made);
    return made;
  };
  t.after(async () => {
    Object.assign(state, { isAway: false, leaveFails: false });
    await Promise.all(all.map(({ changes }) => changes.close()));
  });
  return {
    process,
    state,
    published,
    bus,
    channels: () => [...hearers].map(({ channel }) => channel),
    gap: (channel: string) => [...hearers].filter((one) => one.channel === channel).forEach(({ onGap }) => onGap()),
    pass: async (ms: number) => {
      await turns();
      t.mock.timers.tick(ms);
      await turns();
    },
  };
}

/** What was told since the last time. */
const taken = ({ told }: Process): readonly string[] => told.splice(0);

/** Watches resources here. */
async function watch({ changes, watched }: Process, ...uris: readonly string[]): Promise<void> {
  for (const uri of uris) watched.set(uri, true);
  await changes.listen(uris, true);
}

test('changes of a list in one turn are published once, and told after 100 ms in every process', async (t) => {
  const { process, published, pass } = scene(t);
  const [here, elsewhere] = [process(), process()];
  await elsewhere.changes.listen();
  await turns();
  published.splice(0);
  here.tools.set('a', { tool: { name: 'a' } });
  here.changes.listChanged('tools');
  here.changes.listChanged('tools');
  here.changes.listChanged('prompts');
  await pass(99);
  assert.deepEqual([taken(here), taken(elsewhere), published.length], [[], [], 1]);
  await pass(1);
  assert.deepEqual(
    [taken(here), taken(elsewhere)],
    [
      ['tools', 'prompts'],
      ['tools', 'prompts'],
    ],
  );
  await pass(1000);
  assert.deepEqual([taken(here), taken(elsewhere)], [[], []]);
});

test('a resource that changed is told where it is watched, and not where it changed', async (t) => {
  const { process, pass } = scene(t);
  const [here, watching, other] = [process(), process(), process()];
  await watch(here, 'a:1');
  await watch(watching, 'a:1');
  await watch(other, 'a:2');
  await here.changes.resourceUpdated('a:1');
  await pass(0);
  assert.deepEqual([taken(here), taken(watching), taken(other)], [[], ['a:1'], []]);
});

test('after a gap everything may have changed: all is told within five seconds', async (t) => {
  const { process, gap, pass } = scene(t);
  const one = process();
  await watch(one, 'a:1', 'a:2');
  gap('updates s a:1');
  await pass(2499);
  assert.deepEqual(taken(one), []);
  await pass(1);
  assert.deepEqual(taken(one), ['a:1']);
  gap('changes s');
  gap('changes s');
  await pass(2499);
  assert.deepEqual(taken(one), []);
  await pass(1);
  assert.deepEqual(taken(one).toSorted(), ['a:1', 'a:2', 'prompts', 'resources', 'tools']);
});

test('what is to be told sooner is told then, and once', async (t) => {
  const { process, gap, pass } = scene(t);
  const one = process();
  await one.changes.listen();
  gap('changes s');
  one.changes.listChanged('tools');
  await pass(100);
  assert.deepEqual(taken(one), ['tools']);
  gap('changes s');
  await pass(2400);
  assert.deepEqual(taken(one).toSorted(), ['prompts', 'resources']);
  await pass(100);
  assert.deepEqual(taken(one), ['tools']);
});

test('what could not be published is published two seconds later, and its failure told once', async (t) => {
  const { process, state, published, pass } = scene(t);
  const [here, elsewhere] = [process(['a']), process(['a'])];
  await watch(elsewhere, 'a:1');
  await turns();
  published.splice(0);
  state.isAway = true;
  here.tools.delete('a');
  here.changes.listChanged('tools');
  await here.changes.resourceUpdated('a:1');
  await pass(2000);
  await pass(2000);
  assert.deepEqual([published.length, here.errors.length], [0, 1]);
  state.isAway = false;
  await pass(1999);
  assert.equal(published.length, 0);
  await pass(1);
  assert.deepEqual(
    published.map(([channel]) => channel),
    ['changes s', 'updates s a:1'],
  );
  await pass(100);
  assert.deepEqual(taken(elsewhere), ['a:1', 'tools']);
  await pass(10_000);
  assert.equal(published.length, 2);
  state.isAway = true;
  await here.changes.resourceUpdated('a:1');
  assert.equal(here.errors.length, 2, 'the next failure after a success is told');
});

for (const count of [999, 1000, 1001])
  test(`${count} resources whose change could not be published are named ${count < 1000 ? 'each' : 'together'}`, async (t) => {
    const { process, state, published, pass } = scene(t);
    const [here, elsewhere] = [process(), process()];
    await watch(elsewhere, 'a:own');
    await turns();
    published.splice(0);
    state.isAway = true;
    for (let at = 0; at < count; at++) await here.changes.resourceUpdated(`a:${at}`);
    await pass(2000);
    for (let more = 0; more < 40; more++) await turns();
    state.isAway = false;
    await pass(2000);
    for (let more = 0; more < 40; more++) await turns();
    assert.equal(published.length, count < 1000 ? count : 1);
    assert.equal(published[0]?.[1]['updates'], count < 1000 ? undefined : true);
    await pass(2500);
    assert.deepEqual(taken(elsewhere), count < 1000 ? [] : ['a:own']);
  });

test('what could not be heard is heard two seconds later, and may have changed meanwhile', async (t) => {
  const { process, state, channels, pass } = scene(t);
  const one = process();
  await turns();
  state.isAway = true;
  await watch(one, 'a:1');
  assert.deepEqual([channels(), one.errors.length], [[], 1]);
  await pass(2000);
  assert.deepEqual(channels(), []);
  state.isAway = false;
  await pass(2000);
  assert.deepEqual(channels(), ['changes s', 'updates s a:1']);
  await pass(2500);
  assert.deepEqual([...new Set(taken(one))].toSorted(), ['a:1', 'prompts', 'resources', 'tools']);
});

test('a resource is heard of as long as somebody watches it, or is about to', async (t) => {
  const { process, channels } = scene(t);
  const { changes, watched } = process();
  await turns();
  const isHeard = (): boolean => channels().includes('updates s a:1');
  const first = await changes.listenBefore(['a:1']);
  const second = await changes.listenBefore(['a:1']);
  first();
  changes.left('a:1');
  await turns();
  assert.equal(isHeard(), true, 'the second is about to');
  watched.set('a:1', true);
  second();
  await turns();
  assert.equal(isHeard(), true, 'it is watched');
  watched.delete('a:1');
  changes.left('a:1');
  await turns();
  assert.equal(isHeard(), false);
  const third = await changes.listenBefore(['a:1']);
  assert.equal(isHeard(), true);
  third();
  await turns();
  assert.equal(isHeard(), false, 'nobody came to watch it');
});

test('who stopped watching before it was heard leaves nothing behind', async (t) => {
  const { process, channels } = scene(t);
  const { changes } = process();
  await changes.listen(['a:1'], true);
  await turns();
  assert.deepEqual(channels(), ['changes s']);
});

test('long names share a channel, which is heard until the last of them is left', async (t) => {
  const { process, channels, pass } = scene(t);
  const [here, elsewhere] = [process(), process()];
  const [one, other] = [`a:${'x'.repeat(3000)}1`, `a:${'x'.repeat(3000)}2`];
  await watch(here, one, other);
  const [, channel = ''] = channels();
  assert.deepEqual([channels().length, channel.length], [2, 2048]);
  await elsewhere.changes.resourceUpdated(one);
  assert.deepEqual(taken(here), [one]);
  here.changes.left(one);
  here.changes.left('a:unknown');
  await pass(0);
  assert.equal(channels().length, 2);
  here.changes.left(other);
  await pass(0);
  assert.deepEqual(channels(), ['changes s']);
});

test('a process that ends says its lists, hears nothing more, and ends once', async (t) => {
  const { process, published, bus, channels, pass } = scene(t);
  const [here, elsewhere] = [process(['a']), process(['a'])];
  await watch(here, 'a:1');
  await elsewhere.changes.listen();
  here.changes.listChanged('tools');
  await turns();
  published.splice(0);
  await Promise.all([here.changes.close(), here.changes.close()]);
  assert.deepEqual(
    published.map(([, { lists }]) => Object.keys(lists as object).toSorted()),
    [['prompts', 'resources', 'tools']],
  );
  assert.deepEqual(channels(), ['changes s']);
  await bus.publish('updates s a:1', JSON.stringify({ from: 'x', uri: 'a:1' }));
  await pass(10_000);
  assert.deepEqual([taken(here), taken(elsewhere)], [[], ['tools']]);
});

test('a process that cannot stop hearing tells that, and texts that are none mean nothing', async (t) => {
  const { process, state, bus, pass } = scene(t);
  const one = process();
  await watch(one, 'a:1');
  for (const text of ['', '{', '[]', '7', 'null', '{"uri":7}', '{"updates":1}', '{"lists":7}', '{"lists":{"tools":7}}'])
    await bus.publish('changes s', text === '' ? '""' : text === '{' ? '"{"' : text);
  await pass(5000);
  assert.deepEqual(taken(one), []);
  state.leaveFails = true;
  one.watched.delete('a:1');
  one.changes.left('a:1');
  await turns();
  assert.match(String(one.errors), /not left/);
});
