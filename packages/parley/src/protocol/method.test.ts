import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listChanges, methodNames, methodOf, methodsWith } from './catalogue.ts';
import { extensionOf, maySend, type Side } from './method.ts';
import { newestRevision, revisions } from './revision.ts';

/** For each revision, oldest first: `c` from the client, `s` from the server, `b` both, `-` none. */
const directions: Readonly<Record<string, string>> = {
  initialize: 'cccc-',
  'server/discover': '----c',
  ping: 'bbbb-',
  'tools/list': 'ccccc',
  'tools/call': 'ccccc',
  'resources/subscribe': 'cccc-',
  'subscriptions/listen': '----c',
  'logging/setLevel': 'cccc-',
  'sampling/createMessage': 'ssss-',
  'roots/list': 'ssss-',
  'elicitation/create': '--ss-',
  'tasks/get': '---bc',
  'tasks/result': '---b-',
  'tasks/list': '---b-',
  'tasks/cancel': '---bc',
  'tasks/update': '----c',
  'notifications/initialized': 'cccc-',
  'notifications/cancelled': 'bbbbb',
  'notifications/progress': 'bbbbs',
  'notifications/message': 'sssss',
  'notifications/roots/list_changed': 'cccc-',
  'notifications/elicitation/complete': '---s-',
  'notifications/tasks/status': '---b-',
  'notifications/tasks': '----s',
};

for (const [method, expected] of Object.entries(directions)) {
  test(`${method} is sent by those who may`, () => {
    const row = methodOf(method);
    assert.ok(row !== undefined);
    const sides: readonly Side[] = ['client', 'server'];
    const letters = revisions.map((revision) => {
      const may = sides.filter((side) => maySend(side, row, revision));
      return may.length === 2 ? 'b' : (may[0]?.[0] ?? '-');
    });
    assert.equal(letters.join(''), expected);
  });
}

test('a method carries parameters, and a request has a result', () => {
  for (const method of methodNames) {
    const row = methodOf(method);
    assert.ok(row?.params !== undefined, method);
    assert.equal(row.result !== undefined, row.kind === 'request', method);
    assert.equal(row.kind === 'notification', method.startsWith('notifications/'), method);
  }
});

test('36 methods are known, and no other', () => {
  assert.equal(methodNames.length, 36);
  for (const name of ['__proto__', 'constructor', 'toString', '', 'tools/Call'])
    assert.equal(methodOf(name), undefined);
});

test('three requests may be answered with a wish for input', () => {
  assert.deepEqual(methodNames.filter((method) => methodOf(method)?.inputRequired).toSorted(), [
    'prompts/get',
    'resources/read',
    'tools/call',
  ]);
});

test('tasks belong to the core once and to an extension later', () => {
  const row = methodOf('tasks/get');
  assert.ok(row !== undefined);
  assert.deepEqual(
    revisions.map((revision) => extensionOf(row, revision)),
    [undefined, undefined, undefined, undefined, 'io.modelcontextprotocol/tasks'],
  );
});

const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];
const without = (leaves: string): readonly string[] => methodsWith((row) => row.leaves === leaves);

test('what lists, reads and completes leaves nothing in a server', () => {
  assert.deepEqual(without('nothing').toSorted(), [
    'completion/complete',
    'ping',
    'prompts/get',
    'prompts/list',
    'resources/list',
    'resources/read',
    'resources/templates/list',
    'server/discover',
    'tasks/get',
    'tasks/list',
    'tasks/result',
    'tools/list',
  ]);
});

test('a second subscription to a resource and a second level of logs change nothing', () => {
  assert.deepEqual(without('once'), ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']);
});

test('lists are stale after the notification of their feature, and what was read after that of its resource', () => {
  const stale = methodsWith(({ staleAfter }) => staleAfter !== undefined);
  assert.deepEqual(
    stale.map((method) => `${method} ${methodOf(method)?.staleAfter}`),
    [
      'tools/list notifications/tools/list_changed',
      'resources/list notifications/resources/list_changed',
      'resources/templates/list notifications/resources/list_changed',
      'resources/read notifications/resources/updated',
      'prompts/list notifications/prompts/list_changed',
    ],
  );
  for (const method of stale) assert.ok(methodOf(methodOf(method)?.staleAfter ?? '')?.kind === 'notification', method);
});

test('the lists of the protocol are four, and the changes of three are told', () => {
  assert.deepEqual(
    methodsWith(({ list }) => list !== undefined),
    lists,
  );
  assert.deepEqual(
    listChanges.map(({ method, list, flag }) => `${method} ${list} ${flag}`),
    [
      'notifications/tools/list_changed tools toolsListChanged',
      'notifications/resources/list_changed resources resourcesListChanged',
      'notifications/prompts/list_changed prompts promptsListChanged',
    ],
  );
});

test('what a bridge carries has a title, and needs a capability of the server', () => {
  const carried = methodsWith((row) => row.carried !== undefined);
  assert.deepEqual(carried.toSorted(), [
    'completion/complete',
    'prompts/get',
    'prompts/list',
    'resources/list',
    'resources/read',
    'resources/templates/list',
    'tools/call',
    'tools/list',
  ]);
  for (const method of carried) assert.equal(typeof methodOf(method)?.needs, 'string', method);
});

test('HTTP mirrors the name of what is asked for', () => {
  const named = methodNames.flatMap((method) => {
    const row = methodOf(method);
    return row?.nameParam === undefined ? [] : [`${method} ${row.nameParam}`];
  });
  assert.deepEqual(named.toSorted(), [
    'prompts/get name',
    'resources/read uri',
    'tasks/cancel taskId',
    'tasks/get taskId',
    'tasks/update taskId',
    'tools/call name',
  ]);
  assert.equal(newestRevision.http, 'exchange');
});
