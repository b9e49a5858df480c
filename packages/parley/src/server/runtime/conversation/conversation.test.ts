import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dates,
  errorOf,
  handshakeDates,
  initializeParams,
  open,
  Raw,
  resultOf,
  settle,
  statelessDate,
  withMeta,
  type Json,
} from '../../../../../../test/support/raw.ts';
import { served } from '../../../../../../test/support/tested-server.ts';

const newestHandshake = '2025-11-25';

for (const date of handshakeDates) {
  test(`initialize at ${date} is answered with it [lifecycle-003, lifecycle-012]`, async () => {
    const raw = new Raw(served(), false);
    const result = await raw.result('initialize', initializeParams(date), 0);
    assert.equal(result['protocolVersion'], date);
    assert.equal(result['instructions'], 'Be kind.');
    assert.partialDeepStrictEqual(result['capabilities'], { tools: { listChanged: true }, logging: {} });
    assert.partialDeepStrictEqual(result['serverInfo'], { name: 'tested', version: '1.0.0' });
    assert.equal(raw.conversation.revision?.date, date);
  });
}

for (const asked of [
  '1999-01-01',
  '2025-05-01',
  '2026-06-30',
  '2099-12-31',
  '',
  'draft',
  '2026-07-28',
  '2025-06-18 ',
  '__proto__',
]) {
  test(`initialize at ${JSON.stringify(asked)} gets a counter-offer [B11, D02, D04, D05, D06, lifecycle-013, lifecycle-014]`, async () => {
    const raw = new Raw(served(), false);
    const result = await raw.result('initialize', initializeParams(asked));
    assert.equal(result['protocolVersion'], newestHandshake);
  });
}

test('the counter-offer is the newest handshake revision that the server speaks [lifecycle-013, lifecycle-014]', async () => {
  const raw = new Raw(served({ revisions: ['2024-11-05', '2025-03-26', '2026-07-28'] }), false);
  const result = await raw.result('initialize', initializeParams('2025-06-18'));
  assert.equal(result['protocolVersion'], '2025-03-26');
});

for (const [what, params] of [
  ['no protocolVersion', { capabilities: {}, clientInfo: { name: 'c', version: '1' } }],
  [
    'a protocolVersion that is no string',
    { protocolVersion: 20250618, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  ],
  [
    'a protocolVersion that is null',
    { protocolVersion: null, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  ],
  ['no clientInfo', { protocolVersion: '2025-06-18', capabilities: {} }],
  ['no capabilities', { protocolVersion: '2025-06-18', clientInfo: { name: 'c', version: '1' } }],
  ['no parameters', {}],
] as const) {
  test(`initialize with ${what} is refused, and may be tried again [D11, D26, D37]`, async () => {
    const raw = new Raw(served(), false);
    assert.equal((await raw.error('initialize', params)).code, -32602);
    assert.equal(raw.conversation.revision, undefined);
    assert.equal((await raw.result('initialize', initializeParams('2025-06-18')))['protocolVersion'], '2025-06-18');
  });
}

test('a second initialize is refused and changes nothing [D17]', async () => {
  const raw = await open(served(), '2025-03-26', { capabilities: { sampling: {} } });
  const error = await raw.error('initialize', initializeParams('2025-11-25'));
  assert.equal(error.code, -32600);
  assert.equal(raw.conversation.revision?.date, '2025-03-26');
  assert.ok(Array.isArray((await raw.result('tools/list'))['tools']));
});

test('a request before initialize is refused [D15, lifecycle-001]', async () => {
  const raw = new Raw(served(), false);
  for (const method of ['tools/list', 'tools/call', 'resources/list', 'logging/setLevel', 'nobody/knows']) {
    assert.equal((await raw.error(method, { name: 'echo' })).code, -32600, method);
  }
});

test('ping is answered before initialize, and at once [D16, E06, ping-001]', async () => {
  const raw = new Raw(served(), false);
  assert.deepEqual(await raw.ask('ping', {}, 'p'), { jsonrpc: '2.0', id: 'p', result: {} });
});

test('a server without handshake does not answer the ping of one', async () => {
  const raw = new Raw(served({ revisions: [statelessDate] }), false);
  assert.equal((await raw.error('ping')).code, -32602);
});

test('requests between initialize and notifications/initialized are served', async () => {
  const raw = new Raw(served(), false);
  await raw.result('initialize', initializeParams('2025-06-18'));
  assert.ok(Array.isArray((await raw.result('tools/list'))['tools']));
});

test('a link that does not last cannot be initialized', async () => {
  const raw = new Raw(served(), false, { lasting: false });
  assert.equal((await raw.error('initialize', initializeParams('2025-06-18'))).code, -32600);
  assert.equal(raw.conversation.revision, undefined);
  assert.ok(
    Array.isArray(
      resultOf(await raw.receive({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: withMeta() }))['tools'],
    ),
  );
});

test('a stateless-only server answers initialize with what it speaks [versioning-010]', async () => {
  const raw = new Raw(served({ revisions: [statelessDate] }), false);
  for (const [params, requested] of [
    [initializeParams('2025-06-18'), '2025-06-18'],
    [{ protocolVersion: '2024-11-05' }, '2024-11-05'],
    [{}, ''],
  ] as const) {
    const { code, data } = await raw.error('initialize', params);
    assert.equal(code, -32022);
    assert.deepEqual(data, { supported: [statelessDate], requested });
  }
});

for (const [how, params] of [
  ['with its revision', withMeta()],
  ['without any', {}],
] as const) {
  test(`a server restricted to handshake revisions answers server/discover ${how} with -32601`, async () => {
    const raw = new Raw(served({ revisions: ['2025-06-18', '2025-11-25'] }), false);
    const { code, message } = await raw.error('server/discover', params);
    assert.deepEqual(
      [code, message],
      [-32601, 'server/discover is no method of the revisions spoken here: 2025-11-25, 2025-06-18'],
    );
    await raw.result('initialize', initializeParams('2025-06-18'));
    assert.equal((await raw.error('server/discover', params)).code, -32601);
  });
}

test('a handshake-only server refuses a stateless request with what it speaks [versioning-001]', async () => {
  const raw = new Raw(served({ revisions: ['2025-06-18', '2025-11-25'] }), false);
  const { code, data } = errorOf(
    await raw.receive({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: withMeta() }),
  );
  assert.equal(code, -32022);
  assert.deepEqual(data, { supported: ['2025-11-25', '2025-06-18'], requested: statelessDate });
});

test('a stateless request is served at any time on a conversation of both eras [versioning-011, basic-032]', async () => {
  const raw = new Raw(served(), false);
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: withMeta() };
  assert.equal(resultOf(await raw.receive(list))['resultType'], 'complete');
  await raw.result('initialize', initializeParams('2025-03-26'));
  assert.equal(resultOf(await raw.receive(list))['resultType'], 'complete');
  await raw.notify('notifications/initialized');
  assert.equal(resultOf(await raw.receive(list))['resultType'], 'complete');
  const handshake = await raw.result('tools/list');
  assert.ok(
    !('resultType' in handshake) && !('ttlMs' in handshake) && !('_meta' in handshake),
    JSON.stringify(handshake),
  );
});

test('a stateless request settles nothing [basic-032, D35]', async () => {
  const raw = new Raw(served(), false);
  await raw.receive({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: withMeta() });
  assert.equal(raw.conversation.revision, undefined);
  assert.equal((await raw.error('tools/list')).code, -32600);
});

test('the id comes back exactly as it was sent [basic-005, basic-009]', async () => {
  const raw = await open(served(), '2025-06-18');
  for (const id of [0, -1, 7, Number.MAX_SAFE_INTEGER, '', '7', 'ä\u0000', '__proto__', 'x'.repeat(10_000)]) {
    assert.deepEqual(await raw.ask('ping', {}, id), { jsonrpc: '2.0', id, result: {} });
  }
});

test('the number 7 and the text "7" are two ids [basic-008]', async () => {
  const server = served({ onError: () => undefined });
  const doors = gates();
  server.tool('wait', {}, () => doors.wait());
  const raw = await open(server, '2025-06-18');
  const one = raw.ask('tools/call', { name: 'wait' }, 7);
  const two = raw.ask('tools/call', { name: 'wait' }, '7');
  doors.open();
  resultOf(await one);
  resultOf(await two);
});

test('an id that is in use is refused, and free again after the answer [basic-007, basic-008]', async () => {
  const server = served();
  const doors = gates();
  server.tool('wait', {}, async () => {
    await doors.wait();
    return 'late';
  });
  for (const date of dates) {
    const raw = await open(server, date);
    const first = raw.ask('tools/call', { name: 'wait' }, 'same');
    assert.equal((await raw.error('tools/list', {}, 'same')).code, -32600);
    doors.open();
    assert.partialDeepStrictEqual(resultOf(await first), { content: [{ type: 'text', text: 'late' }] });
    resultOf(await raw.ask('tools/list', {}, 'same'));
    doors.close();
  }
});

test('params that are null are no params', async () => {
  for (const date of dates.filter((one) => one !== statelessDate)) {
    const raw = await open(served(), date);
    const request = { jsonrpc: '2.0', id: 2, method: 'ping', params: null };
    assert.deepEqual(await raw.receive(request), { jsonrpc: '2.0', id: 2, result: {} }, date);
  }
});

const malformed: readonly (readonly [string, unknown, unknown])[] = [
  ['no jsonrpc', { id: 1, method: 'ping' }, 1],
  ['an old jsonrpc', { jsonrpc: '1.0', id: 1, method: 'ping' }, 1],
  ['a jsonrpc that is a number', { jsonrpc: 2, id: 'a', method: 'ping' }, 'a'],
  ['params that are a list', { jsonrpc: '2.0', id: 2, method: 'ping', params: [] }, 2],
  ['params that are text', { jsonrpc: '2.0', id: 2, method: 'ping', params: 'x' }, 2],
  ['a method that is a number', { jsonrpc: '2.0', id: 3, method: 5 }, 3],
  ['a method that is null', { jsonrpc: '2.0', id: 3, method: null }, 3],
  ['no method', { jsonrpc: '2.0', id: 4 }, 4],
  ['result and error', { jsonrpc: '2.0', id: 5, result: {}, error: { code: 1, message: 'm' } }, 5],
  ['a result that is text', { jsonrpc: '2.0', id: 5, result: 'x' }, 5],
  ['an error without message', { jsonrpc: '2.0', id: 5, error: { code: 1 } }, 5],
  ['an error with a fractional code', { jsonrpc: '2.0', id: 5, error: { code: 1.5, message: 'm' } }, 5],
  ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, undefined],
  ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, undefined],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, undefined],
  ['an id that is true', { jsonrpc: '2.0', id: true, method: 'ping' }, undefined],
  ['an id that is too big', { jsonrpc: '2.0', id: 2 ** 53, method: 'ping' }, undefined],
  ['an empty object', {}, undefined],
  ['a list', [], undefined],
  ['a list of messages', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], undefined],
  ['null', null, undefined],
  ['text', 'ping', undefined],
  ['a number', 7, undefined],
  ['true', true, undefined],
];

for (const [what, value, id] of malformed) {
  test(`${what} is an invalid request [basic-001, basic-005, basic-006, basic-010, basic-014, basic-015]`, async () => {
    for (const date of dates) {
      const stateless = date === statelessDate;
      const raw = stateless ? new Raw(served({ revisions: [date] }), false) : await open(served(), date);
      const response = await raw.receive(value);
      assert.equal(errorOf(response).code, -32600);
      assert.ok(response !== undefined);
      if (id !== undefined) assert.equal(response['id'], id);
      // Before 2025-11-25 JSON-RPC's own null stands for the unknown id; from then on it is left out.
      else if (stateless || date === '2025-11-25') assert.ok(!('id' in response), JSON.stringify(response));
      else assert.equal(response['id'], null);
    }
  });
}

test('a value that could not be parsed is a parse error', async () => {
  for (const date of handshakeDates) {
    const { conversation } = await open(served(), date);
    const response = conversation.unreadable('text is not JSON');
    assert.partialDeepStrictEqual(response, { jsonrpc: '2.0', error: { code: -32700 } });
    assert.equal('id' in response ? response.id : 'absent', date === '2025-11-25' ? 'absent' : null);
  }
});

test('responses to nothing are ignored', async () => {
  for (const date of dates) {
    const raw = await open(served(), date);
    for (const response of [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 'x', error: { code: -1, message: 'no' } },
      { jsonrpc: '2.0', id: null, error: { code: -1, message: 'no' } },
      { jsonrpc: '2.0', error: { code: -1, message: 'no' } },
    ]) {
      assert.equal(await raw.receive(response), undefined);
    }
    assert.deepEqual(raw.heard, []);
  }
});

const nowhere = ['nobody/knows', '', '__proto__', 'constructor', 'toString'];
const notifications = ['notifications/initialized', 'notifications/cancelled', 'notifications/message'];

test('notifications get no response, whatever they are [basic-017, basic-018]', async () => {
  for (const date of dates) {
    const raw = await open(served(), date);
    for (const method of [
      ...nowhere,
      ...notifications,
      'tools/call',
      'initialize',
      'notifications/roots/list_changed',
      'notifications/progress',
    ]) {
      await raw.notify(method);
      await raw.notify(method, { requestId: {}, _meta: { 'io.modelcontextprotocol/protocolVersion': 7 } });
    }
    assert.deepEqual(raw.heard, []);
    assert.ok(Array.isArray((await raw.result('tools/list'))['tools']));
  }
});

test('notifications/initialized before initialize opens nothing [lifecycle-006]', async () => {
  const server = served();
  const raw = new Raw(server, false);
  await raw.notify('notifications/initialized');
  await raw.result('initialize', initializeParams('2025-06-18'));
  server.tool('another', {}, () => undefined);
  await settle();
  assert.deepEqual(raw.heard, []);
});

test('clients that use the same ids at the same time get their own answers [basic-033, D38]', async () => {
  const server = served();
  server.tool('slow', { input: { type: 'object' } }, async ({ who, turns }) => {
    for (let turn = 0; turn < Number(turns); turn++) await settle();
    return String(who);
  });
  const raws = await Promise.all(Array.from({ length: 20 }, (_, at) => open(server, dates[at % dates.length]!)));
  const asked = raws.flatMap((raw, client) =>
    [1, 2, 3].map(async (id): Promise<void> => {
      const who = `${client}/${id}`;
      const result = await raw.result(
        'tools/call',
        { name: 'slow', arguments: { who, turns: (client * 7 + id * 3) % 5 } },
        id,
      );
      assert.partialDeepStrictEqual(result, { content: [{ type: 'text', text: who }] });
    }),
  );
  await Promise.all(asked);
});

interface Gates {
  wait(): Promise<undefined>;
  open(): void;
  close(): void;
}

/** Lets a test say when a handler goes on. */
function gates(): Gates {
  let release: () => void = () => undefined;
  let promise: Promise<undefined>;
  const close = (): void => {
    promise = new Promise((resolve) => (release = () => resolve(undefined)));
  };
  close();
  return { wait: () => promise, open: () => release(), close };
}

test('a result never has an error beside it, nor the other way round [basic-011, basic-012, basic-013]', async () => {
  for (const date of dates) {
    const raw = await open(served(), date);
    const answers: Json[] = [
      await raw.ask('tools/list'),
      await raw.ask('nobody/knows'),
      await raw.ask('tools/call', {}),
    ];
    for (const answer of answers) assert.equal(Number('result' in answer) + Number('error' in answer), 1);
  }
});
