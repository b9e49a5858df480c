import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdleSessions } from './idle-sessions.ts';
import type { HttpSession } from './session.ts';

/** As much of a session as its place in the order needs. */
interface FakeSession {
  readonly owner: string;
  isBusy: boolean;
}

function sessions(): {
  readonly idle: IdleSessions;
  open(owner: string): FakeSession;
  set(session: FakeSession, isBusy: boolean): void;
} {
  const idle = new IdleSessions();
  // The order reads nothing else of a session.
  const whole = (session: FakeSession): HttpSession => session as HttpSession;
  return {
    idle,
    open(owner) {
      const session = { owner, isBusy: false };
      idle.add(whole(session));
      return session;
    },
    set(session, isBusy) {
      session.isBusy = isBusy;
      idle.changed(whole(session));
    },
  };
}

test('the session that is idle longest comes first, of the owner with the most', () => {
  const { idle, open, set } = sessions();
  const modest = open('modest');
  const [first, second, third] = [open('greedy'), open('greedy'), open('greedy')];
  assert.equal(idle.next(), first);
  assert.equal(idle.longest(), modest);
  set(first, true);
  assert.equal(idle.next(), second);
  set(first, false);
  assert.equal(idle.next(), second);
  idle.delete(second as HttpSession);
  assert.equal(idle.next(), third);
});

test('an owner whose sessions are all busy gives none', () => {
  const { idle, open, set } = sessions();
  const modest = open('modest');
  const greedy = [open('greedy'), open('greedy')];
  for (const session of greedy) set(session, true);
  assert.equal(idle.next(), modest);
  set(modest, true);
  assert.equal(idle.next(), undefined);
  assert.equal(idle.longest(), undefined);
});

test('finding the next session reads few of 10,000', () => {
  const idle = new IdleSessions();
  let reads = 0;
  for (let at = 0; at < 10_000; at++) {
    const session = {
      get owner() {
        reads++;
        return `owner ${at % 5_000}`;
      },
      isBusy: false,
    };
    idle.add(session as HttpSession);
  }
  reads = 0;
  for (let at = 0; at < 100; at++) idle.delete(idle.next() ?? assert.fail());
  assert.ok(reads < 1_000, `${reads} reads`);
});
