import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dates,
  handshakeDates,
  initializeParams,
  open,
  Raw,
  resultOf,
  settle,
  statelessDate,
  type Json,
} from '../../../../../test/support/raw.ts';
import { metaKey } from '../../protocol/meta.ts';
import { createServer, type Server } from '../server.ts';

/** A server that offers something of each list. */
function served(options = {}): Server {
  const server = createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined, ...options });
  server.tool('tool', {}, (_, ctx) => {
    ctx.progress(1);
    ctx.log('emergency', 'said');
    return 'x';
  });
  server.resource('memo://one', { name: 'one' }, () => 'x');
  server.prompt('prompt', {}, () => 'x');
  return server;
}

const everything = {
  toolsListChanged: true,
  resourcesListChanged: true,
  promptsListChanged: true,
  resourceSubscriptions: ['memo://one', 'memo://two'],
};

function listChanged(list: string): string {
  return `notifications/${list}/list_changed`;
}

function marked(id: string | number): Json {
  return { [metaKey.subscriptionId]: id };
}

for (const date of handshakeDates) {
  test(`a session hears of changed lists without asking, once for each turn, at ${date} [tools-005, resources-004, prompts-004, E07, E08, E13]`, async () => {
    const server = served();
    const raw = await open(server, date);
    await settle();
    raw.take();
    const handles = [server.tool('a', {}, () => 'x'), server.tool('b', {}, () => 'x')];
    handles[0]?.update({ title: 'A' });
    handles[1]?.disable();
    handles[1]?.remove();
    await settle();
    assert.deepEqual(raw.take(), [{ jsonrpc: '2.0', method: listChanged('tools') }]);
    server.prompt('another', {}, () => 'x');
    server.resourceTemplate('user://{id}', { name: 'user' }, () => 'x');
    server.resource('memo://two', { name: 'two' }, () => 'x');
    await settle();
    assert.deepEqual(
      raw.take().map(({ method }) => method),
      [listChanged('prompts'), listChanged('resources')],
    );
    server.changed('tools');
    await settle();
    assert.deepEqual(raw.take(), [{ jsonrpc: '2.0', method: listChanged('tools') }]);
  });

  test(`before notifications/initialized a session hears of nothing at ${date} [lifecycle-006, D40]`, async () => {
    const server = served();
    const raw = new Raw(server, false);
    await raw.result('initialize', initializeParams(date));
    await raw.result('resources/subscribe', { uri: 'memo://one' });
    server.tool('a', {}, () => 'x');
    server.resourceUpdated('memo://one');
    await settle();
    assert.deepEqual(raw.take(), []);
    await raw.notify('notifications/initialized');
    server.changed('tools');
    await settle();
    assert.deepEqual(raw.take(), [{ jsonrpc: '2.0', method: listChanged('tools') }]);
  });

  test(`a session hears of no list that it was not promised at ${date} [lifecycle-007, lifecycle-009, D31]`, async () => {
    const server = createServer({ name: 's', version: '1' }, { capabilities: { prompts: { listChanged: false } } });
    const raw = await open(server, date);
    server.tool('first', {}, () => 'x');
    server.prompt('first', {}, () => 'x');
    server.resource('memo://one', { name: 'one' }, () => 'x');
    await settle();
    assert.deepEqual(raw.take(), []);
    const later = await open(server, date);
    server.changed('tools');
    server.changed('prompts');
    await settle();
    assert.deepEqual([raw.take(), later.take().map(({ method }) => method)], [[], [listChanged('tools')]]);
  });
}

test('a handle that changes nothing tells nobody', async () => {
  const server = served();
  const handle = server.tool('a', {}, () => 'x');
  const raw = await open(server, '2025-06-18');
  await settle();
  raw.take();
  handle.enable();
  handle.remove();
  await settle();
  raw.take();
  handle.remove();
  handle.disable();
  handle.enable();
  await settle();
  assert.deepEqual(raw.take(), []);
});

test('a closed conversation hears of nothing', async () => {
  const server = served();
  const raws = await Promise.all(dates.map((date) => open(server, date)));
  void raws.at(-1)?.send('subscriptions/listen', { notifications: everything });
  await settle();
  server.changed('tools');
  for (const raw of raws) {
    raw.take();
    raw.conversation.close();
  }
  server.changed('prompts');
  server.resourceUpdated('memo://one');
  await settle();
  for (const raw of raws) assert.deepEqual(raw.take(), []);
});

test('a stateless client that does not listen hears of nothing [subs-001]', async () => {
  const server = served();
  const raw = await open(server, statelessDate);
  await raw.result('tools/list');
  for (const list of ['tools', 'resources', 'prompts'] as const) server.changed(list);
  server.resourceUpdated('memo://one');
  await settle();
  assert.deepEqual(raw.take(), []);
});

for (const id of ['ears', 7, '', 0]) {
  test(`a listen stream begins with what was agreed, and every message names ${JSON.stringify(id)} [subs-002, subs-003, subs-004, subs-006, meta-019]`, async () => {
    const server = served();
    const raw = await open(server, statelessDate);
    void raw.send('subscriptions/listen', { notifications: everything }, id);
    server.changed('tools');
    server.changed('resources');
    server.changed('prompts');
    server.resourceUpdated('memo://two');
    server.resourceUpdated('memo://three');
    await settle();
    assert.ok(raw.heard.every(({ related }) => related === id));
    assert.deepEqual(raw.take(), [
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: everything, _meta: marked(id) },
      },
      ...['tools', 'resources', 'prompts'].map((list) => ({
        jsonrpc: '2.0',
        method: listChanged(list),
        params: { _meta: marked(id) },
      })),
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'memo://two', _meta: marked(id) } },
    ]);
  });
}

for (const [asked, agreed, heard] of [
  [{}, {}, []],
  [{ toolsListChanged: false, promptsListChanged: true }, { promptsListChanged: true }, [listChanged('prompts')]],
  [{ toolsListChanged: true }, { toolsListChanged: true }, [listChanged('tools')]],
  [{ resourcesListChanged: true }, { resourcesListChanged: true }, [listChanged('resources')]],
  [
    { resourceSubscriptions: ['memo://one'] },
    { resourceSubscriptions: ['memo://one'] },
    ['notifications/resources/updated'],
  ],
  [{ resourceSubscriptions: [] }, { resourceSubscriptions: [] }, []],
  [{ taskIds: ['t'], 'com.example/x': true, toolsListChanged: null }, {}, []],
] as const) {
  test(`who asks for ${JSON.stringify(asked)} hears that alone [subs-001, subs-004, subs-013, subs-014, subs-015, subs-016, tools-006, prompts-005]`, async () => {
    const server = served();
    const raw = await open(server, statelessDate);
    void raw.send('subscriptions/listen', { notifications: asked }, 'ears');
    await settle();
    assert.deepEqual(raw.take(), [
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: agreed, _meta: marked('ears') },
      },
    ]);
    for (const list of ['tools', 'resources', 'prompts'] as const) server.changed(list);
    server.resourceUpdated('memo://one');
    await settle();
    assert.deepEqual(
      raw.take().map(({ method }) => method),
      heard,
    );
  });
}

test('only what the server declares is agreed to [subs-004, versioning-004]', async () => {
  const capabilities = { tools: { listChanged: false }, resources: { subscribe: false }, prompts: {} };
  const server = createServer({ name: 's', version: '1' }, { capabilities });
  const raw = await open(server, statelessDate);
  void raw.send('subscriptions/listen', { notifications: everything }, 1);
  await settle();
  assert.partialDeepStrictEqual(raw.take(), [
    { params: { notifications: { resourcesListChanged: true, promptsListChanged: true } } },
  ]);
});

test('a list that is declared but empty still can be listened to [tools-006]', async () => {
  const server = createServer({ name: 's', version: '1' }, { capabilities: { tools: {} } });
  const raw = await open(server, statelessDate);
  void raw.send('subscriptions/listen', { notifications: { toolsListChanged: true } }, 1);
  server.tool('first', {}, () => 'x');
  await settle();
  assert.deepEqual(
    raw.take().map(({ method }) => method),
    ['notifications/subscriptions/acknowledged', listChanged('tools')],
  );
});

test('a filter that is none is refused', async () => {
  const raw = await open(served(), statelessDate);
  for (const notifications of [
    undefined,
    null,
    7,
    [],
    'all',
    { toolsListChanged: 'yes' },
    { resourceSubscriptions: 'memo://one' },
    { resourceSubscriptions: [7] },
  ]) {
    assert.equal(
      (await raw.error('subscriptions/listen', { notifications })).code,
      -32602,
      JSON.stringify(notifications),
    );
  }
  assert.deepEqual(raw.take(), []);
});

test('one client may hold several streams, and ends each by its own id [subs-008, cancel-005]', async () => {
  const server = served();
  const raw = await open(server, statelessDate);
  const one = raw.send('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'one');
  const two = raw.send('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'two');
  await settle();
  raw.take();
  server.changed('tools');
  await settle();
  assert.deepEqual(
    raw.heard.splice(0).map(({ related }) => related),
    ['one', 'two'],
  );
  await raw.notify('notifications/cancelled', { requestId: 'one' });
  assert.equal(await one, undefined);
  server.changed('tools');
  await settle();
  assert.deepEqual(
    raw.heard.splice(0).map(({ related }) => related),
    ['two'],
  );
  raw.conversation.close();
  assert.equal(await two, undefined);
});

test('closing the server ends every stream with a result that names it [subs-009]', async () => {
  const server = served();
  const raw = await open(server, statelessDate);
  const other = await open(server, statelessDate);
  const answers = [
    raw.send('subscriptions/listen', { notifications: everything }, 'a'),
    raw.send('subscriptions/listen', { notifications: {} }, 'b'),
    other.send('subscriptions/listen', { notifications: {} }, 'a'),
  ];
  await settle();
  await server.close();
  const results = (await Promise.all(answers)).map(resultOf);
  for (const [at, id] of ['a', 'b', 'a'].entries()) {
    const { _meta, ...rest } = results[at]!;
    assert.deepEqual(rest, { resultType: 'complete' });
    assert.partialDeepStrictEqual(_meta, marked(id));
  }
  raw.take();
  server.changed('tools');
  await settle();
  assert.deepEqual(raw.take(), []);
});

test('progress and log messages stay on the streams of their own requests [subs-012, logging-005]', async () => {
  const raw = await open(served(), statelessDate, { meta: { [metaKey.logLevel]: 'debug', progressToken: 'p' } });
  void raw.send('subscriptions/listen', { notifications: everything }, 'ears');
  await settle();
  raw.take();
  await raw.result('tools/call', { name: 'tool' }, 'call');
  assert.deepEqual(
    raw.heard.map(({ related }) => related),
    ['call', 'call'],
  );
});

test('there are only so many streams, and each watches only so many resources', async () => {
  const server = served({ subscriptions: { listeners: 2, resourcesPerClient: 1 } });
  const raw = await open(server, statelessDate);
  const first = raw.send('subscriptions/listen', { notifications: everything }, 1);
  void raw.send('subscriptions/listen', { notifications: {} }, 2);
  await settle();
  assert.partialDeepStrictEqual(raw.take()[0], {
    params: { notifications: { resourceSubscriptions: ['memo://one'] } },
  });
  await raw.error('subscriptions/listen', { notifications: {} }, 3);
  await raw.notify('notifications/cancelled', { requestId: 1 });
  await first;
  void raw.send('subscriptions/listen', { notifications: {} }, 4);
  await settle();
  assert.deepEqual(
    raw.take().map(({ method }) => method),
    ['notifications/subscriptions/acknowledged'],
  );
});

test('the server sends no request and cancels nothing at 2026-07-28 [basic-037, cancel-015, cancel-016]', async () => {
  const server = served();
  const raw = await open(server, statelessDate, { meta: { [metaKey.logLevel]: 'debug', progressToken: 1 } });
  void raw.send('subscriptions/listen', { notifications: everything }, 'ears');
  await raw.result('tools/call', { name: 'tool' });
  server.changed('tools');
  await server.close();
  for (const message of raw.take()) {
    assert.ok(!('id' in message));
    assert.notEqual(message['method'], 'notifications/cancelled');
  }
});

test('a session watches only so much text: long URIs count for many', async () => {
  const server = served({ subscriptions: { resourcesPerClient: 100 } });
  const raw = await open(server, '2025-11-25');
  const uri = (at: number): string => `memo://${at}/${'x'.repeat(10_000)}`;
  for (let at = 0; at < 2; at++) await raw.result('resources/subscribe', { uri: uri(at) });
  const { message } = await raw.error('resources/subscribe', { uri: uri(3) });
  assert.equal(message, 'too many resource subscriptions; the limit is 100, of 25600 characters');
  await raw.result('resources/subscribe', { uri: uri(1) });
  await raw.result('resources/unsubscribe', { uri: uri(0) });
  await raw.result('resources/subscribe', { uri: uri(3) });
});
