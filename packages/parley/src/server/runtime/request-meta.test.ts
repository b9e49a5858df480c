import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  errorOf,
  initializeParams,
  open,
  Raw,
  resultOf,
  statelessDate,
  withMeta,
  type Json,
} from '../../../../../test/support/raw.ts';
import { metaKey } from '../../protocol/meta.ts';
import { createServer, type Server } from '../server.ts';

function served(): Server {
  const server = createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined });
  server.tool('who', {}, (_, ctx) =>
    JSON.stringify({ info: ctx.client.info, sampling: ctx.client.supports('sampling'), revision: ctx.revision }),
  );
  return server;
}

function ask(raw: Raw, method: string, meta: unknown): Promise<Json | undefined> {
  return raw.receive({ jsonrpc: '2.0', id: 1, method, params: { name: 'who', _meta: meta } });
}

const complete = { [metaKey.protocolVersion]: statelessDate, [metaKey.clientCapabilities]: {} };

test('a stateless request needs its version and its capabilities [meta-010]', async () => {
  const raw = new Raw(served(), true);
  for (const meta of [
    { [metaKey.protocolVersion]: statelessDate },
    { [metaKey.protocolVersion]: statelessDate, [metaKey.clientCapabilities]: null },
    { [metaKey.protocolVersion]: statelessDate, [metaKey.clientCapabilities]: 'all' },
    { [metaKey.protocolVersion]: statelessDate, [metaKey.clientCapabilities]: [] },
    { [metaKey.clientCapabilities]: {} },
    { [metaKey.clientCapabilities]: {}, [metaKey.clientInfo]: { name: 'c', version: '1' } },
    { [metaKey.protocolVersion]: null, [metaKey.clientCapabilities]: {} },
    { [metaKey.protocolVersion]: 20260728, [metaKey.clientCapabilities]: {} },
  ]) {
    assert.equal(errorOf(await ask(raw, 'tools/list', meta)).code, -32602, JSON.stringify(meta));
    assert.equal(errorOf(await ask(raw, 'server/discover', meta)).code, -32602, JSON.stringify(meta));
  }
});

test('a method of stateless revisions alone without _meta lacks its version [meta-010]', async () => {
  const raw = new Raw(served(), true);
  for (const method of ['server/discover', 'subscriptions/listen', 'tasks/update']) {
    for (const params of [
      undefined,
      {},
      { _meta: {} },
      { _meta: null },
      { _meta: 'x' },
      { _meta: { progressToken: 1 } },
    ]) {
      const response = await raw.receive({
        jsonrpc: '2.0',
        id: 1,
        method,
        ...(params === undefined ? {} : { params }),
      });
      assert.equal(errorOf(response).code, -32602);
    }
  }
});

test('every request to a stateless-only server needs _meta [meta-010]', async () => {
  const raw = new Raw(createServer({ name: 's', version: '1' }, { revisions: [statelessDate] }), true);
  for (const method of ['tools/list', 'ping', 'nobody/knows']) {
    const { code, message } = errorOf(await raw.receive({ jsonrpc: '2.0', id: 1, method }));
    assert.equal(code, -32602);
    assert.ok(message.includes(metaKey.protocolVersion), message);
  }
});

for (const requested of [
  '2099-01-01',
  '2026-06-30',
  'draft',
  '2025-11-25',
  '2024-11-05',
  '',
  '__proto__',
  'toString',
]) {
  test(`a request at ${JSON.stringify(requested)} is refused with what is spoken [versioning-001, basic-029]`, async () => {
    const raw = new Raw(served(), true);
    const { code, data } = errorOf(await ask(raw, 'tools/list', { ...complete, [metaKey.protocolVersion]: requested }));
    assert.equal(code, -32022);
    assert.deepEqual(data, {
      supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      requested,
    });
  });
}

test('a version that is refused is so in a conversation with handshake too', async () => {
  const raw = await open(served(), '2025-06-18');
  assert.equal(
    errorOf(await ask(raw, 'tools/list', { ...complete, [metaKey.protocolVersion]: '2099-01-01' })).code,
    -32022,
  );
});

test('a request without clientInfo is served, with or without one that is null [meta-012]', async () => {
  const raw = new Raw(served(), true);
  for (const meta of [complete, { ...complete, [metaKey.clientInfo]: null }]) {
    const { content } = resultOf(await ask(raw, 'tools/call', meta));
    assert.partialDeepStrictEqual(content, [{ text: JSON.stringify({ sampling: false, revision: statelessDate }) }]);
  }
});

test('a clientInfo that is none is refused', async () => {
  const raw = new Raw(served(), true);
  for (const info of ['c', [], { name: 'c' }, { version: '1' }, { name: 1, version: '1' }]) {
    assert.equal(errorOf(await ask(raw, 'tools/call', { ...complete, [metaKey.clientInfo]: info })).code, -32602);
  }
});

for (const level of ['loud', '', 'INFO', 7, {}, '__proto__']) {
  test(`the log level ${JSON.stringify(level)} is refused [logging-006, logging-008]`, async () => {
    const raw = new Raw(served(), true);
    assert.equal(errorOf(await ask(raw, 'tools/call', { ...complete, [metaKey.logLevel]: level })).code, -32602);
  });
}

test('each request is answered by its own capabilities and identity alone [basic-032, meta-013, A31, D35]', async () => {
  const raw = new Raw(served(), true);
  const seen = async (meta: Json): Promise<unknown> => {
    const { content } = resultOf(await ask(raw, 'tools/call', { ...complete, ...meta }));
    assert.ok(Array.isArray(content));
    return JSON.parse(content[0].text);
  };
  const info = { name: 'c', version: '1' };
  assert.deepEqual(await seen({ [metaKey.clientCapabilities]: { sampling: {} }, [metaKey.clientInfo]: info }), {
    info,
    sampling: true,
    revision: statelessDate,
  });
  assert.deepEqual(await seen({}), { sampling: false, revision: statelessDate });
});

test('a stateless request takes nothing from the handshake of its conversation [basic-032]', async () => {
  const raw = new Raw(served(), false);
  await raw.result('initialize', initializeParams('2025-06-18', { sampling: {} }));
  const stateless = resultOf(
    await raw.receive({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who', _meta: complete } }),
  );
  assert.partialDeepStrictEqual(stateless['content'], [
    { text: JSON.stringify({ sampling: false, revision: statelessDate }) },
  ]);
  const { content } = await raw.result('tools/call', { name: 'who' });
  assert.match(JSON.stringify(content), /2025-06-18/);
  assert.match(JSON.stringify(content), /sampling\\":true/);
});

test('keys of _meta that nobody here defines are let be [meta-001]', async () => {
  const server = served();
  server.tool('meta', {}, (_, ctx) => JSON.stringify(ctx.meta));
  const raw = new Raw(server, true);
  const meta = JSON.parse(
    `{"__proto__":{"a":1},"com.example/x":[1],"io.modelcontextprotocol/unheard":7,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`,
  );
  const { content } = resultOf(
    await raw.receive({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'meta', ...withMeta({ _meta: meta }) },
    }),
  );
  assert.ok(Array.isArray(content));
  const back = JSON.parse(content[0].text);
  for (const key of ['com.example/x', 'io.modelcontextprotocol/unheard', 'traceparent'])
    assert.deepEqual(back[key], meta[key]);
});
