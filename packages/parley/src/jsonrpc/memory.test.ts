import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkedTransport, type MemoryLink } from './memory.ts';
import type { Channel } from './transport.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;

/** A conversation in one process: what each end heard, and the far end's way to the near one. */
async function scene() {
  const heard = { near: [] as unknown[], far: [] as unknown[], ends: [] as string[], closed: 0 };
  let link: MemoryLink | undefined;
  const transport = linkedTransport('here', (given) => {
    link = given;
    return {
      exactNumbers: false,
      receive: (value: unknown) => void heard.far.push(value),
      close: () => void heard.closed++,
    } as never;
  });
  const channel: Channel = await transport.open({
    message: (value: unknown) => void heard.near.push(value),
    closed: ({ message }: Error) => void heard.ends.push(message),
    problem: () => assert.fail(),
  } as never);
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { heard, channel, link: link ?? assert.fail('it is linked'), settle };
}

test('messages arrive later, as copies, at both ends', async () => {
  const { heard, channel, link, settle } = await scene();
  const sent = channel.send(ping);
  link.message(JSON.stringify(ping));
  assert.deepEqual([heard.near, heard.far], [[], []]);
  await sent;
  await settle();
  assert.deepEqual([heard.near, heard.far], [[ping], [ping]]);
  assert.notEqual(heard.far[0], ping);
});

test('a far end that closes ends the conversation once, and nothing is heard or sent after it', async () => {
  const { heard, channel, link, settle } = await scene();
  const sent = channel.send(ping);
  link.message(JSON.stringify(ping));
  link.closed('gone');
  link.closed('gone again');
  await sent;
  link.message(JSON.stringify(ping));
  await settle();
  assert.deepEqual([heard.near, heard.far, heard.ends], [[], [], ['gone']]);
  await assert.rejects(channel.send(ping), { reason: 'closed' });
  await channel.close();
  assert.equal(heard.closed, 0, 'the far end has closed already');
});

test('a near end that closes tells the far end once, and hears nothing after it', async () => {
  const { heard, channel, link, settle } = await scene();
  await channel.close();
  await channel.close();
  link.message(JSON.stringify(ping));
  link.closed('gone');
  await settle();
  assert.deepEqual([heard.near, heard.ends, heard.closed], [[], [], 1]);
  await assert.rejects(channel.send(ping), { reason: 'closed' });
});

test('so many messages may wait in one direction, and one more is refused', async () => {
  const { heard, channel, link, settle } = await scene();
  const text = JSON.stringify(ping);
  const sends = Array.from({ length: 10_001 }, async () => await channel.send(ping));
  const taken = Array.from({ length: 10_001 }, () => link.message(text));
  const ends = await Promise.allSettled(sends);
  assert.deepEqual([taken.at(-2), taken.at(-1), ends.at(-2)?.status], [true, false, 'fulfilled']);
  await assert.rejects(sends.at(-1) ?? assert.fail(), { reason: 'too-large' });
  await settle();
  assert.deepEqual([heard.near.length, heard.far.length, link.message(text)], [10_000, 10_000, true]);
});
