/** A process of a schedule: it sends requests to a server that wants a login, until all is calm and it has got through. */

import type { Fetch } from '../../../packages/parley/src/jsonrpc/fetch.ts';
import { setTimeout } from 'node:timers/promises';
import { AuthorizationError } from '../../../packages/parley/src/auth/common/errors.ts';
import type { RedirectRequest } from '../../../packages/parley/src/auth/common/redirect.ts';
import { carrier } from '../../../packages/parley/src/transports/http/client/authorized.ts';
import { fileCredentialStore } from '../../../packages/parley/src/transports/node/credentials/file-credentials.ts';
import { oauth } from '../../../packages/parley/src/auth/client/interactive/oauth.ts';
import { randomOf } from '../../support/random.ts';
import { Deaths } from './deaths.ts';
import { nameHeader, type Orders, type Said, type Told } from './messages.ts';

// Written by the schedule that started it.
const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
const random = randomOf(orders.seed);
const deaths = new Deaths(orders);
const url = new URL(orders.url);
let calm = orders.calm;
let asked = 0;
let isThrough = false;
const answers = new Map<number, (callback: string) => void>();

deaths.arm();
process.on('message', (told: Told) => {
  if (told.kind === 'calm') calm = true;
  else answers.get(told.id)?.(told.url);
});
// Without the schedule there is nothing to be shown.
process.on('disconnect', () => process.exit(isThrough ? 0 : 2));
const call = callerOf(carry());
await live();
process.disconnect();

function say(said: Said): void {
  process.send?.(said);
}

/** Requests, some at once, until all is calm; then it must get through. */
async function live(): Promise<void> {
  const running = new Set<Promise<unknown>>();
  while (!calm) {
    const one = call().finally(() => running.delete(one));
    running.add(one);
    if (random.chance(0.6) || running.size > 3) await one;
    await setTimeout(random.chance(0.3) ? 0 : random.whole(0, 1_500));
  }
  await Promise.all(running);
  for (let tries = 0; tries < 15; tries++) {
    if ((await call()) === '200') {
      isThrough = true;
      say({ kind: 'through' });
      return;
    }
    await setTimeout(3_000);
  }
}

function carry(): ReturnType<typeof carrier> {
  const send: Fetch = async (href, request) => {
    const isRenewal = String(request.body ?? '').includes('grant_type=refresh_token');
    if (isRenewal) deaths.at('before the request');
    const headers = { ...(request.headers as Record<string, string>), [nameHeader]: orders.name };
    const response = await fetch(href, { ...request, headers } as RequestInit);
    if (isRenewal) deaths.at('when the request was answered');
    return response;
  };
  const auth = oauth({
    redirect: person,
    redirectUri: 'http://127.0.0.1:4711/callback',
    store: deaths.in(fileCredentialStore({ folder: orders.folder })),
    loginTimeoutMs: 20_000,
    fetch: send,
  });
  return carrier(
    { fetch: (href, request) => fetch(href, { ...request, credentials: 'omit' } as RequestInit) },
    { url, credentials: {}, description: url.href },
    { auth },
  );
}

/** The person, who sits with the schedule. */
async function person(request: RedirectRequest, signal: AbortSignal): Promise<string> {
  deaths.at('asking a person, before anybody is asked');
  const id = ++asked;
  const callback = new Promise<string>((resolve, reject) => {
    answers.set(id, resolve);
    // The reason is what the owner of the signal gave.
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  say({ kind: 'asks', id, url: request.url, reason: request.reason });
  try {
    return await callback;
  } finally {
    answers.delete(id);
    say({ kind: 'asks no longer', id });
  }
}

/** Makes what sends one request, and says what came of it and how long it took, persons not counted. */
function callerOf(send: ReturnType<typeof carrier>): () => Promise<string> {
  return async () => {
    let [waited, from]: [number, number | undefined] = [0, performance.now()];
    const waiting = (isAsked: boolean): void => {
      if (from !== undefined) waited = Math.max(waited, performance.now() - from);
      if (isAsked) from = undefined;
      else from ??= performance.now();
    };
    const { signal } = new AbortController();
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'any' } } as const;
    const outcome = await send(
      url,
      { method: 'POST', headers: {}, body: '{}', redirect: 'manual', signal },
      { method: 'POST', own: {}, signal, sent: { message, options: { clocks: { waiting } } } },
    ).then(
      async (response) => (await drained(response), String(response.status)),
      (error: unknown) => (error instanceof AuthorizationError ? error.message : `unexpected ${String(error)}`),
    );
    waiting(true);
    say({ kind: 'called', outcome, ms: Math.round(waited) });
    return outcome;
  };
}

async function drained(response: object): Promise<void> {
  if (response instanceof Response) await response.arrayBuffer();
}
