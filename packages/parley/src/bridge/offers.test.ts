/** What a bridge offers, of what its servers offer. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Call } from '../server/runtime/call.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import { McpError } from '../protocol/error.ts';
import { ownMethodsKey } from '../protocol/extension.ts';
import { tasksExtension } from '../protocol/features/tasks.ts';
import { askForUnknown, joinedHint, joinedInstructions, mergedCapabilities, mergedExtensions } from './merged/offer.ts';
import type { Backend } from './merged/backend.ts';
import { bridgeSettingsOf } from './options.ts';
import { keptOfferedTo, offerOf } from './single/offer.ts';

const slot = (capabilities?: ServerCapabilities, host: object = {}, name = 's'): Backend =>
  ({
    name,
    single: capabilities && { host: { capabilities: () => capabilities, ...host } },
  }) as never;

test('a bridge has 64 connections, and half of them for one client', () => {
  const limits = (options: object): readonly number[] => {
    const { maxUpstreams, maxUpstreamsPerClient } = bridgeSettingsOf(options);
    return [maxUpstreams, maxUpstreamsPerClient];
  };
  assert.deepEqual(limits({}), [64, 32]);
  assert.deepEqual(limits({ maxUpstreams: 1 }), [1, 1]);
  assert.deepEqual(limits({ maxUpstreams: 3, maxUpstreamsPerClient: 3 }), [3, 3]);
  for (const name of ['maxUpstreams', 'maxUpstreamsPerClient'])
    for (const wrong of [0, 1.5, Infinity])
      assert.throws(() => limits({ [name]: wrong }), new RegExp(`^TypeError: ${name} `));
});

describe('several servers offer together', () => {
  const all = ['logging', 'completions', 'prompts', 'resources', 'tools'];

  test('what one of them offers, and everything while one is missing', () => {
    assert.deepEqual(mergedCapabilities([slot({}), slot({})]), {});
    for (const feature of all) {
      const { [feature]: offered, ...rest } = mergedCapabilities([slot({}), slot({ [feature]: {} })]) as Record<
        string,
        unknown
      >;
      assert.deepEqual(rest, {});
      assert.deepEqual(offered, ['logging', 'completions'].includes(feature) ? {} : { listChanged: true });
    }
    const missing = mergedCapabilities([slot({}), slot()]);
    assert.deepEqual(Object.keys(missing), all);
    assert.deepEqual(missing.resources, { listChanged: true, subscribe: true });
  });

  test('subscriptions to resources if one of them does', () => {
    const resources = (...subscribe: readonly boolean[]) =>
      mergedCapabilities(subscribe.map((one) => slot({ resources: { subscribe: one } }))).resources;
    assert.deepEqual(resources(false, true), { listChanged: true, subscribe: true });
    assert.deepEqual(resources(false, false), { listChanged: true });
  });

  test('tasks, with a list only where there is one server', () => {
    const called = { requests: { tools: { call: {} } } };
    const tasksOf = (...tasks: readonly ServerCapabilities['tasks'][]) =>
      mergedCapabilities(tasks.map((one) => slot(one && { tasks: one }))).tasks;
    const whole = { list: {}, cancel: {}, ...called };
    assert.deepEqual(tasksOf(whole), whole);
    assert.deepEqual(tasksOf(whole, whole), { cancel: {}, ...called });
    assert.deepEqual(tasksOf({ list: {} }, { cancel: {} }), { cancel: {} });
    assert.deepEqual(tasksOf({ requests: { tools: {} } }, called), called);
    assert.deepEqual(mergedCapabilities([slot({ tasks: { list: {} } }), slot({})]).tasks, {});
    assert.equal(mergedCapabilities([slot({}), slot({})]).tasks, undefined);
  });

  test('the methods and extensions of all, of one name those of the first', () => {
    const own = (methods: object, more: object = {}): ServerCapabilities => ({
      experimental: { [ownMethodsKey]: methods, ...more } as never,
      extensions: more as never,
    });
    const two = [slot(own({ a: { of: 1 } }, { x: { of: 1 } })), slot(own({ a: { of: 2 }, b: {} }, { x: { of: 2 } }))];
    assert.deepEqual(mergedCapabilities(two).experimental, {
      x: { of: 1 },
      [ownMethodsKey]: { a: { of: 1 }, b: {} },
    });
    assert.deepEqual(mergedCapabilities(two).extensions, { x: { of: 1 } });
    const one = [slot(own({ a: {} })), slot({})];
    assert.deepEqual(mergedCapabilities(one).experimental, { [ownMethodsKey]: { a: {} } });
    const declared = (of: number) => slot({}, { extensions: () => ({ x: { of } }) });
    assert.deepEqual(mergedExtensions([declared(1), declared(2), slot()]), { x: { of: 1 } });
  });

  test('instructions under the name of each, and a hint that is as short as the shortest', () => {
    const told = (instructions: string | undefined, name: string) => slot({}, { instructions }, name);
    assert.equal(joinedInstructions([told(undefined, 'a'), slot()]), undefined);
    assert.equal(
      joinedInstructions([told('x', 'a\nb'), told(undefined, 'c'), told('y', 'd')]),
      '# a b\n\nx\n\n# d\n\ny',
    );
    const kept = (ttlMs: number) => slot({}, { discoverHint: { ttlMs, cacheScope: 'public' } });
    assert.deepEqual(joinedHint([kept(2), kept(1)]), { ttlMs: 1, cacheScope: 'public' });
    assert.deepEqual(joinedHint([kept(2), slot()]), { ttlMs: 0, cacheScope: 'private' });
  });

  test('an unknown method goes to the first server that knows it', async () => {
    const call = (aborted = false): Call => ({ method: 'x/y', aborted }) as never;
    const unknown = (run: () => unknown) => slot({}, { unknown: async () => run() });
    const failing = (error: Error) =>
      unknown(() => {
        throw error;
      });
    const [none, wrong] = [new McpError('methodNotFound', 'no such method'), new McpError('invalidParams', 'wrong')];
    const lost = new McpError('internalError', 'lost', { cause: new ConnectionError('closed', 'x') });
    const served = unknown(() => ({ done: true }));
    const ask = async (slots: readonly Backend[], of = call()): Promise<unknown> =>
      await askForUnknown(slots, {}, of).catch((error: unknown) => error);
    for (const before of [slot({}), failing(none), failing(lost)])
      assert.deepEqual(await ask([before, served]), { done: true });
    assert.equal(await ask([failing(wrong), served]), wrong);
    assert.equal(await ask([failing(none), served], call(true)), none);
    // A lost server might have known it, whichever comes first.
    assert.equal(await ask([failing(none), failing(lost)]), lost);
    assert.equal(await ask([failing(lost), failing(none)]), lost);
    assert.match(String(await ask([slot({}), slot()])), /x\/y is not served here/);
    // The first of two failures of the same kind is thrown.
    const [lostToo, noneToo] = [
      new McpError('internalError', 'lost too', { cause: new ConnectionError('closed', 'y') }),
      new McpError('methodNotFound', 'no such method either'),
    ];
    assert.equal(await ask([failing(lost), failing(lostToo)]), lost);
    assert.equal(await ask([failing(none), failing(noneToo)]), none);
    assert.equal(await ask([failing(lost), failing(none), failing(lostToo)]), lost);
  });
});

describe('one server is offered', () => {
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  const offer = (
    revision: '2024-11-05' | '2025-11-25' | '2026-07-28',
    capabilities: ServerCapabilities,
    apart?: boolean,
  ) => offerOf({ revision, capabilities }, apart);

  test('with its tasks of 2025-11-25, listed only if the server tells its clients apart', () => {
    const extensions = { [tasksExtension]: {} };
    const { list: _, ...unlisted } = tasks;
    assert.deepEqual(offer('2025-11-25', { tasks }), { tasks: unlisted, extensions });
    assert.deepEqual(offer('2025-11-25', { tasks }, true), { tasks, extensions });
    assert.deepEqual(offer('2025-11-25', { tasks: { cancel: {} } }), { tasks: { cancel: {} } });
    assert.deepEqual(offer('2026-07-28', { tasks }), {});
    const capabilities = { tools: {} };
    assert.equal(offer('2025-11-25', capabilities), offer('2025-11-25', capabilities));
  });

  test('with the extension of tasks only in the version that has it', () => {
    const extensions = { [tasksExtension]: {}, 'x.example/y': {} };
    const kept = { cancel: {}, requests: { tools: { call: {} } } };
    assert.deepEqual(offer('2026-07-28', { extensions }), { tasks: kept, extensions });
    assert.deepEqual(offer('2025-11-25', { extensions }), { extensions: { 'x.example/y': {} } });
  });

  test('with completions that the oldest version does not declare', () => {
    assert.deepEqual(offer('2024-11-05', { prompts: {} }), { prompts: {}, completions: {} });
    assert.deepEqual(offer('2024-11-05', { resources: {} }), { resources: {}, completions: {} });
    assert.deepEqual(offer('2024-11-05', { tools: {} }), { tools: {} });
    assert.deepEqual(offer('2025-11-25', { prompts: {} }), { prompts: {} });
  });

  test('with a list of stored tasks to a known client alone', () => {
    const kept = { tasks: { cancel: {} }, extensions: { [tasksExtension]: {} } };
    const own = { tasks: { store: {} }, ofPart: false } as never;
    const listed = { ...kept, tasks: { list: {}, cancel: {} } };
    for (const link of [{ auth: {} }, { network: 'pipe' }, { network: 'inproc' }] as never[])
      assert.deepEqual(keptOfferedTo(link, kept, own), listed);
    const [pipe, http] = [{ network: 'pipe' }, { network: 'tcp' }] as never[];
    assert.equal(keptOfferedTo(http, kept, own), kept);
    assert.equal(keptOfferedTo(undefined, kept, own), kept);
    assert.equal(keptOfferedTo(pipe, kept, { tasks: {} } as never), kept);
    assert.equal(keptOfferedTo(pipe, kept, { tasks: { store: {} }, ofPart: true } as never), kept);
    for (const less of [{ tasks: kept.tasks }, { extensions: kept.extensions }])
      assert.equal(keptOfferedTo(pipe, less, own), less);
  });
});
