import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../../../../test/support/raw.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import { maxBusTextLength } from '../../../../../storage/bus.ts';
import { ProcessMailbox } from './process-mailbox.ts';

test('answers for processes that never were wait to be told again up to a bound, and those beyond it are told once', async (t) => {
  const store = memoryStore();
  const told = new Map<string, number>();
  const publish = (channel: string): number => {
    told.set(channel, (told.get(channel) ?? 0) + 1);
    return 0;
  };
  const mailbox = new ProcessMailbox(
    { ...store, bus: { ...store.bus, publish } },
    () => undefined,
    () => undefined,
  );
  t.after(() => mailbox.close());
  const message = 'x'.repeat(1024 * 1024);
  const insisting = Array.from({ length: 20 }, (_, number) =>
    mailbox.insist(String(number), { kind: 'message', session: 's', message }, (cause) => assert.fail(String(cause))),
  );
  await Promise.all(insisting.slice(15));
  assert.ok([...told.values()].every((times) => times === 1));
  await mailbox.close();
  await Promise.all(insisting);
  const times = [...told.values()];
  assert.deepEqual([times.length, times.filter((one) => one === 2).length], [20, 15]);
});

test('what could not be told is an error also where the process ends before it is told again', async () => {
  const store = memoryStore();
  const away = new Error('away');
  const mailbox = new ProcessMailbox(
    { ...store, bus: { ...store.bus, publish: () => Promise.reject(away) } },
    () => undefined,
    () => undefined,
  );
  const announced = mailbox.announce('session s', { kind: 'ended' }, [60_000, 60_000]);
  await mailbox.close();
  await assert.rejects(announced, away);
});

test('what waits to be told again is told at once when the process ends', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const store = memoryStore();
  let told = 0;
  const publish = async (): Promise<number> => (told++, 0);
  const mailbox = new ProcessMailbox(
    { ...store, bus: { ...store.bus, publish } },
    () => undefined,
    () => undefined,
  );
  const announced = mailbox.announce('session s', { kind: 'ended' }, [60_000]);
  const insisted = mailbox.insist('p', { kind: 'taken', session: 's' }, () => assert.fail());
  await settle();
  assert.equal(told, 2);
  await mailbox.close();
  await Promise.all([announced, insisted]);
  assert.equal(told, 3, 'what may be heard once more is, and an announcement is not');
});

test('what is told again and again fails once, after the last time, and not where somebody hears it at last', async () => {
  const store = memoryStore();
  const state = { answer: (): Promise<number> => Promise.reject(new Error('away')) };
  const mailbox = new ProcessMailbox(
    { ...store, bus: { ...store.bus, publish: () => state.answer() } },
    () => undefined,
    () => undefined,
  );
  const failed: string[] = [];
  const insist = () =>
    mailbox.insist('p', { kind: 'message', session: 's', message: 'x' }, (cause) => failed.push(String(cause)));
  const first = insist();
  await settle();
  assert.deepEqual(failed, []);
  // Nobody waits for what is told again after the end.
  await mailbox.close();
  await first;
  assert.deepEqual(failed, ['Error: away']);
  state.answer = () => Promise.resolve(1);
  await insist();
  assert.equal(failed.length, 1);
});

test('a text for every process that is too long is rejected before anything is sent', async (t) => {
  const store = memoryStore();
  const sent: number[] = [];
  const publish = async (_channel: string, text: string): Promise<number> => sent.push(text.length);
  const mailbox = new ProcessMailbox(
    { ...store, bus: { ...store.bus, publish } },
    () => undefined,
    () => undefined,
  );
  t.after(() => mailbox.close());
  const shell = JSON.stringify({ kind: 'message', message: '' }).length;
  const announce = (length: number): Promise<void> =>
    mailbox.announce('session s', { kind: 'message', message: 'x'.repeat(length - shell) }, []);
  await announce(maxBusTextLength - 1);
  await assert.rejects(announce(maxBusTextLength), { name: 'StoreError', reason: 'too-large' });
  // The bus of long texts adds one character.
  assert.deepEqual(sent, [maxBusTextLength]);
});
