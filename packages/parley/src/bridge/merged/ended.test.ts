/** What goes on at a front after that which wanted it has ended. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lineOver } from '../../../../../test/support/bridged.ts';
import { frontOf } from '../../../../../test/support/fronted.ts';
import { open, settle } from '../../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../../test/support/scripted-upstream.ts';
import { passing, until } from '../../../../../test/support/turns.ts';
import type { Transport } from '../../jsonrpc/transport.ts';

it('a session that ended while its tool was looked for gets no connection any more', async (t) => {
  const answers = new Map<string, (() => void)[]>();
  let isSlow = false;
  const [slow, quick] = ['slow', 'quick'].map((name) => {
    const waiting: (() => void)[] = [];
    answers.set(name, waiting);
    return lineOver(
      scriptedUpstream({
        up: '2025-06-18',
        answers: {
          'tools/list': (sent, peer) => {
            const answer = (): void => peer.reply(sent, { tools: [{ name, inputSchema: { type: 'object' } }] });
            if (isSlow && name === 'slow') waiting.push(answer);
            else answer();
          },
          'tools/call': { content: [] },
        },
      }),
    );
  });
  assert.ok(slow !== undefined && quick !== undefined);
  const bridge = await frontOf(t, { slow: slow.transport, quick: quick.transport });
  isSlow = true;
  const raw = await open(bridge, '2025-06-18');
  void raw.send('tools/call', { name: 'quick' });
  await until(() => answers.get('slow')?.length === 1);
  raw.conversation.close();
  answers.get('slow')?.forEach((answer) => answer());
  for (let turns = 0; turns < 100; turns++) await settle();
  assert.deepEqual([slow.open, quick.open], [1, 1]);
});

it('a session that ended while the owner of its resource was looked for watches nothing any more', async (t) => {
  const lists: (() => void)[] = [];
  const [slow, quick] = ['slow', 'quick'].map((name) =>
    scriptedUpstream({
      up: '2026-07-28',
      capabilities: { resources: { subscribe: true } },
      answers: {
        'resources/list': (sent, peer) => {
          const resources = [{ uri: `memo:${name}`, name }];
          const answer = (): void =>
            peer.reply(sent, { resultType: 'complete', ttlMs: 0, cacheScope: 'private', resources });
          if (name === 'slow') lists.push(answer);
          else answer();
        },
        'resources/templates/list': { resourceTemplates: [] },
      },
    }),
  );
  assert.ok(slow !== undefined && quick !== undefined);
  const bridge = await frontOf(t, { slow, quick });
  const raw = await open(bridge, '2025-06-18');
  void raw.send('resources/subscribe', { uri: 'memo:quick' });
  await until(() => lists.length === 1);
  raw.conversation.close();
  for (const answer of lists) answer();
  for (let turns = 0; turns < 100; turns++) await settle();
  assert.ok(!quick.methods.includes('subscriptions/listen'), quick.methods.join());
});

it('a server that was being reached when its bridge was closed is not followed', async (t) => {
  let asked = false;
  const warnings: string[] = [];
  const capabilities = { tools: { listChanged: true } };
  const stateless = (answers: NonNullable<Parameters<typeof scriptedUpstream>[0]['answers']>): Transport =>
    scriptedUpstream({ up: '2026-07-28', capabilities, answers });
  const late = stateless({ 'tools/list': () => void (asked = true) });
  const bridge = await frontOf(t, { one: stateless({}), late }, { serverTimeoutMs: 1, warnings });
  await until(() => asked);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const closing = bridge.close();
  let isClosed = false;
  void closing.then(() => (isClosed = true));
  await passing(
    () => isClosed,
    () => t.mock.timers.tick(1),
  );
  for (let turns = 0; turns < 100; turns++) await settle();
  const told = warnings.length;
  t.mock.timers.tick(30_000);
  for (let turns = 0; turns < 100; turns++) await settle();
  t.mock.timers.reset();
  assert.deepEqual(warnings.slice(told), []);
});
