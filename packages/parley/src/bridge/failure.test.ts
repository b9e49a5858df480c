/** What goes wrong behind a bridge, and what its clients hear of it. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeTo, clientOf, lineOver, pairs, serverAt } from '../../../../test/support/bridged.ts';
import { open, settle, type Json, type RawError } from '../../../../test/support/raw.ts';
import { scriptedUpstream, type Scripted } from '../../../../test/support/scripted-upstream.ts';
import { createBridge } from '../bridge.ts';
import { ConnectionError, type Transport } from '../jsonrpc/transport.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import { unreachable, wordsOf } from './failure.ts';

const downs = ['2024-11-05', '2025-11-25', '2026-07-28'] as const;

interface Failing {
  readonly up: RevisionDate;
  readonly down: RevisionDate;
  readonly method?: string;
  readonly params?: Json;
  readonly answer: Json | { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What a client hears when the server answers so; nothing of it may be masked. */
async function heard(
  t: Parameters<typeof bridgeTo>[0],
  { up, down, method = 'tools/call', params = { name: 'any' }, answer }: Failing,
): Promise<RawError> {
  const answers: Scripted['answers'] = {
    [method]: (sent, peer) => ('code' in answer ? peer.refuse(sent, answer as never) : peer.reply(sent, answer)),
  };
  const errors: unknown[] = [];
  const raw = await open(await bridgeTo(t, scriptedUpstream({ up, answers }), { errors }), down);
  const error = await raw.error(method, params);
  assert.deepEqual(errors, []);
  return error;
}

for (const down of downs) {
  describe(`a client at ${down}`, () => {
    it('is not blamed for what the server says of the hop', async (t) => {
      const ofTheHop = [
        { code: -32020, message: 'header mismatch' },
        { code: -32021, message: 'something is missing' },
        { code: -32022, message: 'version', data: { supported: ['2026-07-28'], requested: '2026-07-28' } },
        { code: -32022, message: 'version' },
        { code: -32600, message: 'invalid' },
        { code: -32700, message: 'unreadable' },
      ];
      for (const up of ['2025-06-18', '2026-07-28'] as const) {
        for (const answer of ofTheHop) {
          const error = await heard(t, { up, down, answer });
          assert.deepEqual(error, {
            code: -32603,
            message: `the upstream server refused tools/call: ${answer.message}`,
          });
        }
      }
    });

    it('hears which of its own capabilities the server misses', async (t) => {
      const data = { requiredCapabilities: { sampling: {} } };
      const answer = { code: -32021, message: 'sampling is missing', data };
      const code = down === '2026-07-28' ? -32021 : -32600;
      assert.deepEqual(await heard(t, { up: '2026-07-28', down, answer }), { ...answer, code });
    });

    it('hears the server itself in every other error', async (t) => {
      for (const up of ['2025-06-18', '2026-07-28'] as const) {
        for (const code of [-32601, -32602, -32603, -32005, 0, 17]) {
          const answer = { code, message: 'its own words', data: { deep: [null] } };
          assert.deepEqual(await heard(t, { up, down, answer }), answer);
        }
      }
    });

    it('hears of a missing resource in its own code, with its URI', async (t) => {
      const code = down === '2026-07-28' ? -32602 : -32002;
      const params = { uri: 'memo:none' };
      const uri = { data: params };
      for (const [up, answer] of [
        ['2025-06-18', { code: -32002, message: 'gone' }],
        ['2025-06-18', { code: -32002, message: 'gone', ...uri }],
        ['2026-07-28', { code: -32602, message: 'gone', ...uri }],
      ] as const) {
        const error = await heard(t, { up, down, method: 'resources/read', params, answer });
        assert.deepEqual(error, { code, message: 'gone', ...uri });
      }
      const other = { code: -32602, message: 'a bad URI', data: { field: 'uri' } };
      assert.deepEqual(
        await heard(t, { up: '2026-07-28', down, method: 'resources/read', params, answer: other }),
        other,
      );
    });

    it('hears plainly that a result is malformed, or asks for what was not offered', async (t) => {
      const hears = async (up: RevisionDate, answer: Json, message: RegExp): Promise<void> => {
        const error = await heard(t, { up, down, answer });
        assert.equal(error.code, -32603);
        assert.match(error.message, message);
      };
      await hears(
        '2025-06-18',
        { content: 'none' },
        /the upstream server's result of tools\/call is malformed: .*content/,
      );
      await hears(
        '2026-07-28',
        { resultType: 'complete', content: {} },
        /the upstream server's result of tools\/call is malformed: .*content/,
      );
      const question = { method: 'roots/list', params: {} };
      const asks = { resultType: 'input_required', inputRequests: { one: question }, requestState: 'x' };
      await hears('2026-07-28', asks, /wants input for tools\/call: the client did not declare .*roots/);
      await hears(
        '2026-07-28',
        { resultType: 'task', taskId: '1' },
        /the upstream server failed: .*unknown resultType "task"/,
      );
    });

    it('hears of a page to be visited first only where its revision has such errors', async (t) => {
      const elicitations = [{ mode: 'url', message: 'log in', url: 'https://example.com/', elicitationId: '1' }];
      const answer = { code: -32042, message: 'visit', data: { elicitations } };
      const refused = { code: -32603, message: 'the upstream server refused tools/call: visit' };
      for (const up of ['2025-06-18', '2025-11-25', '2026-07-28'] as const)
        assert.deepEqual(await heard(t, { up, down, answer }), down === '2025-11-25' ? answer : refused);
    });
  });
}

for (const { down, up } of pairs) {
  it(`a server at ${up} that dies mid-call is an error at ${down}, and the next call finds it again`, async (t) => {
    const server = serverAt(up);
    let calls = 0;
    server.tool('die', {}, () => {
      line.cut();
      return new Promise<never>(() => undefined);
    });
    server.tool('count', {}, () => String(++calls));
    const line = lineOver(memoryTransport(server));
    const client = await clientOf(t, await bridgeTo(t, line.transport), down);
    assert.deepEqual((await client.callTool('count')).content, [{ type: 'text', text: '1' }]);
    await assert.rejects(client.callTool('die'), {
      name: 'McpError',
      code: -32603,
      message: 'the upstream server failed: the server exited',
    });
    assert.deepEqual((await client.callTool('count')).content, [{ type: 'text', text: '2' }]);
    assert.equal((await client.listTools()).length, 2);
  });
}

for (const up of ['2025-06-18', '2026-07-28'] as const) {
  for (const down of ['2025-06-18', '2026-07-28'] as const) {
    it(`a server at ${up} that stays away is an error at ${down} until it is back`, async (t) => {
      const server = serverAt(up);
      server.tool('ok', {}, () => 'ok');
      const line = lineOver(memoryTransport(server));
      const client = await clientOf(t, await bridgeTo(t, line.transport), down);
      await client.callTool('ok');
      line.down = true;
      line.cut();
      for (let tries = 0; tries < 3; tries++) {
        await assert.rejects(client.callTool('ok'), {
          name: 'McpError',
          code: -32603,
          message: /^the upstream server failed: .*the server cannot be reached/,
        });
      }
      line.down = false;
      assert.deepEqual((await client.callTool('ok')).content, [{ type: 'text', text: 'ok' }]);
    });
  }
}

it('a session that found no server at first finds it later', async (t) => {
  const server = serverAt('2025-06-18');
  server.tool('ok', {}, () => 'ok');
  const line = lineOver(memoryTransport(server));
  const client = await clientOf(t, await bridgeTo(t, line.transport), '2025-06-18');
  line.down = true;
  const calls = [client.callTool('ok'), client.callTool('ok')];
  for (const call of calls)
    await assert.rejects(call, { code: -32603, message: 'the upstream server failed: the server cannot be reached' });
  line.down = false;
  assert.deepEqual((await client.callTool('ok')).content, [{ type: 'text', text: 'ok' }]);
});

it('a server that dies again and again is never given up', async (t) => {
  const server = serverAt('2025-06-18');
  server.tool('ok', {}, () => 'ok');
  const line = lineOver(memoryTransport(server));
  const client = await clientOf(t, await bridgeTo(t, line.transport), '2025-06-18');
  let answered = 0;
  for (let round = 0; round < 20; round++) {
    const result = await client.callTool('ok').catch(() => undefined);
    if (result !== undefined) answered++;
    line.cut();
    await settle();
  }
  assert.ok(answered >= 15, `${answered} of 20 were answered`);
});

describe('a server that cannot be reached when the bridge is made', () => {
  it('is the error of whoever makes it, as it came', async () => {
    const dead = lineOver(memoryTransport(serverAt('2025-06-18')));
    dead.down = true;
    await assert.rejects(createBridge({ upstream: dead.transport }), { name: 'ConnectionError', reason: 'refused' });
  });

  it('leaves nothing open', async () => {
    const line = lineOver(
      scriptedUpstream({
        up: '2025-06-18',
        answers: { initialize: (sent, peer) => peer.refuse(sent, { code: -32603, message: 'not now' }) },
      }),
    );
    await assert.rejects(createBridge({ upstream: line.transport }), { name: 'McpError', message: 'not now' });
    assert.equal(line.open, 0);
    assert.ok(line.opened > 0);
  });

  it('is not waited for once that is given up', async () => {
    const given = new AbortController();
    const silent = scriptedUpstream({ up: '2026-07-28', answers: { 'server/discover': () => given.abort() } });
    await assert.rejects(createBridge({ upstream: silent, signal: given.signal }), { name: 'AbortError' });
    await assert.rejects(createBridge({ upstream: silent, signal: given.signal }), { name: 'AbortError' });
  });

  it('is closed where that is given up while it lists its tools', async () => {
    for (const isOne of [true, false]) {
      const given = new AbortController();
      const slow = scriptedUpstream({ up: '2025-06-18', answers: { 'tools/list': () => given.abort() } });
      const line = lineOver(slow);
      const upstream = line.transport;
      const behaviour = { signal: given.signal, onWarning: () => undefined };
      const making = isOne
        ? createBridge({ ...behaviour, upstream })
        : createBridge({ ...behaviour, upstreams: { a: { upstream } } });
      await assert.rejects(making, { name: isOne ? 'AbortError' : 'ConnectionError' });
      assert.equal(line.open, 0);
    }
  });
});

describe('a server whose tools cannot be listed', () => {
  it('is bridged all the same, with a warning', async (t) => {
    const warnings: string[] = [];
    const answers: Scripted['answers'] = {
      'tools/list': (sent, peer) => peer.refuse(sent, { code: -32603, message: 'no list today' }),
      'tools/call': { content: [] },
    };
    const bridge = await bridgeTo(t, scriptedUpstream({ up: '2025-06-18', answers }), { warnings });
    const raw = await open(bridge, '2026-07-28');
    await raw.result('tools/call', { name: 'any' });
    assert.deepEqual(warnings, ["the upstream's tools could not be listed: no list today"]);
  });
});

describe('a server that refuses log levels', () => {
  const answers: Scripted['answers'] = {
    'logging/setLevel': (sent, peer) => peer.refuse(sent, { code: -32602, message: 'no such level', data: [1] }),
    'tools/call': { content: [] },
  };

  it('says so to the session that sets one', async (t) => {
    const raw = await open(await bridgeTo(t, scriptedUpstream({ up: '2025-06-18', answers })), '2025-06-18');
    await raw.result('tools/call', { name: 'any' });
    assert.deepEqual(await raw.error('logging/setLevel', { level: 'debug' }), {
      code: -32602,
      message: 'no such level',
      data: [1],
    });
  });

  it('still answers calls that want log messages', async (t) => {
    const warnings: string[] = [];
    const bridge = await bridgeTo(t, scriptedUpstream({ up: '2025-06-18', answers }), { warnings });
    const client = await clientOf(t, bridge, '2026-07-28');
    await client.setLogLevel('debug');
    await client.callTool('any');
    assert.deepEqual(warnings, ['the log level of the upstream could not be set: no such level']);
  });
});

// "a transport whose `close` rejects ends the bridge": "told to `onError`"
describe('a transport whose close rejects', () => {
  for (const down of ['2025-11-25', '2026-07-28'] as const) {
    it(`ends no bridge, and is told, with a client at ${down}`, async (t) => {
      const inner = memoryTransport(serverAt('2025-11-25'));
      const failing: Transport = {
        description: inner.description,
        open: async (receiver) => {
          const channel = await inner.open(receiver);
          return {
            send: (message, options) => channel.send(message, options),
            close: async () => {
              await channel.close();
              throw new Error('cannot be closed');
            },
          };
        },
      };
      const errors: unknown[] = [];
      const bridge = await bridgeTo(t, failing, { errors });
      const client = await clientOf(t, bridge, down, { capabilities: { roots: {} } });
      await client.ping();
      await client.request('x/unknown', {}).catch(() => undefined);
      await client.close();
      await bridge.close();
      assert.ok(errors.length > 0);
      for (const error of errors) assert.match(String(error), /cannot be closed/);
    });
  }
});

it('a listener of warnings or errors that throws or rejects ends no bridge', async (t) => {
  const line = lineOver(memoryTransport(serverAt('2025-11-25')));
  let told = 0;
  const rejecting = (): unknown => {
    told++;
    return Promise.reject(new Error('the log is full'));
  };
  const bridge = await bridgeTo(t, line.transport, {
    onWarning: rejecting,
    onError: () => {
      throw new Error('the log is full');
    },
  });
  const raw = await open(bridge, '2026-07-28');
  line.down = true;
  line.cut();
  // It belongs to no protocol of ours, and cannot be delivered.
  await raw.notify('x/told');
  await settle();
  assert.equal((await raw.error('x/any')).code, -32603);
  assert.ok(told > 0);
});

describe('a connection upstream that takes no more requests', () => {
  it('is busy to who asks, and says when to come back', () => {
    const { kind, data, message } = unreachable(new ConnectionError('busy', 'ours wait: 100000'));
    assert.deepEqual([kind, data], ['busy', { retryAfterMs: 1000 }]);
    assert.equal(message, 'the bridge has too much under way with the server');
  });
});

it('a warning names no option that a bridge does not have', () => {
  const given = 'tools/call was given up: more than 9 bytes of notifications came before its answer';
  const error = new ConnectionError('too-large', `${given} (option maxNotificationBytes)`);
  assert.equal(wordsOf(error), given);
});
