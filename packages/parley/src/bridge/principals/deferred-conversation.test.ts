/** A conversation that begins before its bridge is open. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpError } from '../../protocol/error.ts';
import { DeferredConversation } from './deferred-conversation.ts';

/** A conversation of which the test opens the bridge, and what was done in its bridges. */
function late(ready = false) {
  const log: string[] = [];
  const endpoint = (name: string) => ({
    openConnection: () => ({
      revision: { date: name },
      receive: async (value: unknown) => void log.push(`${name} receive ${String(value)}`),
      take: async (judged: unknown) => void log.push(`${name} take ${String(judged)}`),
      waits: (id: unknown) => id === 1,
      unreadable: (reason: string) => `${name} ${reason}`,
      end: () => log.push(`${name} end`),
      close: () => log.push(`${name} close`),
    }),
  });
  let opened!: (error?: Error) => void;
  const bridge = { endpoint: endpoint('bridge') };
  const opening = new Promise((resolve, reject) => (opened = (error) => (error ? reject(error) : resolve(bridge))));
  const users: unknown[] = [];
  const conversation = new DeferredConversation({ auth: 'link' } as never, {
    opening: opening as never,
    ready: ready ? (bridge as never) : undefined,
    refusing: (error) => endpoint(error.message) as never,
    during: async (auth, work) => {
      users.push(auth);
      return await work();
    },
    left: () => log.push('left'),
  });
  return { conversation, opened, log, users };
}

test('messages wait for the bridge, and each tells who sent it', async () => {
  const { conversation, opened, log, users } = late();
  assert.deepEqual(
    [conversation.revision, conversation.waits(2), conversation.unreadable('odd')],
    [undefined, true, 'odd odd'],
  );
  const both = Promise.all([conversation.receive('a'), conversation.take('b' as never, 'other' as never)]);
  conversation.end();
  assert.deepEqual([log, users], [[], ['link', 'other']]);
  opened();
  await both;
  assert.deepEqual(log.splice(0), ['bridge receive a', 'bridge take b']);
  assert.deepEqual([conversation.waits(1), conversation.waits(2)], [true, false]);
  assert.equal(conversation.unreadable('odd'), 'bridge odd');
  conversation.end();
  conversation.close();
  conversation.close();
  assert.deepEqual(log, ['bridge end', 'bridge close', 'left']);
});

test('a bridge that is there already is used at once', async () => {
  const { conversation, log } = late(true);
  assert.equal(conversation.revision?.date, 'bridge');
  await conversation.receive('a');
  assert.deepEqual(log, ['bridge receive a']);
});

test('a conversation that is closed before its bridge opens is closed in it', async () => {
  const { conversation, opened, log } = late();
  const received = conversation.receive('a');
  conversation.close();
  assert.deepEqual(log, ['left']);
  opened();
  await received;
  assert.deepEqual(log, ['left', 'bridge close', 'bridge receive a']);
});

test('a conversation that is open stays open in its bridge', async () => {
  const { conversation, opened, log } = late();
  opened();
  await conversation.receive('a');
  assert.deepEqual(log, ['bridge receive a']);
});

test('a bridge that does not open refuses with the reason, or that it is unreachable', async () => {
  for (const [error, name] of [
    [new McpError('busy', 'full'), /^full receive a$/],
    [new Error('secret'), /^(?!.*secret).* receive a$/],
  ] as const) {
    const { conversation, opened, log } = late();
    opened(error);
    await conversation.receive('a');
    assert.match(log.join(), name);
  }
});
