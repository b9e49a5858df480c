import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { revisions } from '../protocol/revision.ts';
import { McpError } from '../protocol/error.ts';
import { scriptedTransport, type Script, type ScriptedPeer, type ScriptedTransport } from '../testing/scripted.ts';
import type { Client } from './client.ts';
import { createConnect } from './connect.ts';
import { urlElicitations } from './errors.ts';
import type { InputContext } from './inputs.ts';
import type { ConnectOptions } from './options.ts';

const stateless = '2026-07-28';
const handshakes = revisions.filter(({ era }) => era === 'handshake').map(({ date }) => date);
const newest = '2025-11-25';

type Answer = Readonly<Record<string, unknown>>;

interface Connected {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly peer: ScriptedPeer;
  readonly warnings: string[];
  /** What the client declared: in `initialize`, or in the latest request. */
  declared(): unknown;
  /** Sends a request as the server, and gives the answer. */
  ask(method: string, params?: unknown): Promise<Answer>;
}

async function turns(): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.resolve();
}

/** Connects to a server of one revision. */
async function connected(
  revision: string,
  options: ConnectOptions = {},
  script: Script = (sent, peer) => peer.reply(sent, { content: [] }),
): Promise<Connected> {
  const transport = scriptedTransport('stdio', (sent, peer) => {
    const { method, id } = sent.message;
    const serverInfo = { name: 's', version: '1' };
    if (method === 'initialize')
      return peer.reply(sent, { protocolVersion: revision, capabilities: { tools: {} }, serverInfo });
    if (method === 'server/discover')
      return peer.reply(sent, { supportedVersions: [stateless], capabilities: { tools: {} } });
    if (typeof method === 'string' && id !== undefined) return script(sent, peer);
  });
  const warnings: string[] = [];
  const connect = createConnect({ http: () => transport });
  const client = await connect(transport, {
    ...options,
    revisions: [revision],
    onWarning: (message, cause) => void warnings.push(`${message}: ${String(cause)}`),
  });
  const peer = transport.peers[0];
  assert.ok(peer);
  let asked = 0;
  return {
    client,
    transport,
    peer,
    warnings,
    declared() {
      const own = transport.sent.find(({ message }) => message['method'] === 'initialize')?.message['params'];
      const latest = transport.sent.findLast(({ message }) => message['params'] !== undefined)?.message['params'];
      // Both carry what the client declares.
      return own === undefined
        ? (latest as { _meta: Answer })._meta['io.modelcontextprotocol/clientCapabilities']
        : (own as Answer)['capabilities'];
    },
    async ask(method, params) {
      const id = `s${++asked}`;
      peer.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
      await turns();
      const answer = transport.sent.find(({ message }) => message['id'] === id)?.message;
      assert.ok(answer, `${method} was not answered`);
      return answer;
    },
  };
}

const codeOf = (answer: Answer): unknown => (answer['error'] as { readonly code: number } | undefined)?.code;
const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const form = { message: 'Who?', requestedSchema: name };
const page = { mode: 'url', message: 'Pay', url: 'https://pay.example/1', elicitationId: 'e1' };
const chat = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 };
const everything: ConnectOptions = {
  onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  onElicitUrl: () => 'accept',
  onSample: () => 'hello',
  roots: [{ uri: 'file:///a' }],
};

describe('the handlers of a client', () => {
  const whole = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
  for (const [revision, capabilities] of [
    ['2024-11-05', { sampling: {}, roots: { listChanged: true } }],
    ['2025-03-26', { sampling: {}, roots: { listChanged: true } }],
    ['2025-06-18', { elicitation: {}, sampling: {}, roots: { listChanged: true } }],
    ['2025-11-25', whole],
    ['2026-07-28', { ...whole, roots: {} }],
  ] as const) {
    it(`advertise what ${revision} knows of [A31] [C25] [C26] [C29] [elicit-001] [elicit-002] [roots-001] [roots-002] [sampling-001] [sampling-002]`, async () => {
      const one = await connected(revision, everything);
      assert.deepEqual(one.declared(), capabilities);
    });
  }

  it('advertise nothing where that is off; what is declared goes out as it is [C28]', async () => {
    const capabilities = { sampling: { tools: {} } };
    for (const revision of [newest, stateless])
      assert.deepEqual(
        (await connected(revision, { ...everything, capabilities, advertise: false })).declared(),
        capabilities,
      );
  });

  it('that only open pages say nothing where there are none [A24] [A25]', async () => {
    assert.deepEqual((await connected('2025-06-18', { onElicitUrl: () => 'accept' })).declared(), {});
  });
});

describe('a form', () => {
  for (const revision of ['2025-06-18', newest]) {
    it(`is filled in at ${revision} [C89] [elicit-019] [elicit-015]`, async () => {
      const seen: unknown[] = [];
      const one = await connected(revision, {
        onElicit(params, context) {
          seen.push([params.message, params.requestedSchema, context.revision, context.signal.aborted]);
          return { action: 'accept', content: { name: 'Ada' } };
        },
      });
      assert.deepEqual((await one.ask('elicitation/create', form))['result'], {
        action: 'accept',
        content: { name: 'Ada' },
      });
      assert.deepEqual(seen, [['Who?', name, revision, false]]);
    });
  }

  for (const action of ['decline', 'cancel'] as const) {
    it(`may be answered with ${action}, and then says nothing else [elicit-007]`, async () => {
      const bare = await connected(newest, { onElicit: () => action });
      assert.deepEqual((await bare.ask('elicitation/create', form))['result'], { action });
      const full = await connected(newest, { onElicit: () => ({ action, content: { name: 'secret' } }) });
      assert.deepEqual((await full.ask('elicitation/create', form))['result'], { action });
    });
  }

  const defaults = {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'John' },
      age: { type: 'integer', default: 30 },
      status: { type: 'string', enum: ['on', 'off'], default: 'on' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
      verified: { type: 'boolean', default: true },
      note: { type: 'string' },
    },
    required: ['verified'],
  };

  it('is filled with the defaults that were left out [elicit-022]', async () => {
    const one = await connected(newest, { onElicit: () => ({ action: 'accept', content: { age: 31 } }) });
    const { result } = await one.ask('elicitation/create', { message: 'm', requestedSchema: defaults });
    const content = { name: 'John', age: 31, status: 'on', tags: ['a'], verified: true };
    assert.deepEqual(result, { action: 'accept', content });
  });

  it('of 2025-06-18 has defaults of booleans alone', async () => {
    const { tags: _, ...properties } = defaults.properties;
    const one = await connected('2025-06-18', { onElicit: () => 'accept' });
    const { result } = await one.ask('elicitation/create', {
      message: 'm',
      requestedSchema: { ...defaults, properties },
    });
    assert.deepEqual(result, { action: 'accept', content: { verified: true } });
  });

  for (const [title, answer] of [
    ['lacks a field', { action: 'accept', content: {} }],
    ['has a wrong value', { action: 'accept', content: { name: 7 } }],
    ['has a value that no field holds', { action: 'accept', content: { name: 'a', more: { deep: 1 } } }],
    ['has an unknown action', { action: 'perhaps' }],
    ['is nothing', undefined],
  ] as const) {
    it(`whose answer ${title} is an error here, and the server learns no detail [elicit-005] [elicit-059]`, async () => {
      const one = await connected(newest, { onElicit: () => answer as never });
      const { error } = await one.ask('elicitation/create', form);
      assert.deepEqual(error, { code: -32603, message: 'internal error' });
      assert.match(one.warnings.join(), /elicitation\/create.*TypeError/);
    });
  }

  for (const [title, params] of [
    ['without a message', { requestedSchema: name }],
    ['without a schema', { message: 'm' }],
    [
      'with a nested field',
      { message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } },
    ],
  ] as const) {
    it(`${title} does not reach the handler`, async () => {
      const one = await connected(newest, { onElicit: () => assert.fail('the handler ran') });
      assert.equal(codeOf(await one.ask('elicitation/create', params)), -32602);
    });
  }
});

describe('a page to visit', () => {
  it('is answered with an action alone [C89]', async () => {
    const seen: unknown[] = [];
    const one = await connected(newest, {
      onElicitUrl(params) {
        seen.push([params.url, params.message, params.elicitationId]);
        return { action: 'accept', content: { a: 1 } };
      },
    });
    assert.deepEqual((await one.ask('elicitation/create', page))['result'], { action: 'accept' });
    assert.deepEqual(seen, [[page.url, page.message, page.elicitationId]]);
  });

  it('is refused when its url is none', async () => {
    const one = await connected(newest, everything);
    assert.equal(codeOf(await one.ask('elicitation/create', { ...page, url: 'pay here' })), -32602);
  });

  for (const [title, options, params] of [
    ['a visit where only forms were declared', { onElicit: everything.onElicit }, page],
    ['a form where only visits were declared', { onElicitUrl: everything.onElicitUrl }, form],
    ['a form in so many words', { onElicitUrl: everything.onElicitUrl }, { ...form, mode: 'form' }],
    ['a mode that nobody knows', everything, { ...form, mode: 'telepathy' }],
    ['a visit that was not declared', { ...everything, advertise: false, capabilities: { elicitation: {} } }, page],
  ] as const) {
    it(`${title} is -32602 [A25] [elicit-017]`, async () => {
      // exactOptionalPropertyTypes: the handlers of `everything` are there.
      const one = await connected(newest, options as ConnectOptions);
      assert.equal(codeOf(await one.ask('elicitation/create', params)), -32602);
    });
  }

  it('that is over is told once, for ids that were asked about [C53] [elicit-028]', async () => {
    const over: string[] = [];
    const one = await connected(newest, { ...everything, onElicitationComplete: (id) => void over.push(id) });
    const complete = (elicitationId: unknown) =>
      one.peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
    complete('e1');
    await one.ask('elicitation/create', page);
    for (const id of ['other', 'e1', 'e1', 7]) complete(id);
    assert.deepEqual(over, ['e1']);
  });

  it('may be over before the user agreed to it here', async () => {
    const over: string[] = [];
    const one = await connected(newest, {
      onElicitUrl: () => new Promise(() => {}),
      onElicitationComplete: (id) => void over.push(id),
    });
    one.peer.send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: page });
    await turns();
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
    assert.deepEqual(over, ['e1']);
  });
});

describe('an error that names pages to visit', () => {
  const data = {
    elicitations: [page, { ...page, elicitationId: 'e2' }, { mode: 'form' }, 7, { ...page, elicitationId: 3 }],
  };
  const refusing: Script = (sent, peer) => peer.refuse(sent, { code: -32042, message: 'visit first', data });

  it('has its kind and the pages, and makes their ids known [C50] [C51] [C52]', async () => {
    const over: string[] = [];
    const one = await connected(newest, { onElicitationComplete: (id) => void over.push(id) }, refusing);
    const error: unknown = await one.client.callTool('x').catch((caught: unknown) => caught);
    assert.ok(error instanceof McpError);
    assert.deepEqual([error.kind, error.code], ['urlElicitationRequired', -32042]);
    assert.deepEqual(
      urlElicitations(error).map(({ elicitationId }) => elicitationId),
      ['e1', 'e2'],
    );
    for (const elicitationId of ['e2', 'e2', 'e3', 'e1'])
      one.peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
    assert.deepEqual(over, ['e2', 'e1']);
  });

  for (const revision of ['2025-06-18', stateless]) {
    it(`is like any other at ${revision} [C52]`, async () => {
      const one = await connected(
        revision,
        { onElicitationComplete: () => assert.fail('nothing was waited for') },
        refusing,
      );
      const error: unknown = await one.client.callTool('x').catch((caught: unknown) => caught);
      assert.ok(error instanceof McpError);
      assert.deepEqual([error.kind, error.code, error.data], [undefined, -32042, data]);
      assert.deepEqual(urlElicitations(error), []);
      one.peer.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
    });
  }

  it('may lack them', () => {
    for (const broken of [undefined, null, {}, { elicitations: 7 }])
      assert.deepEqual(urlElicitations(new McpError('urlElicitationRequired', 'm', { data: broken })), []);
    assert.deepEqual(urlElicitations(new Error('other')), []);
  });
});

describe('a request for a message', () => {
  for (const revision of handshakes) {
    it(`is answered at ${revision} [C94]`, async () => {
      const one = await connected(revision, { onSample: ({ messages }) => `${messages.length} message` });
      const content = { type: 'text', text: '1 message' };
      assert.deepEqual((await one.ask('sampling/createMessage', chat))['result'], {
        role: 'assistant',
        content,
        model: 'unknown',
      });
    });
  }

  it('may be answered in full, and is checked [sampling-026]', async () => {
    const answer = {
      role: 'assistant',
      content: { type: 'text', text: 'x' },
      model: 'm',
      stopReason: 'endTurn',
    } as const;
    const good = await connected(newest, { onSample: () => answer });
    assert.deepEqual((await good.ask('sampling/createMessage', chat))['result'], answer);
    const bad = await connected(newest, { onSample: () => ({ ...answer, model: undefined }) as never });
    assert.equal(codeOf(await bad.ask('sampling/createMessage', chat)), -32603);
  });

  for (const more of [{ tools: [] }, { toolChoice: { mode: 'none' } }]) {
    it(`with ${Object.keys(more).join()} needs that to be declared [A29] [sampling-005] [sampling-007]`, async () => {
      const without = await connected(newest, { onSample: () => assert.fail('the handler ran') });
      assert.equal(codeOf(await without.ask('sampling/createMessage', { ...chat, ...more })), -32602);
      const declared = await connected(newest, { onSample: () => 'x', capabilities: { sampling: { tools: {} } } });
      assert.ok('result' in (await declared.ask('sampling/createMessage', { ...chat, ...more })));
    });
  }

  it('whose tool results are mixed or missing is -32602 [C94] [sampling-010] [sampling-011] [sampling-024]', async () => {
    const one = await connected(newest, {
      onSample: () => assert.fail('the handler ran'),
      capabilities: { sampling: { tools: {} } },
    });
    const use = { role: 'assistant', content: { type: 'tool_use', id: 'a', name: 't', input: {} } };
    const result = { type: 'tool_result', toolUseId: 'a', content: [] };
    const mixed = { role: 'user', content: [result, { type: 'text', text: 'and' }] };
    for (const messages of [[use], [use, mixed], [{ role: 'user', content: result }]])
      assert.equal(codeOf(await one.ask('sampling/createMessage', { ...chat, messages })), -32602);
  });

  it('that the user rejects is -1 [sampling-023]', async () => {
    const one = await connected(newest, {
      onSample() {
        throw new McpError(-1, 'User rejected sampling request');
      },
    });
    const { error } = await one.ask('sampling/createMessage', chat);
    assert.deepEqual(error, { code: -1, message: 'User rejected sampling request' });
  });

  it('whose handler fails is -32603 without a word of why', async () => {
    const one = await connected(newest, { onSample: () => Promise.reject(new Error('key sk-123')) });
    assert.deepEqual((await one.ask('sampling/createMessage', chat))['error'], {
      code: -32603,
      message: 'internal error',
    });
    assert.match(one.warnings.join(), /sk-123/);
  });

  it('that is malformed does not reach the handler', async () => {
    const one = await connected(newest, { onSample: () => assert.fail('the handler ran') });
    assert.equal(codeOf(await one.ask('sampling/createMessage', { messages: 'hi', maxTokens: 1 })), -32602);
  });

  it('is aborted when the server cancels it or the client closes, and gets no answer', async () => {
    const aborted: string[] = [];
    const waiting = (_: unknown, { signal }: InputContext) =>
      new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          aborted.push(signal.reason instanceof Error ? signal.reason.message : String(signal.reason));
          reject(new Error('stopped'));
        }),
      );
    const one = await connected(newest, { onSample: waiting });
    for (const id of ['a', 'b']) one.peer.send({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params: chat });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a', reason: 'enough' } });
    await turns();
    assert.deepEqual(aborted, ['enough']);
    await one.client.close();
    await turns();
    assert.deepEqual(aborted, ['enough', 'the client was closed']);
    assert.deepEqual([one.warnings, one.transport.methods.includes('response')], [[], false]);
  });

  it('is refused while too many others wait', async () => {
    const one = await connected(newest, { onSample: () => new Promise(() => {}) });
    for (let i = 0; i < 100; i++)
      one.peer.send({ jsonrpc: '2.0', id: i, method: 'sampling/createMessage', params: chat });
    assert.equal(codeOf(await one.ask('sampling/createMessage', chat)), -32603);
    assert.deepEqual((await one.ask('ping'))['result'], {});
  });
});

describe('what a client cannot be asked', () => {
  const methods = { 'elicitation/create': form, 'sampling/createMessage': chat, 'roots/list': undefined };
  for (const [method, params] of Object.entries(methods)) {
    it(`${method} without its handler is no method, even when it was declared [C89] [C90] [C94] [roots-005]`, async () => {
      const capabilities = { elicitation: {}, sampling: {}, roots: {} };
      for (const options of [{}, { capabilities }, { ...everything, advertise: false }])
        assert.equal(codeOf(await (await connected(newest, options)).ask(method, params)), -32601);
    });
  }

  it('elicitation is no method before it existed', async () => {
    for (const revision of ['2024-11-05', '2025-03-26'])
      assert.equal(codeOf(await (await connected(revision, everything)).ask('elicitation/create', form)), -32601);
  });

  it('nothing is asked by requests at a stateless revision [C96]', async () => {
    const one = await connected(stateless, everything);
    for (const [method, params] of Object.entries(methods))
      await assert.rejects(one.ask(method, params), /was not answered/);
    assert.equal(one.warnings.length, 3);
  });
});

describe('roots', () => {
  for (const revision of handshakes) {
    it(`are listed at ${revision}, as they are now [C61] [E04]`, async () => {
      const one = await connected(revision, { roots: [{ uri: 'file:///a', name: 'A' }] });
      assert.deepEqual((await one.ask('roots/list'))['result'], { roots: [{ uri: 'file:///a', name: 'A' }] });
      await one.client.setRoots([]);
      assert.deepEqual((await one.ask('roots/list'))['result'], { roots: [] });
    });

    it(`that change are told at ${revision} [C46] [E10] [roots-003]`, async () => {
      const one = await connected(revision, { roots: [] });
      await one.client.setRoots([{ uri: 'file:///b' }]);
      const told = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
      assert.deepEqual(one.transport.sent.at(-1)?.message, told);
      await one.client.notifyRootsListChanged();
      assert.equal(one.transport.methods.filter((method) => method === told.method).length, 2);
    });
  }

  it('may be found by a function each time', async () => {
    let count = 0;
    const one = await connected(newest, { roots: async ({ revision }) => [{ uri: `file:///${revision}/${++count}` }] });
    await one.ask('roots/list');
    assert.deepEqual((await one.ask('roots/list'))['result'], { roots: [{ uri: `file:///${newest}/2` }] });
  });

  it('that change are not told where that was not declared, or nobody listens [C46] [E10]', async () => {
    const quiet = await connected(newest, { roots: [], capabilities: { roots: {} } });
    await quiet.client.setRoots([{ uri: 'file:///b' }]);
    const modern = await connected(stateless, { roots: [] });
    await modern.client.setRoots([{ uri: 'file:///b' }]);
    await modern.client.notifyRootsListChanged();
    for (const { transport } of [quiet, modern])
      assert.ok(!transport.methods.includes('notifications/roots/list_changed'));
  });

  it('are advertised by stateless requests from when there are some [C25]', async () => {
    const one = await connected(stateless);
    await one.client.setRoots([]);
    await one.client.callTool('x');
    assert.deepEqual(one.declared(), { roots: {} });
  });

  it('are refused where the server cannot learn of them any more', async () => {
    const one = await connected(newest);
    await assert.rejects(one.client.setRoots([]), TypeError);
  });

  it('that are no file URIs are refused, wherever they come from [C61] [roots-004] [roots-007]', async () => {
    const bad = [{ uri: 'https://a.example/' }];
    await assert.rejects(connected(newest, { roots: bad }), TypeError);
    const one = await connected(newest, { roots: () => bad });
    assert.equal(codeOf(await one.ask('roots/list')), -32603);
    await assert.rejects(one.client.setRoots(bad), TypeError);
  });
});
