/** Which waits keep the process alive: those on which somebody counts who has nothing else that does. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pauses } from '../packages/parley/src/client/connection/backoff.ts';
import { inTime } from '../packages/parley/src/client/connection/deliver.ts';
import { waitFor } from '../packages/parley/src/client/api/wait-for.ts';
import { SessionCheck } from '../packages/parley/src/transports/http/client/session-check.ts';
import { settledWithin } from '../packages/parley/src/jsonrpc/timeout.ts';
import { pauseFor } from '../packages/parley/src/auth/client/site.ts';
import { insistent } from '../packages/parley/src/connection/relay/insistent.ts';
import { keptAlive } from './support/kept-alive.ts';
import { turns } from './support/turns.ts';

/** Begins a wait, which the signal ends. */
type Wait = (signal: AbortSignal, ended: Promise<void>) => Promise<unknown>;

const waits: readonly (readonly [what: string, keeps: boolean, wait: Wait])[] = [
  [
    'a pause before a stream is opened again',
    true,
    (signal) => {
      const pause = new Pauses();
      signal.addEventListener('abort', () => pause.wake());
      return pause.wait(60_000);
    },
  ],
  ['a pause of a login', true, (signal) => pauseFor(60_000, signal)],
  ['a limited wait for the end of something', true, (_, ended) => settledWithin(60_000, ended)],
  [
    'a question whether a session is known',
    true,
    (_, ended) => {
      const send = async (): Promise<never> => (await ended, Promise.reject(new Error('over')));
      return new SessionCheck({ session: 's', initialize: '{}', send }).isGone(400);
    },
  ],
  [
    'a pause before something is told once more',
    true,
    (signal) => {
      const bus = insistent({ publish: () => 0, subscribe: () => () => undefined });
      signal.addEventListener('abort', () => bus.close());
      return Promise.resolve(bus.publish('c', 'x'));
    },
  ],
  ['the time of an answer', false, (_, ended) => inTime(60_000, () => ended)],
  ['the time of a request', false, (_, ended) => waitFor(ended, { method: 'x', ms: 60_000 })],
];

for (const [what, keeps, wait] of waits)
  test(`${what} ${keeps ? 'keeps' : 'does not keep'} the process alive, and nothing does after it`, async (t) => {
    const timers = keptAlive(t);
    const stop = new AbortController();
    const ended = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
    const waiting = wait(stop.signal, ended).catch(() => undefined);
    await turns();
    assert.equal(timers(), keeps ? 1 : 0);
    stop.abort();
    await waiting;
    assert.equal(timers(), 0);
  });
