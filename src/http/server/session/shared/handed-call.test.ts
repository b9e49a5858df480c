/** What a client receives whose request another process answers, for all that may happen on the way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeVisit } from '../../../../../test/support/fake-http.ts';
import { turns } from '../../../../../test/support/turns.ts';
import { acceptedBy } from '../../media.ts';
import { resolveHttpOptions } from '../../options.ts';
import { EventStreams } from '../../stream.ts';
import { HandedCall } from './handed-call.ts';
import type { AnswerPart } from './home-words.ts';

interface Scene {
  readonly call: HandedCall;
  readonly visit: FakeVisit;
  /** For each time that it was over: whether its home is to know. */
  readonly ends: boolean[];
  readonly left: () => number;
  pass(ms: number): void;
}

interface Given {
  readonly ids?: readonly number[];
  readonly method?: 'GET' | 'POST';
  readonly accept?: string;
  readonly repeatable?: boolean;
}

function scene({ ids = [1], method = 'POST', accept, repeatable = false }: Given = {}): Scene {
  const visit = new FakeVisit({ method, headers: { 'mcp-protocol-version': '2025-11-25', ...(accept && { accept }) } });
  const ends: boolean[] = [];
  let [now, left] = [0, 0];
  const settings = { ...resolveHttpOptions({}), now: () => now };
  const context = { settings, streams: new EventStreams(settings) };
  const { request } = visit;
  const accepted = acceptedBy(request.header('accept'));
  const call = new HandedCall({ request, reply: visit, accepted, auth: undefined, leave: () => left++ } as never, {
    context: context as never,
    home: 'h',
    ids,
    repeatable,
    over: (_, isLeft) => ends.push(isLeft),
  });
  return { call, visit, ends, left: () => left, pass: (ms) => void (now += ms) };
}

const begun: AnswerPart = { kind: 'begun', headers: { 'X-Own': '1' } };
const errorsOf = (values: readonly unknown[]): readonly string[] =>
  values.map((value) => {
    const { id, error } = value as { id: number; error: { code: number; message: string } };
    return `${id} ${error.code} ${error.message}`;
  });

test('an answer in one piece is sent as it came, and its home knows', () => {
  const { call, visit, ends } = scene();
  call.take(0, { kind: 'sent', status: 201, headers: { 'X-Own': '1' }, text: '{"a":1}' });
  assert.deepEqual([visit.status, visit.json, visit.headers['x-own'], ends], [201, { a: 1 }, '1', [false]]);
  call.take(1, { kind: 'cut' });
  assert.deepEqual([visit.destroyed, ends], [false, [false]], 'what comes after it means nothing');
});

test('an event stream is passed on, and holds no place of a request', async () => {
  const { call, visit, ends, left } = scene();
  call.take(0, begun);
  call.take(1, { kind: 'written', text: 'data: 1\n\n' });
  call.take(2, { kind: 'ended', text: 'data: 2\n\n' });
  assert.deepEqual([visit.events, visit.headers['x-own'], left(), visit.ended], [[1, 2], '1', 1, true]);
  assert.deepEqual(ends, [false]);
  await call.done;
});

test('a stream that ends without a last event, and one that is cut', () => {
  const ended = scene();
  ended.call.take(0, begun);
  ended.call.take(1, { kind: 'ended' });
  assert.deepEqual([ended.visit.written, ended.visit.ended, ended.visit.destroyed], ['', true, false]);
  const cut = scene();
  cut.call.take(0, begun);
  cut.call.take(1, { kind: 'cut' });
  assert.deepEqual([cut.visit.destroyed, cut.ends], [true, [false]]);
});

test('nobody waits for a stream that is read by GET', async () => {
  for (const method of ['GET', 'POST'] as const) {
    const { call } = scene({ method });
    let isDone = false;
    void call.done.then(() => (isDone = true));
    call.take(0, begun);
    await turns();
    assert.equal(isDone, method === 'GET');
  }
});

/** What the client receives: a status, the errors in a body or on a stream, or that the connection is cut. */
const all = { gone: 'gone', silent: 'silent', missed: 'lost between' } as const;
for (const [what, words] of Object.entries(all) as [keyof typeof all, string][])
  test(`each request is told that its answer is ${what}, in one piece or on a stream`, () => {
    for (const [given, form] of [
      [{ ids: [1], accept: 'application/json' }, 'json'],
      [{ ids: [1, 2], accept: 'application/json' }, 'json'],
      [{ ids: [1, 2], accept: 'text/event-stream' }, 'stream'],
    ] as const) {
      const { call, visit, ends } = scene(given);
      call[what]();
      call[what]();
      const body = form === 'json' ? [visit.json].flat() : visit.events;
      const errors = errorsOf(body);
      assert.deepEqual(
        [visit.status, errors.map((text) => text.split(' ', 2).join(' '))],
        [200, given.ids.map((id) => `${id} -32603`)],
      );
      assert.ok(
        errors.every((text) => text.includes(words)),
        errors.join(),
      );
      assert.deepEqual([visit.ended, visit.destroyed, ends], [true, false, [what !== 'gone']]);
    }
  });

test('on a stream that has begun, who is gone or silent is told there, and what was missed is not', () => {
  for (const what of ['gone', 'silent', 'missed'] as const) {
    const { call, visit } = scene();
    call.take(0, begun);
    call[what]();
    assert.deepEqual([visit.events.length, visit.destroyed], what === 'missed' ? [0, true] : [1, false], what);
  }
});

test('what asks nothing is refused by status: gone is 404, silent 503, and what was missed is cut', () => {
  const gone = scene({ ids: [] });
  gone.call.gone();
  assert.deepEqual([gone.visit.status, gone.ends], [404, [false]]);
  const silent = scene({ ids: [] });
  silent.call.silent();
  assert.deepEqual([silent.visit.status, silent.ends], [503, [true]]);
  const missed = scene({ ids: [] });
  missed.call.missed();
  assert.deepEqual([missed.visit.status, missed.visit.destroyed, missed.ends], [undefined, true, [true]]);
});

test('a request that its home did not get is answered 404, and names its id if it came alone', () => {
  for (const [ids, id] of [
    [[7], 7],
    [[7, 8], null],
  ] as const) {
    const { call, visit, ends } = scene({ ids });
    call.unheard();
    call.unheard();
    assert.deepEqual([visit.status, (visit.json as { id: unknown }).id ?? null, ends], [404, id, [false]]);
  }
});

test('a request that its home may have is sent again only if that does no harm and nothing came yet', () => {
  const free = scene({ repeatable: true });
  free.call.doubted();
  free.call.doubted();
  assert.deepEqual([free.visit.status, free.ends], [503, [true]]);
  for (const [given, isBegun] of [
    [{ repeatable: false }, false],
    [{ repeatable: true }, true],
  ] as const) {
    const { call, visit, ends } = scene(given);
    if (isBegun) call.take(0, begun);
    call.doubted();
    assert.deepEqual([visit.ended, ends], [false, []]);
  }
});

test('a part that is not the next one, or that its home does not count, is one that was missed', () => {
  const skipped = scene();
  skipped.call.take(0, begun);
  skipped.call.take(2, { kind: 'ended' });
  assert.equal(skipped.visit.destroyed, true);
  for (const [parts, isMissed] of [
    [1, false],
    [2, true],
    [0, true],
    [undefined, true],
  ] as const) {
    const { call, visit } = scene();
    call.take(0, begun);
    call.stands(parts);
    assert.equal(visit.destroyed, isMissed, String(parts));
    call.stands(9);
  }
});

test('its home was heard of when a part came, or when it said how it stands', () => {
  const { call, pass } = scene();
  pass(5);
  call.take(0, begun);
  assert.equal(call.heardAt, 5);
  pass(5);
  call.stands(1);
  assert.equal(call.heardAt, 10);
});

test('a client that leaves, and a process that ends, are told to the home once', async () => {
  const left = scene();
  left.visit.leave();
  await left.call.done;
  left.call.close();
  left.call.gone();
  left.call.silent();
  assert.deepEqual([left.ends, left.visit.status, left.visit.destroyed], [[true], undefined, false]);
  const closed = scene();
  closed.call.close();
  closed.call.close();
  assert.deepEqual([closed.ends, closed.visit.destroyed], [[true], true]);
});
