import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ForwardedCall } from './forwarded-call.ts';
import { ConnectionCalls } from './connection-calls.ts';
import { OrphanedCalls } from './orphaned-calls.ts';

interface Given {
  readonly principal?: string;
  readonly state?: object;
  readonly logLevel?: string;
  readonly asks?: boolean;
  readonly isAborted?: boolean;
}

/** Parts of a call that a connection looks at. */
function call({ principal, state, logLevel, asks = false, isAborted = false }: Given = {}): ForwardedCall {
  const auth = principal === undefined ? undefined : { principal };
  const signal = isAborted ? AbortSignal.abort() : new AbortController().signal;
  const ask = asks ? async () => ({}) : undefined;
  return { auth, session: state && { state }, logLevel, signal, ask } as unknown as ForwardedCall;
}

function calls() {
  const orphans = new OrphanedCalls(() => undefined);
  return { orphans, calls: new ConnectionCalls(orphans) };
}

test('calls are known from when they were carried, and by their id from when they were sent', () => {
  const { calls: own } = calls();
  const [one, two] = [call(), call()];
  const [forwarded] = [own.carry(one), own.carry(two)];
  const sent = own.send({ call: two, id: 3 });
  assert.deepEqual([own.size, own.forwarded, own.running], [2, [one, two], [two]]);
  assert.deepEqual([own.sentAs(3), own.sentAs(4), own.sentAs(undefined)], [two, undefined, undefined]);
  forwarded.leave();
  sent.leave();
  assert.deepEqual([own.size, own.forwarded, own.running, own.sentAs(3)], [1, [two], [], undefined]);
});

test('a log message may be late after calls of two clients since the server began', () => {
  const { calls: own } = calls();
  const [state, other] = [{}, {}];
  own.carry(call({ principal: 'a' })).leave();
  own.carry(call({ principal: 'a' })).leave();
  assert.equal(own.mayLogLate(false), false);
  own.carry(call({ principal: 'a', state })).leave();
  assert.equal(own.mayLogLate(false), true);
  own.begunAnew();
  assert.equal(own.mayLogLate(false), false);
  const lasting = own.carry(call({ state }));
  own.begunAnew();
  own.carry(call({ state: other })).leave();
  assert.equal(own.mayLogLate(false), true);
  lasting.leave();
});

test('of a stateless server, only calls that want log messages count for that', () => {
  const { calls: own } = calls();
  const wanting = (state: object): ForwardedCall => call({ state, logLevel: 'debug' });
  const [state, other] = [{}, {}];
  own.carry(wanting(state)).leave();
  own.carry(call({ state: other })).leave();
  assert.deepEqual([own.mayLogLate(true), own.mayLogLate(false)], [false, true]);
  own.carry(wanting(other)).leave();
  assert.equal(own.mayLogLate(true), true);
  own.begunAnew();
  const lasting = own.carry(wanting(state));
  own.begunAnew();
  own.carry(wanting(other)).leave();
  assert.equal(own.mayLogLate(true), true);
  lasting.leave();
});

test('a thousand tasks are remembered, and the oldest is forgotten', () => {
  const { calls: own } = calls();
  assert.equal(own.hasTasks, false);
  for (let count = 0; count <= 1_000; count++) own.began(`${count}`);
  for (let count = 1; count < 1_000; count++) own.ended(`${count}`);
  assert.equal(own.hasTasks, true);
  own.ended('0');
  assert.equal(own.hasTasks, true);
  own.ended(1_000);
  assert.equal(own.hasTasks, false);
  for (let count = 0; count < 1_000; count++) own.began(`${count}`);
  for (let count = 1; count < 1_000; count++) own.ended(`${count}`);
  assert.equal(own.hasTasks, true);
});

test('nobody is asked on a connection without tasks and without calls that may be asked', () => {
  const { calls: own } = calls();
  assert.equal(own.asksNobody, true);
  own.carry(call());
  own.carry(call({ asks: true, isAborted: true }));
  assert.equal(own.asksNobody, true);
  const asking = own.carry(call({ asks: true }));
  assert.equal(own.asksNobody, false);
  asking.leave();
  own.began('1');
  assert.equal(own.asksNobody, false);
});

test('the level of a connection is the lowest that a call wants', () => {
  const { calls: own } = calls();
  own.carry(call());
  assert.equal(own.maxTalkative, undefined);
  for (const logLevel of ['error', 'info', 'warning']) own.carry(call({ logLevel }));
  assert.equal(own.maxTalkative, 'info');
});

test('log messages belong to a call if every other call is of its session, or wants none', () => {
  const state = {};
  const cases: readonly (readonly [string, ForwardedCall, boolean, boolean])[] = [
    ['no other call', call(), true, true],
    ['of the same session', call({ state }), true, true],
    ['of another session', call({ state: {}, logLevel: 'info' }), false, false],
    ['without a level', call(), false, true],
    ['with a level', call({ logLevel: 'info' }), false, false],
  ];
  for (const [title, other, always, whereAsked] of cases) {
    const { calls: own, orphans } = calls();
    const one = call({ state, logLevel: 'debug' });
    own.carry(one);
    if (title !== 'no other call') own.carry(other);
    assert.deepEqual([own.areLogsOf(one, false), own.areLogsOf(one, true)], [always, whereAsked], title);
    orphans.forever();
    assert.deepEqual([own.areLogsOf(one, false), own.areLogsOf(one, true)], [false, false], title);
  }
  const { calls: own, orphans } = calls();
  const one = call({ logLevel: 'debug' });
  own.carry(one);
  const answered = orphans.of({ logLevel: 'info', session: undefined });
  assert.equal(own.areLogsOf(one, true), false);
  answered();
  assert.equal(own.areLogsOf(one, true), true);
});
