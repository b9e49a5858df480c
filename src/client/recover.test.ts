import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it, mock } from 'node:test';
import { execPath } from 'node:process';
import { pathToFileURL } from 'node:url';
import { httpTransport } from '../http/client.ts';
import { ConnectionError, type TransportKind } from '../jsonrpc/transport.ts';
import { toNodeHandler } from '../node/http.ts';
import { createServer, type Server } from '../server/server.ts';
import { spawn } from '../stdio/client.ts';
import { scriptedTransport, type Script, type ScriptedTransport } from '../testing/scripted.ts';
import type { Client } from './client.ts';
import { createConnect, type Connect } from './connect.ts';
import type { ConnectOptions } from './options.ts';
import type { SubscriptionEvent } from './subscription.ts';

const stateless = '2026-07-28';
const handshake = '2025-11-25';
const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} };
const content = {
  content: [],
  messages: [],
  contents: [],
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
};
const completion = { completion: { values: [] } };

interface Recovering {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  /** Why the connection was opened again, in order. */
  readonly reopened: string[];
  readonly ends: string[];
  readonly warnings: string[];
  readonly clock: { now: number };
  /** What was sent in a conversation, by method. */
  said(conversation: number): readonly unknown[];
}

interface Settings {
  readonly revision?: string;
  readonly kind?: TransportKind;
  readonly options?: ConnectOptions;
}

/** Connects to a server that settles on one revision, in every conversation, and then follows the script. */
async function recovering(
  script: Script,
  { revision = handshake, kind = 'http', options = {} }: Settings = {},
): Promise<Recovering> {
  const transport = scriptedTransport(kind, (sent, peer) => {
    const { method } = sent.message;
    if (method === 'server/discover' && revision === stateless && sent.message['id'] === 1)
      return peer.reply(sent, { supportedVersions: [stateless], capabilities, ttlMs: 0, cacheScope: 'private' });
    if (method === 'initialize')
      return peer.reply(sent, {
        protocolVersion: revision,
        capabilities,
        serverInfo: { name: `s${sent.conversation}`, version: '1' },
      });
    if (method === 'notifications/initialized') return;
    return script(sent, peer);
  });
  const reopened: string[] = [];
  const ends: string[] = [];
  const warnings: string[] = [];
  const clock = { now: 0 };
  const client = await createConnect({ http: () => transport })(transport, {
    revisions: [revision],
    now: () => clock.now,
    onReconnect: ({ reason }) => void reopened.push(reason),
    onClose: ({ reason }) => void ends.push(reason),
    onWarning: (message) => void warnings.push(message),
    ...options,
  });
  return {
    client,
    transport,
    reopened,
    ends,
    warnings,
    clock,
    said: (conversation) =>
      transport.sent.filter((sent) => sent.conversation === conversation).map(({ message }) => message['method']),
  };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}

const gone = (): never => {
  throw new ConnectionError('http', 'HTTP 404', { status: 404 });
};

/** A server that forgets its first session once it is told to. */
function forgetful(): { lost: boolean; readonly script: Script } {
  const state = {
    lost: false,
    script: ((sent, peer) => {
      if (state.lost && sent.conversation === 1) return gone();
      if (sent.message['id'] !== undefined) peer.reply(sent, { ...content, ...completion });
    }) satisfies Script as Script,
  };
  return state;
}

const requests: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'tools/list': (client) => client.listTools(),
  'resources/list': (client) => client.listResources(),
  'resources/templates/list': (client) => client.listResourceTemplates(),
  'prompts/list': (client) => client.listPrompts(),
  'resources/read': (client) => client.readResource('x:a'),
  'prompts/get': (client) => client.getPrompt('p'),
  'completion/complete': (client) => client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' }),
};

describe('a session that the server forgot', () => {
  for (const [method, ask] of Object.entries({ ...requests, ping: (client: Client) => client.ping() })) {
    it(`is begun anew, and ${method} is sent once more in it [http-048]`, async () => {
      const server = forgetful();
      const one = await recovering(server.script);
      server.lost = true;
      await ask(one.client);
      assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', method]);
      assert.deepEqual([one.reopened, one.ends], [['session-lost'], []]);
      assert.equal(one.client.server?.name, 's2');
      assert.deepEqual(one.transport.closed, [1]);
    });
  }

  for (const when of ['as the next page is asked for', 'between two pages'] as const) {
    it(`takes its cursors with it: lost ${when}, the list is begun again [page-003]`, async () => {
      const cursors: unknown[] = [];
      const one = await recovering((sent, peer) => {
        const { id, method, params } = sent.message as { id?: unknown; method: string; params?: { cursor?: string } };
        if (method !== 'tools/list') return void (id !== undefined && peer.reply(sent, {}));
        if (sent.conversation === 1 && params?.cursor !== undefined) return gone();
        cursors.push([sent.conversation, params?.cursor]);
        const tool = { name: `t${sent.conversation}${params?.cursor ?? ''}`, inputSchema: { type: 'object' } };
        peer.reply(sent, { tools: [tool], ...(params?.cursor === undefined ? { nextCursor: 'a' } : {}) });
        if (when === 'between two pages' && sent.conversation === 1)
          peer.end(new ConnectionError('session-lost', 'HTTP 404', { status: 404 }));
      });
      const tools = await one.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['t2', 't2a'],
      );
      assert.deepEqual(cursors, [
        [1, undefined],
        [2, undefined],
        [2, 'a'],
      ]);
    });
  }

  it('makes the call of a tool fail, and the next one work [http-048]', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await assert.rejects(one.client.callTool('x'), (error: unknown) => {
      assert.ok(error instanceof ConnectionError);
      assert.deepEqual([error.reason, error.status], ['session-lost', 404]);
      assert.match(error.message, /tools\/call may not be sent twice/);
      return true;
    });
    await one.client.callTool('x');
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', 'tools/call']);
  });

  it('is begun anew even when nothing is asked any more [http-048]', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await assert.rejects(one.client.callTool('x'), { reason: 'session-lost' });
    await turns();
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized']);
  });

  it('does not keep a call from being sent once more, where that is said to do no harm', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await one.client.callTool('x', undefined, { repeat: true });
    assert.deepEqual(one.said(2).at(-1), 'tools/call');
  });

  it('keeps a list from being sent once more, where that is not wanted', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await assert.rejects(one.client.listTools({ repeat: false }), { reason: 'session-lost' });
  });

  for (const [hint, trusted, again] of [
    ['readOnlyHint', true, true],
    ['idempotentHint', true, true],
    ['readOnlyHint', false, false],
    ['destructiveHint', true, false],
  ] as const) {
    it(`${again ? 'lets' : 'does not let'} a tool with ${hint} be called once more, its hints ${trusted ? '' : 'not '}trusted`, async () => {
      const server = forgetful();
      const one = await recovering(server.script, { options: { trustToolHints: trusted } });
      one.client.learnTools([{ name: 'x', inputSchema: { type: 'object' }, annotations: { [hint]: true } }]);
      server.lost = true;
      const call = one.client.callTool('x');
      await (again ? call : assert.rejects(call, { reason: 'session-lost' }));
    });
  }

  it('is begun anew once for all that are under way', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await Promise.all([one.client.listTools(), one.client.listPrompts(), one.client.ping()]);
    assert.equal(one.said(2).filter((method) => method === 'initialize').length, 1);
    assert.equal(one.transport.peers.length, 2);
  });

  it('takes what waits in it along: the harmless is sent once more, the rest fails', async () => {
    const one = await recovering((sent, peer) => {
      if (sent.conversation > 1) return peer.reply(sent, content);
      return sent.message['method'] === 'prompts/list' ? gone() : new Promise(() => {});
    });
    const read = one.client.readResource('x:a');
    const call = assert.rejects(one.client.callTool('x'), { reason: 'session-lost' });
    await turns();
    await one.client.listPrompts();
    await Promise.all([read, call]);
    assert.deepEqual(
      new Set(one.said(2)),
      new Set(['initialize', 'notifications/initialized', 'prompts/list', 'resources/read']),
    );
  });

  it('is an error once its successor is lost as well', async () => {
    const one = await recovering((sent) => (sent.message['id'] === undefined ? undefined : gone()));
    await assert.rejects(one.client.listTools(), { reason: 'session-lost' });
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', 'tools/list']);
  });

  it('is an error when no new one can be begun, and the next request tries again', async () => {
    let down = true;
    const server = forgetful();
    const transport = scriptedTransport('http', (sent, peer) => {
      if (sent.message['method'] === 'initialize') {
        if (sent.conversation > 1 && down) throw new ConnectionError('refused', 'down');
        return peer.reply(sent, { protocolVersion: handshake, capabilities, serverInfo: { name: 's', version: '1' } });
      }
      return server.script(sent, peer);
    });
    const client = await createConnect({ http: () => transport })(transport, { revisions: [handshake] });
    server.lost = true;
    await assert.rejects(client.listTools(), (error: unknown) => {
      assert.ok(error instanceof ConnectionError && error.cause instanceof ConnectionError);
      assert.deepEqual([error.reason, error.cause.reason], ['session-lost', 'refused']);
      return true;
    });
    await assert.rejects(client.listTools(), { reason: 'refused' });
    down = false;
    await client.listTools();
  });

  it('ends the connection for good where nothing is to be opened again', async () => {
    const server = forgetful();
    const one = await recovering(server.script, { options: { reconnect: false } });
    server.lost = true;
    await assert.rejects(one.client.listTools(), { reason: 'session-lost' });
    assert.deepEqual([one.ends, one.transport.peers.length], [['session-lost'], 1]);
    assert.equal((await one.client.closed)?.reason, 'session-lost');
  });

  it('is told to be lost by a notification too, and the next one reaches the new session', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await assert.rejects(one.client.notify('com.example/mine'), { reason: 'session-lost' });
    await one.client.notify('com.example/mine');
    assert.equal(one.said(2).at(-1), 'com.example/mine');
  });

  it('may be told to be lost by the transport', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    one.transport.peers[0]?.end(new ConnectionError('session-lost', 'HTTP 404', { status: 404 }));
    await one.client.listTools();
    assert.deepEqual(one.reopened, ['session-lost']);
  });

  it('gives its log level to its successor', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    await one.client.setLogLevel('warning');
    server.lost = true;
    await one.client.listTools();
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', 'logging/setLevel', 'tools/list']);
  });

  it('gives its subscriptions to its successor, before anything else is asked', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    const events: SubscriptionEvent[] = [];
    await one.client.subscribe({ resources: ['file:///x'] }, (event) => void events.push(event));
    server.lost = true;
    await one.client.listTools();
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', 'resources/subscribe', 'tools/list']);
    assert.deepEqual(events, [{ type: 'reopened' }]);
    await one.client.close();
  });

  it('is not what a stateless server, a bad request or an unknown resource is about', async () => {
    const at = await recovering(gone, { revision: stateless });
    await assert.rejects(at.client.listTools(), { reason: 'http' });
    const bad = await recovering(() => {
      throw new ConnectionError('http', 'HTTP 400', { status: 400 });
    });
    await assert.rejects(bad.client.listTools(), { reason: 'http' });
    const unknown = await recovering((sent, peer) => peer.refuse(sent, { code: -32002, message: 'no' }, 404));
    await assert.rejects(unknown.client.readResource('x:a'), { kind: 'resourceNotFound' });
    for (const { transport } of [at, bad, unknown]) assert.equal(transport.peers.length, 1);
  });
});

describe('an answer that was lost on the way', () => {
  const dropping = (): { readonly script: Script; readonly ids: unknown[] } => {
    const ids: unknown[] = [];
    return {
      ids,
      script(sent, peer) {
        ids.push(sent.message['id']);
        if (ids.length === 1)
          throw new ConnectionError('closed', 'HTTP 200 ended before the response', { status: 200 });
        peer.reply(sent, { ...content, ...completion });
      },
    };
  };

  for (const revision of [stateless, handshake]) {
    for (const [method, ask] of Object.entries(requests)) {
      it(`of ${method} at ${revision} is asked for once more, by a new request [http-063]`, async () => {
        const server = dropping();
        const one = await recovering(server.script, { revision });
        await ask(one.client);
        const [first, second] = server.ids;
        assert.ok(server.ids.length === 2 && first !== second);
        assert.deepEqual([one.transport.peers.length, one.reopened], [1, []]);
      });
    }

    it(`of a tool at ${revision} is an error`, async () => {
      const server = dropping();
      const one = await recovering(server.script, { revision });
      await assert.rejects(one.client.callTool('x'), { reason: 'closed' });
      assert.equal(server.ids.length, 1);
      await one.client.callTool('x');
    });
  }

  it('twice is an error', async () => {
    let asked = 0;
    const one = await recovering(() => {
      asked++;
      throw new ConnectionError('closed', 'dropped');
    });
    await assert.rejects(one.client.listTools(), { reason: 'closed' });
    assert.equal(asked, 2);
  });

  it('is not asked for again where nothing is to be repeated, or nobody waits for it any more', async () => {
    const server = dropping();
    const off = await recovering(server.script, { options: { reconnect: false } });
    await assert.rejects(off.client.listTools(), { reason: 'closed' });
    const left = dropping();
    const one = await recovering(left.script);
    const controller = new AbortController();
    const list = assert.rejects(one.client.listTools({ signal: controller.signal }));
    controller.abort();
    await list;
    assert.equal(left.ids.filter((id) => id !== undefined).length, 1);
  });

  it('is not asked for again after the client was closed', async () => {
    let asked = 0;
    const one = await recovering(() => {
      asked++;
      return new Promise(() => {});
    });
    const list = assert.rejects(one.client.listTools(), { reason: 'closed' });
    await turns();
    await one.client.close();
    await list;
    assert.equal(asked, 1);
  });
});

describe('a remembered server', () => {
  it('is not asked what it speaks once one of several requests was answered', async () => {
    const first = await recovering(() => undefined, { revision: stateless });
    const waiting: (() => void)[] = [];
    const one = await recovering(
      (sent, peer) => {
        if (sent.message['method'] === 'prompts/list') peer.reply(sent, content);
        else waiting.push(() => peer.refuse(sent, { code: -32602, message: 'unknown tool' }));
      },
      { revision: stateless, options: { prior: first.client.verdict } },
    );
    const call = assert.rejects(one.client.callTool('x'), { kind: 'invalidParams' });
    await one.client.listPrompts();
    for (const refuse of waiting) refuse();
    await call;
    assert.deepEqual(one.said(1), ['tools/call', 'prompts/list']);
    assert.deepEqual(one.transport.closed, []);
  });
});

describe('a server process that died', () => {
  const dying = (revision: string, options: ConnectOptions = {}): Promise<Recovering> =>
    recovering(
      (sent, peer) => {
        if (sent.message['method'] === 'tools/call') return peer.end();
        if (sent.message['id'] !== undefined) peer.reply(sent, content);
      },
      { revision, kind: 'stdio', options },
    );

  for (const revision of [stateless, handshake]) {
    it(`is started again by the next request, at ${revision} [stdio-015]`, async () => {
      const one = await dying(revision);
      await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
      assert.equal(one.transport.peers.length, 1);
      await one.client.listTools();
      const opening = revision === stateless ? ['server/discover'] : ['initialize', 'notifications/initialized'];
      assert.deepEqual(one.said(2), [...opening, 'tools/list']);
      assert.deepEqual([one.reopened, one.ends], [['exited'], []]);
    });
  }

  it('fails what was under way, also what could be repeated', async () => {
    const one = await recovering(() => undefined, { kind: 'stdio' });
    const list = assert.rejects(one.client.listTools(), { reason: 'exited' });
    await turns();
    one.transport.peers[0]?.end();
    await list;
    assert.equal(one.transport.peers.length, 1);
  });

  it('is started once for all that ask', async () => {
    const one = await dying(handshake);
    await assert.rejects(one.client.callTool('x'));
    await Promise.all([one.client.listTools(), one.client.listPrompts(), one.client.notify('com.example/mine')]);
    assert.equal(one.transport.peers.length, 2);
  });

  it('five times within a minute is not started again, which is the end', async () => {
    const one = await dying(handshake);
    for (let death = 0; death < 6; death++) await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
    assert.equal(one.transport.peers.length, 6);
    await assert.rejects(one.client.listTools(), /5 times within a minute.*exited/);
    await assert.rejects(one.client.listTools(), /5 times within a minute/);
    assert.equal(one.transport.peers.length, 6);
    assert.deepEqual(one.ends, ['exited']);
    assert.equal((await one.client.closed)?.reason, 'exited');
  });

  it('now and then is started again, however often', async () => {
    const one = await dying(handshake);
    for (let death = 0; death < 20; death++) {
      await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
      one.clock.now += 12_001;
    }
    await one.client.listTools();
    assert.equal(one.transport.peers.length, 21);
  });

  it('is started as often as is said', async () => {
    const one = await dying(handshake, { maxReconnects: 1 });
    for (let death = 0; death < 2; death++) await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
    await assert.rejects(one.client.callTool('x'), /1 times/);
  });

  it('is the end where nothing is to be opened again', async () => {
    const one = await dying(handshake, { reconnect: false });
    await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
    await assert.rejects(one.client.listTools(), { reason: 'exited' });
    assert.deepEqual([one.transport.peers.length, one.ends], [1, ['exited']]);
  });

  it('is not started by a client that is closed', async () => {
    const one = await dying(handshake);
    await assert.rejects(one.client.callTool('x'));
    await one.client.close();
    await assert.rejects(one.client.listTools(), { reason: 'closed' });
    assert.equal(await one.client.closed, undefined);
    assert.equal(one.transport.peers.length, 1);
  });

  it('asks for log messages as before', async () => {
    const one = await dying(stateless);
    await one.client.setLogLevel('error');
    await assert.rejects(one.client.callTool('x'));
    await one.client.listTools();
    const params = one.transport.sent.at(-1)?.message['params'];
    // Every stateless request has `_meta`.
    const { _meta } = params as { readonly _meta: Readonly<Record<string, unknown>> };
    assert.equal(_meta['io.modelcontextprotocol/logLevel'], 'error');
  });

  it('makes what it gave before stale', async () => {
    const one = await recovering(
      (sent, peer) => peer.reply(sent, { ...content, ttlMs: 60_000, cacheScope: 'private' }),
      { revision: stateless, kind: 'stdio' },
    );
    await one.client.listTools();
    one.transport.peers[0]?.end();
    await one.client.listPrompts();
    await one.client.listTools();
    assert.ok(one.said(2).includes('tools/list'));
  });

  it('is told to who listens to the client, until they stop', async () => {
    const one = await dying(handshake);
    const heard: string[] = [];
    const stop = one.client.onReconnect(({ reason }) => void heard.push(reason));
    one.client.onReconnect(() => {
      throw new Error('mine');
    });
    await assert.rejects(one.client.callTool('x'));
    await one.client.listTools();
    stop();
    await assert.rejects(one.client.callTool('x'));
    await one.client.listTools();
    assert.deepEqual(heard, ['exited']);
    assert.match(one.warnings.join(), /threw/);
  });
});

describe('the time that a request may take', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const silent = async (options: ConnectOptions = {}, kind: TransportKind = 'stdio'): Promise<Recovering> =>
    await recovering(({ message }) => (message['id'] === undefined ? undefined : new Promise(() => {})), {
      kind,
      options,
    });

  it('begins anew with each progress, up to the longest time [C10]', async () => {
    const one = await silent();
    const call = assert.rejects(
      one.client.callTool('x', undefined, { timeoutMs: 100, maxTotalTimeoutMs: 250, progressToken: 't' }),
      /250 ms/,
    );
    await turns();
    for (let progress = 1; progress <= 2; progress++) {
      mock.timers.tick(99);
      one.transport.peers[0]?.send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 't', progress },
      });
    }
    await turns();
    assert.ok(!one.transport.methods.includes('notifications/cancelled'));
    mock.timers.tick(52);
    await call;
    await turns();
    assert.equal(one.transport.methods.at(-1), 'notifications/cancelled');
  });

  it('ends without progress, and the server is told [C10] [C12]', async () => {
    const one = await silent();
    const call = assert.rejects(one.client.callTool('x', undefined, { timeoutMs: 100 }), { reason: 'timeout' });
    await turns();
    mock.timers.tick(100);
    await call;
    await turns();
    const params = one.transport.sent.at(-1)?.message['params'];
    assert.match(JSON.stringify(params), /"reason":"[^"]*100 ms/);
  });

  it('does not begin anew with a second try', async () => {
    const one = await recovering(
      (sent) => {
        if (one.said(1).filter((method) => method === 'tools/list').length > 1) return new Promise(() => {});
        one.clock.now += 200;
        assert.equal(sent.message['method'], 'tools/list');
        throw new ConnectionError('closed', 'dropped');
      },
      { kind: 'http' },
    );
    const list = assert.rejects(one.client.listTools({ maxTotalTimeoutMs: 250 }), { reason: 'timeout' });
    await turns();
    mock.timers.tick(50);
    await list;
  });

  it('holds while a lost connection is opened again, and so does the signal', async () => {
    const transport = scriptedTransport('stdio', (sent, peer) => {
      if (sent.message['method'] === 'initialize' && sent.conversation === 1)
        peer.reply(sent, { protocolVersion: handshake, capabilities, serverInfo: { name: 's', version: '1' } });
    });
    const client = await createConnect({ http: () => transport })(transport, { revisions: [handshake] });
    transport.peers[0]?.end();
    const late = assert.rejects(client.listTools({ timeoutMs: 100 }), { reason: 'timeout' });
    const controller = new AbortController();
    const given = assert.rejects(client.listPrompts({ signal: controller.signal }), { reason: 'aborted' });
    const patient = assert.rejects(client.listResources(), { reason: 'closed' });
    await turns();
    mock.timers.tick(100);
    controller.abort();
    await Promise.all([late, given]);
    await client.close();
    await patient;
  });
});

/** Connects without memory of the other servers at the same URL. */
const connect: Connect<object> = (target, options) =>
  createConnect({ http: (url) => httpTransport(url) })(target, options);

describe('a client of a server over HTTP that is restarted', () => {
  function weather(): Server {
    const server = createServer({ name: 'weather', version: '1.0.0' }, { onError: () => undefined });
    server.tool('forecast', {}, () => 'sunny');
    server.resource('memo://one', { name: 'one' }, () => 'x');
    return server;
  }

  interface Serving {
    readonly url: string;
    readonly port: number;
    /** Ends without a word to anybody. */
    kill(): Promise<void>;
  }

  /** Serves until it is killed; what it knew of sessions is gone then. */
  async function serve(server: Server, port = 0): Promise<Serving> {
    const handler = toNodeHandler(server);
    const http = createHttpServer(handler);
    await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
    // A server that listens on a port has an address that is an object.
    const { port: bound } = http.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${bound}/mcp`,
      port: bound,
      async kill() {
        const closed = new Promise((resolve) => http.close(resolve));
        http.closeAllConnections();
        await closed;
        await handler.close();
      },
    };
  }

  async function restart(serving: Serving, server: Server): Promise<Serving> {
    await serving.kill();
    return await serve(server, serving.port);
  }

  for (const date of ['2025-03-26', '2025-06-18', handshake]) {
    it(`begins a new session at ${date}, and goes on [http-048] [http-045]`, async (t) => {
      const server = weather();
      let serving = await serve(server);
      t.after(() => serving.kill());
      const reopened: string[] = [];
      const client = await connect(serving.url, {
        revisions: [date],
        onReconnect: ({ reason }) => void reopened.push(reason),
      });
      t.after(() => client.close());
      let arrived = (): void => {};
      const events: SubscriptionEvent[] = [];
      await client.subscribe({ resources: ['memo://one'] }, (event) => {
        events.push(event);
        if (event.type === 'resource') arrived();
      });
      await client.callTool('forecast');

      serving = await restart(serving, server);
      assert.deepEqual(
        (await client.listTools()).map(({ name }) => name),
        ['forecast'],
      );
      assert.deepEqual(reopened, ['session-lost']);
      assert.deepEqual(events, [{ type: 'reopened' }]);
      const told = new Promise<void>((resolve) => (arrived = resolve));
      server.resourceUpdated('memo://one');
      await told;

      serving = await restart(serving, server);
      // What the first request after a restart finds may be a connection that is half closed.
      await fetch(serving.url).catch(() => {});
      await assert.rejects(client.callTool('forecast'), { reason: 'session-lost' });
      assert.equal((await client.callTool('forecast')).content.length, 1);
    });
  }

  it('finds out by itself that its session is gone, where it listens for changes [http-048]', async (t) => {
    const server = weather();
    let serving = await serve(server);
    t.after(() => serving.kill());
    const client = await connect(serving.url, { revisions: [handshake] });
    t.after(() => client.close());
    let again = (): void => {};
    const reopened = new Promise<void>((resolve) => (again = resolve));
    await client.subscribe({ resources: ['memo://one'] }, ({ type }) => type === 'reopened' && again());
    await client.readResource('memo://one');
    serving = await restart(serving, server);
    await reopened;
  });

  it('notices nothing at a stateless revision but a subscription that is opened again', async (t) => {
    const server = weather();
    let serving = await serve(server);
    t.after(() => serving.kill());
    const client = await connect(serving.url, { onReconnect: () => assert.fail('there is no session to lose') });
    t.after(() => client.close());
    let reopened = (): void => {};
    const again = new Promise<void>((resolve) => (reopened = resolve));
    const subscription = await client.subscribe({ tools: true }, ({ type }) => type === 'reopened' && reopened());
    serving = await restart(serving, server);
    await client.listTools();
    assert.equal((await client.callTool('forecast')).content.length, 1);
    await again;
    assert.deepEqual(subscription.honoured, { tools: true });
  });

  it('asks again what broke off in the middle of its answer [http-063]', async (t) => {
    const server = weather();
    const serving = await serve(server);
    t.after(() => serving.kill());
    const bodies: string[] = [];
    const transport = httpTransport(serving.url, {
      fetch: async (url, request) => {
        bodies.push(request.body ?? '');
        if (bodies.length === 2)
          return new Response('data: {"jsonrpc":"2.0","me', { headers: { 'content-type': 'text/event-stream' } });
        return await fetch(url, request);
      },
    });
    const client = await connect(transport);
    t.after(() => client.close());
    assert.equal((await client.listTools()).length, 1);
    const ids = bodies.slice(1).map((body) => (JSON.parse(body) as { id: number }).id);
    assert.equal(new Set(ids).size, 2);
  });
});

describe('a client of a child process', () => {
  let folder: string;
  const program = async (revision: string): Promise<string> => {
    folder ??= await mkdtemp(join(tmpdir(), 'parley-recover-'));
    const at = (path: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href);
    const file = join(folder, `${revision}.mjs`);
    await writeFile(
      file,
      `import { createServer } from ${at('../server/server.ts')};
       import { serveStdio } from ${at('../stdio/server.ts')};
       const server = createServer({ name: 'child', version: '1' }, { revisions: [${JSON.stringify(revision)}] });
       server.tool('die', {}, () => process.exit(3));
       server.tool('pid', {}, () => String(process.pid));
       server.tool('grow', {}, () => { server.changed('tools'); return 'grown'; });
       await serveStdio(server).closed;`,
    );
    return file;
  };
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  for (const revision of [stateless, handshake]) {
    it(`starts another one when it died, and hears of changes again, at ${revision} [stdio-015] [stdio-016]`, async (t) => {
      const client = await connect(spawn(execPath, [await program(revision)]), { revisions: [revision] });
      t.after(() => client.close());
      const pid = async () => (await client.callTool('pid')).content[0];
      const first = await pid();
      const waiting: ((event: SubscriptionEvent) => void)[] = [];
      const next = (): Promise<SubscriptionEvent> => new Promise((resolve) => waiting.push(resolve));
      await client.subscribe({ tools: true }, (event) => waiting.shift()?.(event));
      const reopened = next();
      await assert.rejects(client.callTool('die'), { reason: 'exited' });
      assert.notDeepEqual(await pid(), first);
      assert.deepEqual(await reopened, { type: 'reopened' });
      const changed = next();
      await client.callTool('grow');
      assert.deepEqual(await changed, { type: 'list', list: 'tools' });
    });
  }
});
