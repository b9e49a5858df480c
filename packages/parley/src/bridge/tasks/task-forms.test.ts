/** Which of two hops has tasks in which form, and what goes between them. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClientCapabilities, ServerCapabilities } from '../../protocol/capability.ts';
import { McpError } from '../../protocol/error.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import { metaKey } from '../../protocol/meta-key.ts';
import { revisionOf, type Revision, type RevisionDate } from '../../protocol/revision.ts';
import { declaredIn, hostedFor } from '../declared.ts';
import { declaredTo, selfOf, selfOfSession, wantedBy, wantedKeyOf } from '../upstream/wanted.ts';
import * as between from './task-forms.ts';
import { asOfExtension, inPlaceOf, takingTasks } from './forms.ts';

const [core, extension, none] = ['2025-11-25', '2026-07-28', '2025-06-18'].map((date) => revisionOf(date)) as [
  Revision,
  Revision,
  Revision,
];
const declared = { extensions: { [tasksExtension]: {} } };
const called: ServerCapabilities = { tasks: { requests: { tools: { call: {} } } } };
const forwarded = (facts: Revision, capabilities: ClientCapabilities = {}) => ({
  method: 'tools/call',
  facts,
  client: { info: undefined, capabilities, supports: () => false },
});
const server = (revision: RevisionDate, capabilities: ServerCapabilities) => ({ revision, capabilities });

test('a server has tasks in the form of its version, if it declares them there', () => {
  const forms = (['2025-06-18', '2025-11-25', '2026-07-28'] as const).map((date) =>
    [called, declared, {}].map((capabilities) => between.taskFormOf(server(date, capabilities))),
  );
  assert.deepEqual(forms, [
    ['none', 'none', 'none'],
    ['core', 'none', 'none'],
    ['none', 'extension', 'none'],
  ]);
  assert.equal(between.taskFormBehind({ main: {} } as never), 'none');
  assert.equal(between.taskFormBehind({ main: { latest: server('2025-11-25', called) } } as never), 'core');
  const kept = [core, extension].map((client) => [
    between.keepsTasks(client, 'extension'),
    between.keepsTasks(client, 'core'),
  ]);
  assert.deepEqual(kept, [
    [true, false],
    [false, false],
  ]);
});

describe('a call is refused since the tool runs as a task alone', () => {
  const [old, latest] = [server('2025-11-25', called), server('2026-07-28', declared)];
  const refused = (requiredCapabilities: unknown): McpError =>
    new McpError('missingRequiredClientCapability', 'x', { data: { requiredCapabilities } });

  test('by an unknown method in 2025-11-25, and by its extension alone in 2026-07-28', () => {
    const unknown = new McpError('methodNotFound', 'x');
    assert.equal(between.isTaskOnly(unknown, old, undefined), true);
    assert.equal(between.isTaskOnly(refused(declared), latest, undefined), true);
    for (const [error, by, wish] of [
      [unknown, old, {}],
      [refused(declared), latest, {}],
      [new Error('x'), old, undefined],
      [new McpError('invalidParams', 'x'), old, undefined],
      [unknown, server('2025-11-25', { tasks: {} }), undefined],
      [unknown, latest, undefined],
      [refused(declared), old, undefined],
      [refused(declared), server('2026-07-28', {}), undefined],
      [refused({ ...declared, sampling: {} }), latest, undefined],
      [refused({ extensions: { ...declared.extensions, 'x.example/y': {} } }), latest, undefined],
      [refused({ extensions: { 'x.example/y': {} } }), latest, undefined],
      [refused({ sampling: {} }), latest, undefined],
      [refused(undefined), latest, undefined],
      [new McpError('missingRequiredClientCapability', 'x'), latest, undefined],
    ] as const)
      assert.equal(between.isTaskOnly(error, by, wish), false, JSON.stringify([error.message, by, wish]));
  });

  test('and a client that could declare the extension is told to', () => {
    const unknown = new McpError('methodNotFound', 'x');
    const told = between.taskOnlyFor(unknown, forwarded(extension)) as McpError;
    assert.deepEqual([told.kind, told.message, told.cause], ['missingRequiredClientCapability', 'x', unknown]);
    assert.deepEqual(told.data, { requiredCapabilities: declared });
    assert.equal(between.taskOnlyFor(unknown, forwarded(core)), unknown);
    assert.equal(between.taskOnlyFor(unknown, forwarded(extension, declared)), unknown);
    for (const other of [new Error('x'), new McpError('invalidParams', 'x')])
      assert.equal(between.taskOnlyFor(other, forwarded(extension)), other);
  });
});

test('a wish of a server for a task goes on only to a client that hosts such', () => {
  const params = { message: 'x', task: {} };
  const hosting = { tasks: { requests: { elicitation: { create: {} } } } };
  assert.equal(between.withoutWish('elicitation/create', params, hosting), params);
  assert.deepEqual(between.withoutWish('sampling/createMessage', params, hosting), { message: 'x' });
  assert.deepEqual(between.withoutWish('elicitation/create', params), { message: 'x' });
  assert.equal(between.withoutWish('x.example/ask', params), params);
  const plain = { message: 'x' };
  assert.equal(between.withoutWish('elicitation/create', plain), plain);
  assert.deepEqual(
    [
      between.isOfClientTask('elicitation/create', params),
      between.isOfClientTask('elicitation/create', plain),
      between.isOfClientTask('tasks/get', plain),
      between.isOfClientTask('x.example/ask', params),
    ],
    [true, false, true, false],
  );
});

test('a message is passed on under the id that its client knows the task by', () => {
  const of = (taskId: unknown) => ({ a: 1, _meta: { b: 2, [metaKey.relatedTask]: { taskId } } });
  assert.deepEqual(
    [of('t'), of(1), {}, { _meta: { [metaKey.relatedTask]: 't' } }].map((one) => between.relatedTaskOf(one as never)),
    ['t', undefined, undefined, undefined],
  );
  assert.deepEqual(between.withoutRelated(of('t')), { a: 1, _meta: { b: 2 } });
  const plain = of(1);
  assert.equal(between.withoutRelated(plain), plain);
  const told = (
    params: object,
    related?: (params: object, tell: (named: object) => void) => void,
  ): readonly unknown[] => {
    const found: unknown[] = [];
    between.related({ related } as never, params as never, (named) => found.push(named));
    return found;
  };
  const renaming = (_: object, tell: (named: object) => void): void => tell({ renamed: true });
  assert.deepEqual(told(of('t'), renaming), [{ renamed: true }]);
  assert.deepEqual(told(of('t')), [{ a: 1, _meta: { b: 2 } }]);
  assert.deepEqual(told(plain, renaming), [plain]);
});

test('the wish of a client for a task goes up to a server of 2025-11-25 that runs calls as tasks', () => {
  const goes = (call: ReturnType<typeof forwarded>, revision = core, capabilities = called): boolean =>
    between.carriesWish(call, revision, { capabilities });
  assert.deepEqual([goes(forwarded(core)), goes(forwarded(extension, declared))], [true, true]);
  assert.deepEqual(
    [
      goes(forwarded(extension)),
      goes(forwarded(none)),
      goes({ ...forwarded(core), method: 'prompts/get' }),
      goes(forwarded(core), extension),
      goes(forwarded(core), core, { tasks: {} }),
    ],
    [false, false, false, false, false],
  );
});

test('a bridge asks for a task in the place of a client of the extension', () => {
  const wish = (facts: Revision, support: unknown, more: object = {}) =>
    between.wished({ name: 'x', task: { ttl: 1 } }, forwarded(facts, declared), {
      form: 'core',
      support,
      tasks: 'required',
      ...more,
    })['task'];
  assert.deepEqual(wish(extension, 'required'), {});
  assert.deepEqual(wish(extension, 'optional', { tasks: 'always' }), {});
  assert.deepEqual(wish(core, 'forbidden'), { ttl: 1 });
  assert.deepEqual(wish(extension, 'required', { form: 'extension' }), { ttl: 1 });
  for (const [support, tasks] of [
    ['optional', 'required'],
    ['forbidden', 'always'],
    [undefined, 'always'],
  ])
    assert.equal(wish(extension, support, { tasks }), undefined);
  const plain = between.wished({}, forwarded(extension), { form: 'core', support: 'required', tasks: 'always' });
  assert.deepEqual(plain, {});
});

test('a result is a task by its type, or before 2026-07-28 where one was asked for', () => {
  const made = { task: { taskId: 't' } };
  assert.deepEqual(
    [
      between.isTask({ resultType: 'task' }, 'extension', undefined),
      between.isTask(made, 'core', {}),
      between.isTask(made, 'extension', {}),
      between.isTask(made, 'core', undefined),
      between.isTask({ ...made, content: [] }, 'core', {}),
      between.isTask({ task: 't' }, 'core', {}),
      between.isTask(made, 'none', {}),
    ],
    [true, true, false, false, false, false, false],
  );
});

test('a task has its times under the names of the extension', () => {
  const task = { taskId: 't', status: 'working', createdAt: 'x', lastUpdatedAt: 'y' } as const;
  const whole = { ...task, ttl: 5, pollInterval: 7, result: {}, inputRequests: {} };
  assert.deepEqual(asOfExtension(whole as never), { ...task, ttlMs: 5, pollIntervalMs: 7 });
  assert.deepEqual(asOfExtension(task as never), { ...task, ttlMs: null });
  assert.deepEqual(takingTasks(), declared);
  assert.deepEqual(takingTasks({ roots: {}, extensions: { 'x.example/y': {} } }).extensions, {
    'x.example/y': {},
    ...declared.extensions,
  });
  const call = {
    ...forwarded(core, { roots: {} }),
    address: 'a',
    auth: undefined,
    signal: new AbortController().signal,
  };
  assert.equal(inPlaceOf(call, undefined), call);
  assert.equal(inPlaceOf(call, { taskId: 't' } as never), call);
  const placed = inPlaceOf(call, { declared: { sampling: {} }, within: 'w' } as never);
  assert.deepEqual([placed.client.capabilities, placed.within, placed.address], [{ sampling: {} }, 'w', 'a']);
});

describe('a server is told what its client declares', () => {
  const roots = { roots: { listChanged: true } };

  test('on a connection of its own, and without changes of roots on a shared one', () => {
    assert.equal(selfOf(forwarded(extension, roots), undefined), undefined);
    assert.equal(selfOf(forwarded(extension), core), undefined);
    assert.deepEqual(selfOf(forwarded(extension, roots), core), { info: undefined, capabilities: { roots: {} } });
    const sampling = selfOf(forwarded(extension, { sampling: {} }), core);
    assert.deepEqual(sampling, { info: undefined, capabilities: { sampling: {} } });
    const client = { info: { name: 'c', version: '1' }, capabilities: roots };
    const session = { client: { ...client, supports: () => false }, revision: core };
    assert.deepEqual(selfOfSession(session, core), client);
  });

  test('with the tasks that it hosts only in 2025-11-25 and without their list', () => {
    const tasks = { list: {}, requests: { sampling: { createMessage: {} } } };
    const { list: _, ...unlisted } = tasks;
    assert.deepEqual(hostedFor({ tasks }, core, core), { tasks: unlisted });
    assert.deepEqual(hostedFor({ tasks: { list: {} } }, core, core), {});
    assert.deepEqual(hostedFor({}, core, core), {});
    assert.deepEqual(hostedFor({ tasks }, core, none), {});
    assert.deepEqual(hostedFor({ tasks }, extension, core), {});
    assert.deepEqual(declaredTo(core, { tasks }, core), {});
  });

  test('with extensions in the places of its version', () => {
    const extensions = { 'x.example/y': {} };
    const moved = declaredIn(extension, core, { extensions });
    assert.deepEqual(moved, { extensions, experimental: extensions });
    const one = { extensions };
    assert.equal(declaredIn(extension, extension, one), one);
    assert.equal(declaredIn(extension, core, one), declaredIn(extension, core, one));
    assert.deepEqual(declaredIn(core, extension, { experimental: extensions }).extensions, extensions);
  });

  test('and shares a connection with nobody of another principal or with other capabilities', () => {
    const key = (principal: string | undefined, capabilities: ClientCapabilities, own?: string): string =>
      wantedKeyOf(
        wantedBy({ ...forwarded(extension, capabilities), address: 'a', auth: undefined }, principal, {
          handshake: core,
          own,
        }),
      );
    assert.equal(key('p', roots), key('p', { roots: {} }));
    assert.notEqual(key('p', roots), key('p', {}));
    assert.notEqual(key('p', {}), key('q', {}));
    assert.notEqual(key('p', {}), key(undefined, {}));
    assert.equal(key('p', {}, 'p'), key(undefined, {}));
  });
});
