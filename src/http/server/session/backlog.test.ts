import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, request, type Client } from '../../../../test/support/session-client.ts';
import type { EventLog, LoggedEvent } from '../../../store/events.ts';
import { Backlog } from './backlog.ts';
import type { FakeConversation } from '../../../../test/support/fake-endpoint.ts';
import { settle, type FakeVisit } from '../../../../test/support/fake-http.ts';
import { resolveHttpOptions } from '../options.ts';

/** A log whose writes and reads are let go by the test. */
class HeldLog implements EventLog {
  readonly kept: LoggedEvent[] = [];
  readonly writes: ((error?: Error) => void)[] = [];
  readonly reads: (() => void)[] = [];

  append(_: string, event: LoggedEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.writes.push((error) => {
        if (error !== undefined) return reject(error);
        this.kept.push(event);
        resolve();
      });
    });
  }

  replayAfter(_: string, number: number): Promise<readonly LoggedEvent[]> {
    return new Promise((resolve) => {
      this.reads.push(() => resolve(this.kept.filter((event) => event.number > number)));
    });
  }

  clear(): Promise<void> {
    return Promise.reject(new Error('gone away'));
  }
}

interface Held {
  readonly log: HeldLog;
  readonly client: Client;
  readonly conversation: FakeConversation;
  /** A call that has begun its stream, and the id that the stream begins with. */
  readonly answer: FakeVisit;
  readonly primed: string;
  note(at: number): void;
}

async function held(): Promise<Held> {
  const log = new HeldLog();
  const client = await connect('2025-11-25', { events: { open: () => log }, drainMs: 0 });
  const [conversation] = client.fake.conversations;
  assert.ok(conversation);
  const note = (at: number): void =>
    conversation.link.send({ jsonrpc: '2.0', method: 'notifications/message', params: { at } }, 2);
  const answer = client.post(request('slow'));
  await settle();
  note(1);
  const primed = answer.frames[0]?.id ?? '';
  return { log, client, conversation, answer, primed, note };
}

function resume({ client, primed }: Held): FakeVisit {
  return client.get({ 'last-event-id': primed });
}

function heard({ events }: FakeVisit): unknown[] {
  return events.map((event) => (event as { params?: { at: number } }).params?.at ?? 'the response');
}

test('what the log is still writing is not missed by a read that overtakes it', async () => {
  const so = await held();
  so.answer.leave();
  so.note(2);
  const resumed = resume(so);
  await settle();
  so.log.reads[0]?.();
  await settle();
  assert.deepEqual(heard(resumed), [1, 2]);
});

test('a response that the log is still writing is found after the end of its stream', async () => {
  const so = await held();
  so.answer.leave();
  so.conversation.release(2);
  await settle();
  for (const write of so.log.writes.slice(0, 2)) write();
  const resumed = resume(so);
  await settle();
  so.log.reads[0]?.();
  await resumed.done();
  assert.deepEqual(heard(resumed), [1, 'the response']);
});

test('a stream that the log has whole is read from the log alone', async () => {
  const so = await held();
  so.answer.leave();
  so.conversation.release(2);
  await settle();
  for (const write of so.log.writes) write();
  await settle();
  so.log.kept.splice(1, 1);
  const resumed = resume(so);
  await settle();
  so.log.reads[0]?.();
  // The log breaks its promise: a gap is found there too.
  assert.equal((await resumed.done()).status, 400);
});

test('a response that the log lost is no reason to end a resumed stream without it', async () => {
  const so = await held();
  so.answer.leave();
  so.conversation.release(2);
  await settle();
  for (const [at, write] of so.log.writes.entries()) write(at === 2 ? new Error('disk full') : undefined);
  await settle();
  const resumed = resume(so);
  await settle();
  so.log.reads[0]?.();
  assert.equal((await resumed.done()).status, 400);
  assert.equal(so.client.errors.length, 1);
});

test('a stream of which the log lost an event is not closed for its client to come back to', async () => {
  const so = await held();
  so.log.writes[1]?.(new Error('disk full'));
  await settle();
  so.conversation.link.disconnect?.(2, 10);
  so.note(2);
  assert.deepEqual([heard(so.answer), so.answer.ended], [[1, 2], false]);
});

test('who asked first and was answered last does not take the stream from who came back since', async () => {
  const so = await held();
  so.answer.leave();
  const [first, second] = [resume(so), resume(so)];
  await settle();
  so.log.reads[1]?.();
  await settle();
  so.log.reads[0]?.();
  await settle();
  so.note(2);
  assert.deepEqual([heard(second), second.ended], [[1, 2], false]);
  assert.deepEqual([heard(first), first.ended], [[], true]);
});

test('who has gone before the events were found takes no place', async () => {
  const so = await held();
  const resumed = resume(so);
  await settle();
  resumed.leave();
  so.log.reads[0]?.();
  await settle();
  so.note(2);
  assert.deepEqual([heard(so.answer), so.answer.ended], [[1, 2], false]);
});

test('a log that cannot forget a session is told to the owner', async () => {
  const so = await held();
  await so.client.handler.close();
  await settle();
  assert.match(so.client.errors[0]?.message ?? '', /could not be forgotten/);
});

test('what a log has not confirmed is held up to a bound, and beyond it there is no replay', async () => {
  const log = new HeldLog();
  const backlog = new Backlog(log, 's', resolveHttpOptions({ maxStreamBuffer: 100 }));
  const after = async (number: number): Promise<readonly number[] | undefined> => {
    const missed = backlog.after(number);
    log.reads.pop()?.();
    return (await missed)?.take().map((event) => event.number);
  };
  for (let at = 0; at < 10; at++) backlog.add('x'.repeat(10));
  assert.equal((await after(0))?.length, 10);
  backlog.add('x');
  assert.equal(await after(0), undefined);
  for (const write of log.writes) write();
  await settle();
  assert.equal((await after(0))?.length, 11);
});

test('what is sent during a read is held up to a bound', async () => {
  const log = new HeldLog();
  const backlog = new Backlog(log, 's', resolveHttpOptions({ maxStreamBuffer: 100 }));
  backlog.add('x');
  log.writes.pop()?.();
  await settle();
  const missed = backlog.after(0);
  for (let at = 0; at < 20; at++) backlog.add('x'.repeat(10));
  log.reads.pop()?.();
  assert.equal(await missed, undefined);
});
