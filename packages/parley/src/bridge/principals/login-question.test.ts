/** People who are asked to sign in, and take their time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import { McpError } from '../../protocol/error.ts';
import type { Call } from '../../server/runtime/call.ts';
import { LoginAsking, loginRequired, type LoginAskingOptions } from './login-question.ts';

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
    signIn: { id: 'files', name: 'Files', requester: 'bridge', waitTimeoutMs: 45_000, consent: { invite, outcome } },
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

/** A client of one kind, and a person whose login ends in one way. */
function asked({ outcome = 'granted' as unknown, action = 'accept', canOpen = true, call = {} } = {}) {
  const sent: unknown[] = [];
  let isSignedIn = false;
  const parts = {
    signIn: {
      id: 'files',
      name: 'Files',
      requester: 'bridge',
      waitTimeoutMs: 45_000,
      agreed: async () => false,
      consent: {
        invite: async (wish: object) => {
          sent.push(wish);
          return { url: 'https://mcp.example.com/sign-in', visit: {} };
        },
        outcome: async (_: unknown, signal: AbortSignal) => {
          signal.throwIfAborted();
          if (outcome instanceof Error) throw outcome;
          return outcome;
        },
      },
    },
    person: {
      wanted: ['read'],
      isSignedIn: async () => isSignedIn,
      signedIn: async () => void (isSignedIn = true),
    },
    principal: 'ann',
    closed: new AbortController().signal,
  } as unknown as LoginAskingOptions;
  const of = {
    method: 'tools/call',
    client: { info: { name: 'c', title: 'Chat' }, supports: () => canOpen },
    facts: { resultsAsk: false, elicitation: 'form-and-url', serverRequests: true },
    signal: new AbortController().signal,
    auth: { principal: 'ann', clientId: 'chat' },
    session: {
      ask: async (_: string, { elicitationId: _id, ...question }: Readonly<Record<string, unknown>>) => {
        sent.push(question);
        return { action };
      },
      notify: (method: string) => void sent.push(method),
    },
    ...call,
  } as unknown as Call;
  let runs = 0;
  const work = async (): Promise<unknown> => {
    runs++;
    if (!isSignedIn) throw loginRequired();
    return { done: true };
  };
  const run = async (): Promise<unknown> =>
    await new LoginAsking(parts).run({}, of, work).catch((error: unknown) => error);
  return { run, sent, runs: () => runs };
}

const question = {
  mode: 'url',
  message: 'Sign in at Files, so that bridge can use it for you.',
  url: 'https://mcp.example.com/sign-in',
};
const wish = { principal: 'ann', party: 'files', scopes: ['read'], by: 'Chat', client: 'chat', consentOnly: false };

function failed(text: string): object {
  return { content: [{ type: 'text', text: `the user is not signed in at Files: ${text}` }], isError: true };
}

test('a person who signs in has the request run again, and the client hears that the login is complete', async () => {
  const { run, sent, runs } = asked();
  assert.deepEqual(await run(), { done: true });
  assert.deepEqual(sent, [wish, question, 'notifications/elicitation/complete']);
  assert.equal(runs(), 2);
});

for (const [title, setup, text] of [
  ['declines the question', { action: 'decline' }, 'the user did not agree to go there'],
  ['declines on the page', { outcome: 'declined' }, 'the user declined'],
  ['comes to a page that fails', { outcome: 'failed' }, 'it did not work; try again'],
] as const)
  test(`a person who ${title} has no request run again, and the model reads why`, async () => {
    const { run, sent, runs } = asked(setup);
    assert.deepEqual(await run(), failed(text));
    assert.equal(runs(), 1);
    assert.equal(sent.includes('notifications/elicitation/complete'), false);
    const other = asked({ ...setup, call: { method: 'resources/read' } });
    const error = await other.run();
    assert.ok(error instanceof McpError);
    assert.deepEqual([error.kind, error.message], ['internalError', `the user is not signed in at Files: ${text}`]);
  });

test('a link that has expired leads to the next one, unless the person signed in by another', async () => {
  const { run, runs } = asked({ outcome: 'over' });
  assert.deepEqual(await run(), { done: true });
  assert.equal(runs(), 2);
});

test('a wait that fails or is cancelled fails the request', async () => {
  const error = new Error('the store is away');
  assert.equal(await asked({ outcome: error }).run(), error);
  const reason = new Error('cancelled');
  assert.equal(await asked({ call: { signal: AbortSignal.abort(reason) } }).run(), reason);
});

test('a client that cannot be asked is told the link, each method in its way', async () => {
  const text =
    'the user must open https://mcp.example.com/sign-in in a browser, and this must be called again afterwards';
  for (const setup of [{ canOpen: false }, { call: { session: undefined } }]) {
    const { run, runs, sent } = asked(setup);
    assert.deepEqual([await run(), runs(), sent], [failed(text), 1, [wish]]);
  }
  const read = { method: 'resources/read', session: undefined };
  const error = await asked({ call: read }).run();
  assert.ok(error instanceof McpError);
  const { elicitations } = error.data as { readonly elicitations: readonly Readonly<Record<string, unknown>>[] };
  const { elicitationId, ...told } = elicitations[0] ?? {};
  assert.deepEqual([error.kind, error.message, told], ['urlElicitationRequired', text, question]);
  assert.equal(typeof elicitationId, 'string');
  for (const facts of [
    { resultsAsk: false, elicitation: 'form', serverRequests: true },
    { resultsAsk: false, elicitation: 'form-and-url', serverRequests: false },
  ]) {
    const other = await asked({ call: { ...read, facts } }).run();
    assert.ok(other instanceof McpError);
    assert.deepEqual([other.kind, other.message], ['internalError', `the user is not signed in at Files: ${text}`]);
  }
});
