import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { connected, handshake, lastOf, replying, stateless, text } from '../../../../test/support/connected-client.ts';
import { turns } from '../../../../test/support/turns.ts';
import { InputRequiredError } from './api/errors.ts';

describe('a stateless request', () => {
  it('describes the client each time [C30] [meta-007] [meta-008]', async () => {
    const one = await connected(replying(text), {
      options: { info: { name: 'me', version: '9' }, capabilities: { elicitation: {} } },
    });
    await one.client.callTool(
      'x',
      { a: 1 },
      { meta: { mine: 1, 'io.modelcontextprotocol/protocolVersion': 'forged' } },
    );
    assert.deepEqual(lastOf(one).params, {
      name: 'x',
      arguments: { a: 1 },
      _meta: {
        mine: 1,
        'io.modelcontextprotocol/protocolVersion': stateless,
        'io.modelcontextprotocol/clientInfo': { name: 'me', version: '9' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      },
    });
    assert.deepEqual(lastOf(one).headers, {});
  });

  it('may speak for somebody else', async () => {
    const one = await connected(replying(text));
    await one.client.callTool('x', undefined, {
      clientInfo: { name: 'other', version: '0' },
      capabilities: { roots: { listChanged: true } },
      logLevel: 'error',
    });
    const meta = lastOf(one).params['_meta'] as Record<string, unknown>;
    assert.deepEqual(meta['io.modelcontextprotocol/clientInfo'], { name: 'other', version: '0' });
    assert.deepEqual(meta['io.modelcontextprotocol/clientCapabilities'], { roots: {} });
    assert.equal(meta['io.modelcontextprotocol/logLevel'], 'error');
  });

  it('asks for the log level that was set, until it is unset [C60]', async () => {
    const one = await connected(replying(text));
    const level = async () => {
      await one.client.callTool('x');
      return (lastOf(one).params['_meta'] as Record<string, unknown>)['io.modelcontextprotocol/logLevel'];
    };
    assert.equal(await level(), undefined);
    await one.client.setLogLevel('warning');
    assert.equal(await level(), 'warning');
    await one.client.setLogLevel(undefined);
    assert.equal(await level(), undefined);
    assert.ok(!one.transport.methods.includes('logging/setLevel'));
  });

  it('over HTTP is mirrored in headers [C33] [http-071] [http-072] [http-073]', async () => {
    const one = await connected(replying({ contents: [], messages: [], ...text }), { kind: 'http' });
    await one.client.callTool('x', undefined, { headers: { 'X-Mine': '1', 'Mcp-Method': 'forged' } });
    assert.deepEqual(lastOf(one).headers, {
      'X-Mine': '1',
      'MCP-Protocol-Version': stateless,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'x',
    });
    await one.client.readResource('file:///a');
    assert.equal(lastOf(one).headers['Mcp-Name'], 'file:///a');
    await one.client.getPrompt('ä');
    assert.equal(lastOf(one).headers['Mcp-Name'], '=?base64?w6Q=?=');
  });

  it('that is answered with another resultType is an invalid response [basic-023] [basic-024]', async () => {
    const one = await connected(replying({ ...text, resultType: 'surprise' }));
    await assert.rejects(one.client.callTool('x'), { reason: 'invalid-message', message: /surprise/ });
    assert.equal(
      (await one.client.request('tools/call', { name: 'x' }, { resultTypes: ['surprise'] }))['resultType'],
      'surprise',
    );
  });

  it('that is answered without a resultType is complete [basic-022]', async () => {
    const one = await connected(replying(text));
    assert.deepEqual((await one.client.callTool('x')).content, text.content);
  });

  it('that needs input first is an error with what is asked; a raw one gives it [C89]', async () => {
    const result = { resultType: 'input_required', inputRequests: { r: { method: 'roots/list' } }, requestState: '' };
    const one = await connected(replying(result));
    await assert.rejects(
      one.client.callTool('x'),
      (error: unknown) => error instanceof InputRequiredError && error.step.requestState === '',
    );
    assert.deepEqual(await one.client.request('tools/call', { name: 'x' }), result);
    await assert.rejects(one.client.listTools(), { reason: 'invalid-message' });
  });
});

describe('a request of a handshake revision', () => {
  it('has no metadata of its own and no headers but the version [C34]', async () => {
    const one = await connected(replying(text), { revision: handshake, kind: 'http' });
    await one.client.callTool('x', undefined, { logLevel: 'error' });
    assert.deepEqual([lastOf(one).params, lastOf(one).headers], [{ name: 'x' }, {}]);
    assert.deepEqual(one.transport.headers, { 'MCP-Protocol-Version': handshake });
  });

  it('leaves out what the revision does not know [C16]', async () => {
    const one = await connected(replying({ completion: { values: ['a'] } }), { revision: '2025-03-26' });
    const result = await one.client.complete(
      { type: 'ref/prompt', name: 'p', title: 'P' },
      { name: 'a', value: '' },
      { context: { arguments: { b: 'c' } } },
    );
    assert.deepEqual(result.completion.values, ['a']);
    assert.deepEqual(lastOf(one).params, {
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'a', value: '' },
    });
  });

  it('sets the log level of the session [C60]', async () => {
    const one = await connected(replying({}), { revision: handshake });
    await one.client.setLogLevel('debug');
    assert.deepEqual([lastOf(one).message['method'], lastOf(one).params], ['logging/setLevel', { level: 'debug' }]);
    await assert.rejects(one.client.setLogLevel(undefined), TypeError);
  });

  it('asks a server for features that it did not declare, and warns once', async () => {
    const one = await connected(replying(text), { revision: handshake, capabilities: {} });
    await one.client.callTool('x');
    await one.client.callTool('x');
    assert.equal(lastOf(one).message['method'], 'tools/call');
    assert.equal(one.warnings.length, 1);
    assert.match(String(one.warnings[0]), /did not declare the capability tools; the request is sent all the same$/);
    await one.client.setLogLevel('debug');
    assert.equal(lastOf(one).message['method'], 'logging/setLevel');
  });

  it('is refused here when the server lacks a part of a capability [lifecycle-009]', async () => {
    const one = await connected(replying(text), { revision: handshake, capabilities: { resources: {} } });
    const before = one.transport.sent.length;
    await assert.rejects(one.client.request('resources/subscribe', { uri: 'a:b' }), { kind: 'methodNotFound' });
    assert.equal(one.transport.sent.length, before);
  });

  it('completes without a declared capability, and warns where there is one [C15]', async () => {
    const settings = { capabilities: {} };
    const old = await connected(replying({ completion: { values: [] } }), { ...settings, revision: '2024-11-05' });
    await old.client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' });
    const newer = await connected(replying({ completion: { values: [] } }), { ...settings, revision: '2025-03-26' });
    await newer.client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' });
    assert.deepEqual([old.warnings.length, newer.warnings.length], [0, 1]);
  });

  it('with a malformed result is an error that names the place', async () => {
    const one = await connected(replying({ content: [{ type: 'text' }] }), { revision: handshake });
    await assert.rejects(one.client.callTool('x'), {
      name: 'ConnectionError',
      reason: 'invalid-message',
      message: /tools\/call.*content/,
    });
  });
});

describe('ping', () => {
  for (const [revision, method] of [
    [handshake, 'ping'],
    [stateless, 'server/discover'],
  ] as const) {
    it(`of ${revision} is ${method} [C47]`, async () => {
      const one = await connected(replying({}), { revision });
      await one.client.ping();
      assert.equal(lastOf(one).message['method'], method);
    });
  }
});

describe('giving up', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  for (const [kind, revision, told] of [
    ['stdio', stateless, true],
    ['stdio', handshake, true],
    ['http', handshake, true],
    ['http', stateless, false],
  ] as const) {
    it(`over ${kind} at ${revision} ${told ? 'tells the server' : 'closes the stream'} [C10] [cancel-004] [cancel-011] [cancel-019] [http-030] [lifecycle-020] [lifecycle-021] [stdio-009] [tools-041]`, async () => {
      const one = await connected(({ message }) => (message['id'] === undefined ? undefined : new Promise(() => {})), {
        kind,
        revision,
      });
      const rejected = assert.rejects(one.client.callTool('x', undefined, { timeoutMs: 5 }), { reason: 'timeout' });
      await turns();
      const call = lastOf(one);
      mock.timers.tick(5);
      await rejected;
      await turns();
      assert.equal(one.transport.methods.at(-1), told ? 'notifications/cancelled' : 'tools/call');
      if (told) assert.equal(lastOf(one).params['requestId'], call.message['id']);
      assert.equal(call.signal?.aborted, kind === 'http' ? true : undefined);
    });
  }
});
