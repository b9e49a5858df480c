/** People who are asked to sign in, and take their time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import type { Call } from '../../server/runtime/call.ts';
import { LoginAsking, loginRequired, type LoginAskingOptions } from './asking.ts';

test('a client that asks again and again leaves no more waiting than a few, the newest of which it hears of', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const waiting = new Map<string, (outcome: 'granted') => void>();
  let visits = 0;
  const outcome = ({ id }: { readonly id: string }, signal: AbortSignal): Promise<'granted'> =>
    new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      signal.addEventListener('abort', () => {
        waiting.delete(id);
        reject(signal.reason as Error);
      });
    });
  const invite = async (): Promise<unknown> => ({
    url: 'https://mcp.example.com/sign-in',
    visit: { id: `${++visits}` },
  });
  // No more of it is used here.
  const parts = {
    signIn: { id: 'files', name: 'Files', asker: 'bridge', waitTimeoutMs: 45_000, consent: { invite, outcome } },
    person: { wanted: [], isSignedIn: async () => false },
    principal: 'ann',
    closed: new AbortController().signal,
  } as unknown as LoginAskingOptions;
  const heard: string[] = [];
  const call = {
    method: 'tools/call',
    client: { info: undefined, supports: () => true },
    facts: { resultsAsk: false },
    signal: new AbortController().signal,
    session: {
      ask: async () => ({ action: 'accept' }),
      notify: (method: string) => void heard.push(method),
    },
  } as unknown as Call;
  const asking = new LoginAsking(parts);
  for (let times = 0; times < 100; times++) {
    const asked = assert.rejects(
      asking.run({}, call, async () => {
        throw loginRequired();
      }),
      /sign in first/,
    );
    await settle();
    t.mock.timers.tick(45_000);
    await asked;
  }
  await settle();
  assert.equal(waiting.size, 8);
  waiting.get('100')?.('granted');
  await settle();
  assert.deepEqual(heard, ['notifications/elicitation/complete']);
});
