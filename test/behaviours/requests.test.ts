/** What a client puts into its requests: part 1.3 of the behaviours. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import type { SentMessage } from '../../packages/parley/src/testing.ts';
import type { Script } from '../../packages/parley/src/testing/scripted.ts';
import { connectScripted, replying } from '../support/scripted-client.ts';
import { turns } from '../support/turns.ts';

const text = { content: [{ type: 'text', text: 'hi' }] };

function paramsOf(sent: SentMessage | undefined): Readonly<Record<string, unknown>> {
  // Every request of these tests has params.
  return (sent?.message['params'] ?? {}) as Readonly<Record<string, unknown>>;
}

function metaOf(sent: SentMessage | undefined): Readonly<Record<string, unknown>> {
  return (paramsOf(sent)['_meta'] ?? {}) as Readonly<Record<string, unknown>>;
}

for (const { date, era } of revisions) {
  const stateless = era === 'stateless';
  describe(`a request at ${date}`, () => {
    test('of a tool has its token, its log level and its listener of progress [C04]', async () => {
      const { client, transport } = await connectScripted(
        (sent, peer) => {
          const { progressToken } = metaOf(sent);
          const params = { progressToken, progress: 1, total: 2 };
          peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
          peer.reply(sent, text);
        },
        { date },
      );
      const heard: unknown[] = [];
      const result = await client.callTool(
        'x',
        { a: 1 },
        {
          progressToken: 'mine',
          logLevel: 'error',
          onProgress: (progress) => heard.push(progress),
        },
      );
      assert.deepEqual(result.content, text.content);
      assert.deepEqual(heard, [{ progress: 1, total: 2 }]);
      const meta = metaOf(transport.sent.at(-1));
      assert.equal(meta['progressToken'], 'mine');
      assert.equal(meta[metaKey.logLevel], stateless ? 'error' : undefined);
    });

    test('has its progress token in _meta and its own parameters as they were given [C68]', async () => {
      const { client, transport } = await connectScripted(replying({ ...text, contents: [], messages: [] }), { date });
      const options = { progressToken: 7, meta: { mine: 1 } };
      await client.callTool('t', { a: 1 }, options);
      await client.readResource('file:///a', options);
      await client.getPrompt('p', { a: 'b' }, options);
      const own = transport.sent.slice(-3).map((sent) => {
        const { _meta, ...rest } = paramsOf(sent);
        assert.partialDeepStrictEqual(_meta, { mine: 1, progressToken: 7 });
        return rest;
      });
      assert.deepEqual(own, [
        { name: 't', arguments: { a: 1 } },
        { uri: 'file:///a' },
        { name: 'p', arguments: { a: 'b' } },
      ]);
    });

    test('carries arguments as the plain JSON that they are [C05] [C07]', async () => {
      const { client, transport } = await connectScripted(replying(text), { date });
      const given = { size: 2, kind: 'LARGE', none: null, list: [1, { a: true }], __proto: {} };
      await client.callTool('t', given);
      assert.deepEqual(paramsOf(transport.sent.at(-1))['arguments'], given);
    });

    test('has a time limit of a minute unless it says otherwise [lifecycle-018] [lifecycle-019] [cancel-017]', async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { client } = await connectScripted(() => {}, { date });
      const waits: string[] = [];
      const calls = [client.callTool('x'), client.getPrompt('p'), client.callTool('y', {}, { timeoutMs: 90_000 })];
      for (const call of calls) call.catch((error: Error) => waits.push(error.message));
      await turns();
      t.mock.timers.tick(59_999);
      await turns();
      assert.deepEqual(waits, []);
      t.mock.timers.tick(1);
      await turns();
      assert.equal(waits.length, 2);
      for (const message of waits) assert.match(message, /not answered within 60000 ms/);
      t.mock.timers.tick(30_000);
      await turns();
      assert.equal(waits.length, 3);
    });

    test('is the same whatever the server calls itself [versioning-006] [meta-017]', async () => {
      const sent = async (serverInfo: object): Promise<unknown> => {
        const { client, transport } = await connectScripted(replying({ ...text, tools: [] }), { date, serverInfo });
        await client.listTools();
        await client.callTool('x', { a: 1 });
        return transport.sent;
      };
      const names = [
        { name: 'mcp.example/legacy', version: '0.0.1' },
        { name: '__proto__', version: '2024-11-05' },
      ];
      const usual = JSON.stringify(await sent({ name: 's', version: '1' }));
      for (const info of names) assert.equal(JSON.stringify(await sent(info)), usual);
    });

    test('lists no feature that the server did not declare beside others, and asks for it by name [prompts-013]', async () => {
      const refuse: Script = (sent, peer) => peer.refuse(sent, { code: -32601, message: 'none' });
      const { client, transport } = await connectScripted(refuse, { date, capabilities: { tools: {} } });
      const before = transport.sent.length;
      assert.deepEqual(await client.listPrompts(), []);
      assert.equal(transport.sent.length, before);
      await assert.rejects(client.getPrompt('p'), { kind: 'methodNotFound', message: 'none' });
      await assert.rejects(client.readResource('file:///a'), { kind: 'methodNotFound', message: 'none' });
      assert.equal(transport.sent.length, before + 2);
    });

    test('of a list works with pages and without [page-008]', async () => {
      for (const pages of [1, 4]) {
        const { client } = await connectScripted(
          (sent, peer) => {
            const at = Number(paramsOf(sent)['cursor'] ?? 0);
            const more = at + 1 < pages ? { nextCursor: String(at + 1) } : {};
            peer.reply(sent, { prompts: [{ name: `p${at}` }], ...more });
          },
          { date },
        );
        assert.equal((await client.listPrompts()).length, pages);
      }
    });

    test('that is answered with -32002 finds no resource, whatever the revision calls it [resources-016]', async () => {
      const refusal = { code: -32002, message: 'Resource not found' };
      const { client } = await connectScripted((sent, peer) => peer.refuse(sent, refusal), { date });
      await assert.rejects(client.readResource('file:///a'), { kind: 'resourceNotFound', code: -32002 });
    });

    test('of a completion carries what is settled, where the revision has it [compl-003]', async () => {
      const { client, transport } = await connectScripted(replying({ completion: { values: [] } }), { date });
      const context = { arguments: { owner: 'ann' } };
      await client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'repo', value: '' }, { context });
      const known = date !== '2024-11-05' && date !== '2025-03-26';
      assert.deepEqual(paramsOf(transport.sent.at(-1))['context'], known ? context : undefined);
    });
  });
}
