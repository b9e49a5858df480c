/** What nobody but the two ends understands passes a bridge as it is; what speaks of one hop does not. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeTo, pairs, shakesHands, type Pair } from '../../../../test/support/bridged.ts';
import { open, statelessDate, withMeta, type Json } from '../../../../test/support/raw.ts';
import { paramsSent, scriptedUpstream, type Scripted } from '../../../../test/support/scripted-upstream.ts';
import { isObject } from '../jsonrpc/message.ts';
import { metaKey } from '../protocol/meta.ts';

const own = { 'x.example/trace': ['a', 1], traceparent: '00-1-2-03' };

/** Every second pair and the newest ones are enough to show what does not depend on the pair. */
const some: readonly Pair[] = pairs.filter(
  ({ down, up }, at) => at % 2 === 0 || down === statelessDate || up === statelessDate,
);

for (const { down, up } of some) {
  describe(`between a client at ${down} and a server at ${up}`, () => {
    it('requests keep unknown fields and keys of _meta', async (t) => {
      const transport = scriptedUpstream({ up, answers: { 'tools/call': { content: [] } } });
      const raw = await open(await bridgeTo(t, transport), down);
      const params = { name: 'any', arguments: { deep: { __proto__x: 1, list: [null] } }, more: { fields: true } };
      await raw.result('tools/call', { ...params, _meta: { ...own, progressToken: 'theirs' } });
      const { _meta: meta, ...rest } = paramsSent(transport, 'tools/call');
      assert.deepEqual(rest, params);
      const { progressToken, ...others } = meta as Json;
      assert.notEqual(progressToken, 'theirs');
      assert.deepEqual(ownKeys(others), own);
    });

    it('results keep unknown fields and keys of _meta', async (t) => {
      const result = {
        content: [{ type: 'text', text: 'words', shade: 'blue' }],
        more: { fields: [true] },
        _meta: own,
      };
      const transport = scriptedUpstream({ up, answers: { 'tools/call': result } });
      const raw = await open(await bridgeTo(t, transport), down);
      const { _meta: meta, ...rest } = await raw.result('tools/call', { name: 'any' });
      assert.deepEqual(withoutHints(rest), { content: result.content, more: result.more });
      assert.deepEqual(ownKeys(meta as Json), own);
    });

    it('progress and log messages keep them too', async (t) => {
      const transport = scriptedUpstream(chatty(up));
      const raw = await open(await bridgeTo(t, transport), down);
      const meta = { progressToken: 'theirs', ...(shakesHands(down) ? {} : { [metaKey.logLevel]: 'debug' }) };
      await raw.result('tools/call', { name: 'any', _meta: meta });
      const [progress, log] = raw.take().map(({ params }) => params);
      assert.deepEqual(progress, { progressToken: 'theirs', progress: 0.5, more: 1, _meta: own });
      assert.deepEqual(log, { level: 'info', data: { deep: [] }, more: 2, _meta: own });
    });

    it('cursors pass as they are [page-002]', async (t) => {
      const answers: Scripted['answers'] = {
        'prompts/list': (sent, peer) =>
          peer.reply(sent, {
            prompts: [],
            nextCursor: ' \u0000next ',
            resultType: 'complete',
            ttlMs: 1,
            cacheScope: 'public',
          }),
      };
      const transport = scriptedUpstream({ up, answers });
      const raw = await open(await bridgeTo(t, transport), down);
      assert.equal((await raw.result('prompts/list', { cursor: '' }))['nextCursor'], ' \u0000next ');
      assert.equal(paramsSent(transport, 'prompts/list')['cursor'], '');
    });
  });
}

describe('a stateless server', () => {
  it('is told of the client and what it declares, but for the tasks that it hosts', async (t) => {
    const transport = scriptedUpstream({ up: statelessDate, answers: { 'prompts/get': { messages: [] } } });
    const bridge = await bridgeTo(t, transport, { info: { name: 'between', version: '2' } });
    for (const down of ['2025-06-18', statelessDate] as const) {
      const raw = await open(bridge, down, { capabilities: { sampling: {}, elicitation: {}, tasks: { list: {} } } });
      await raw.result('prompts/get', {
        name: 'any',
        _meta: {
          [metaKey.clientInfo]: { name: 'liar', version: '0' },
          ...(shakesHands(down) ? {} : (withMeta()['_meta'] as Json)),
        },
      });
      const meta = paramsSent(transport, 'prompts/get')['_meta'] as Json;
      assert.deepEqual(meta[metaKey.clientInfo], { name: 'raw', version: '1' });
      const declared = shakesHands(down) ? { sampling: {}, elicitation: {} } : {};
      assert.deepEqual(meta[metaKey.clientCapabilities], declared);
      assert.equal(meta[metaKey.protocolVersion], statelessDate);
    }
  });

  it('names itself in results as it likes', async (t) => {
    const named = { content: [], _meta: { [metaKey.serverInfo]: { name: 'other', version: '9' } } };
    const bridge = await bridgeTo(t, scriptedUpstream({ up: statelessDate, answers: { 'tools/call': named } }));
    const stateless = await (await open(bridge, statelessDate)).result('tools/call', { name: 'any' });
    assert.deepEqual(stateless['_meta'], named._meta);
    const session = await (await open(bridge, '2025-06-18')).result('tools/call', { name: 'any' });
    assert.deepEqual(Object.keys(Object(session['_meta'])), []);
  });
});

it('what a server says of itself is told as far as the revision can', async (t) => {
  const icons = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }];
  const serverInfo = { title: 'Scripted', websiteUrl: 'https://example.com/', icons, more: 1 };
  const bridge = await bridgeTo(t, scriptedUpstream({ up: '2025-11-25', serverInfo, instructions: 'read me' }));
  const me = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const told = async (protocolVersion: string): Promise<Json> => {
    const link = bridge.endpoint.openConnection({ lasting: true, send: () => undefined });
    const response = await link.receive({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { ...me, protocolVersion },
    });
    assert.ok(response !== undefined && 'result' in response);
    return response.result;
  };
  const info = { name: 'scripted', version: '1', more: 1 };
  const newest = await told('2025-11-25');
  assert.deepEqual([newest['serverInfo'], newest['instructions']], [{ ...info, ...serverInfo }, 'read me']);
  assert.deepEqual((await told('2025-06-18'))['serverInfo'], { ...info, title: 'Scripted' });
  assert.deepEqual((await told('2024-11-05'))['serverInfo'], info);
  assert.deepEqual(bridge.upstream.server, { ...info, ...serverInfo });
  const stateless = await (await open(bridge, statelessDate)).result('server/discover');
  assert.deepEqual(Object(stateless['_meta'])[metaKey.serverInfo], { ...info, ...serverInfo });
  assert.equal(stateless['instructions'], 'read me');
});

it('capabilities pass, unknown ones too, but for tasks of another revision', async (t) => {
  const capabilities = {
    tools: { listChanged: true, more: 1 },
    experimental: { own: { deep: true } },
    tasks: { list: {} },
    custom: {},
  };
  const extensions = { 'io.modelcontextprotocol/ui': { a: 1 }, 'io.modelcontextprotocol/tasks': {} };
  const bridge = await bridgeTo(
    t,
    scriptedUpstream({ up: statelessDate, capabilities: { ...capabilities, extensions } }),
  );
  const told = await (await open(bridge, statelessDate)).result('server/discover');
  const { tasks: _, ...rest } = capabilities;
  assert.deepEqual(told['capabilities'], { ...rest, extensions });
});

it('a client cannot have a call made a task that the bridge did not offer', async (t) => {
  const transport = scriptedUpstream({
    up: '2025-11-25',
    capabilities: { tools: {}, tasks: {} },
    answers: { 'tools/call': { content: [] } },
  });
  const raw = await open(await bridgeTo(t, transport), '2025-11-25');
  await raw.result('tools/call', { name: 'any', task: { ttl: 1000 } });
  assert.deepEqual(paramsSent(transport, 'tools/call'), { name: 'any' });
});

it('progress that does not rise, or is none, is not passed on [progress-003]', async (t) => {
  const reports = [1, 1, 'two', 0.5, 2].map((progress) => ({ progress }));
  const transport = scriptedUpstream({
    up: '2025-11-25',
    answers: {
      'tools/call': (sent, peer) => {
        const { progressToken } = Object(Object(sent.message['params'])['_meta']);
        for (const report of [...reports, { progress: 3, total: 'many' }])
          peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, ...report } });
        peer.reply(sent, { content: [] });
      },
    },
  });
  const raw = await open(await bridgeTo(t, transport), '2025-11-25');
  await raw.result('tools/call', { name: 'any', _meta: { progressToken: 5 } });
  assert.deepEqual(
    raw.take().map(({ params }) => params),
    [
      { progressToken: 5, progress: 1 },
      { progressToken: 5, progress: 2 },
    ],
  );
});

/** A server whose tools report progress and log, with fields that no revision knows. */
function chatty(up: Pair['up']): Scripted {
  return {
    up,
    answers: {
      'tools/call': (sent, peer) => {
        const { progressToken } = Object(Object(sent.message['params'])['_meta']);
        const say = (method: string, params: Json): void =>
          peer.send({ jsonrpc: '2.0', method, params: { ...params, _meta: own } });
        say('notifications/progress', { progressToken, progress: 0.5, more: 1 });
        say('notifications/message', { level: 'info', data: { deep: [] }, more: 2 });
        peer.reply(sent, { content: [], ...(shakesHands(up) ? {} : { resultType: 'complete' }) });
      },
    },
  };
}

function ownKeys(meta: Json): Json {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith('io.modelcontextprotocol/')));
}

function withoutHints({ resultType: _, ttlMs: __, cacheScope: ___, ...rest }: Json): Json {
  assert.ok(isObject(rest));
  return rest;
}
