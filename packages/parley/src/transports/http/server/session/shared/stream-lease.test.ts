import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import { StreamLease, type ClaimParts } from './stream-lease.ts';

const key = 'listening session';
const minute = 60_000;

/** A claim of the process `here` where `there` has it, and what happens while that is asked whether its stream is open. */
async function scene(
  meanwhile: (write: (text: string) => unknown) => unknown,
): Promise<{ claim: StreamLease; holder(): Promise<unknown> }> {
  const store = memoryStore();
  await store.records.put(key, 'there', minute);
  const write = (text: string): unknown => store.records.put(key, text, minute);
  const mailbox = {
    name: 'here',
    ask: async () => (await meanwhile(write), 'not-open'),
    tell: async () => true,
  };
  const parts = { store, mailbox, settings: { sessionIdleTimeoutMs: minute } } as unknown as ClaimParts;
  return { claim: new StreamLease(parts, 'session'), holder: async () => (await store.records.get(key))?.text };
}

test('a claim that was only kept alive while its holder was asked is taken', async () => {
  const { claim, holder } = await scene((write) => write('there'));
  assert.ok(await claim.take(false));
  assert.equal(await holder(), 'here');
});

test('a claim that another process took meanwhile is not', async () => {
  const { claim, holder } = await scene((write) => write('elsewhere'));
  assert.equal(await claim.take(false), undefined);
  assert.equal(await holder(), 'elsewhere');
});

test('a claim lives on from when its holder opens its stream anew', async () => {
  let now = 0;
  const store = memoryStore({ now: () => now });
  const mailbox = { name: 'here' };
  const claim = new StreamLease(
    { store, mailbox, settings: { sessionIdleTimeoutMs: minute } } as unknown as ClaimParts,
    'session',
  );
  for (; now < 3 * minute; now += 0.75 * minute) {
    assert.ok(await claim.take(false));
    assert.equal((await store.records.get(key))?.version, 1, `after ${now / minute} minutes`);
  }
});
