/** Requests to a server that wants somebody to sign in: they wait for that, and are made again. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import { AuthorizationError } from '../../auth/common/errors.ts';
import type { Call } from '../../server/runtime/call.ts';
import { McpError } from '../../protocol/error.ts';
import type { LoginPage, LoginWanted } from '../upstream-login.ts';
import { SignInForwarder, openSignInForwarder } from './sign-in-forwarder.ts';

const page: LoginPage = { url: 'https://as.example/login', message: 'Sign in at as.example' };
const required = (scopes?: readonly string[]): Error =>
  new McpError('internalError', 'refused', {
    cause: new AuthorizationError('login-required', 'nobody is signed in', scopes && { scopes }),
  });
const broken = new McpError('internalError', 'x', { cause: new AuthorizationError('discovery', 'no metadata') });

/** A doorway whose person signs in when the test says so. */
function scene({ canAsk = true } = {}) {
  const log: string[] = [];
  const state: { isSignedIn: boolean; wanted?: LoginWanted; over: (error?: Error) => void } = {
    isSignedIn: false,
    over: () => undefined,
  };
  const signIn = (wanted: LoginWanted): Promise<void> => {
    state.wanted = wanted;
    log.push(`login ${String(wanted.scopes)} ${wanted.atStart ? 'at the start' : 'for a call'}`);
    return new Promise(
      (resolve, reject) => (state.over = (error) => (error === undefined ? resolve() : reject(error))),
    );
  };
  const login = { known: async () => undefined, keep: async () => undefined, ...(canAsk && { signIn }) };
  const signInForwarder = new SignInForwarder({
    login,
    reach: async () => undefined,
    signedIn: () => log.push('changed'),
  });
  const handler = signInForwarder.within(async (params) => {
    if (!state.isSignedIn) throw required(['read']);
    return { done: params };
  });
  const ask = (by: Call, params: object = {}): { said: unknown } => {
    const outcome: { said: unknown } = { said: 'waits' };
    Promise.resolve(handler(params as never, by)).then(
      (result) => (outcome.said = result),
      (error: unknown) => (outcome.said = error instanceof Error ? error.message : error),
    );
    return outcome;
  };
  const signedIn = async (): Promise<void> => {
    state.isSignedIn = true;
    state.over();
    await settle();
  };
  return { signInForwarder, state, log, ask, signedIn, handler };
}

/** A call of a client, and what it was sent. */
function callOf(more: object = {}) {
  const progress: unknown[] = [];
  let abort = (): void => undefined;
  const call = {
    method: 'tools/call',
    aborted: false,
    over: false,
    client: { supports: () => true },
    session: undefined,
    progress: (...given: readonly unknown[]) => progress.push(given),
    onAbort: (run: () => void) => (abort = run),
    ...more,
  };
  return { call: call as never as Call, progress, abort: () => abort() };
}

/** A call in a session whose client answers a question so. */
const inSession = (answer: (() => unknown) | undefined) =>
  callOf({ session: { ask: async () => answer?.() }, client: { supports: () => answer !== undefined } });

describe('a request that a server refuses for want of a login', () => {
  test('is made again after it, with every other that waits, and the server may offer more then', async () => {
    const { ask, signedIn, log, state } = scene();
    const [one, other] = [ask(callOf().call, { a: 1 }), ask(callOf().call)];
    await settle();
    assert.deepEqual([one.said, other.said, log], ['waits', 'waits', ['login read for a call']]);
    await signedIn();
    assert.deepEqual([one.said, other.said], [{ done: { a: 1 } }, { done: {} }]);
    assert.deepEqual(log.splice(0), ['login read for a call', 'changed']);
    state.isSignedIn = false;
    ask(callOf().call);
    await settle();
    assert.deepEqual(log, ['login read for a call']);
  });

  test('fails if it is refused again', async () => {
    const { ask, state } = scene();
    const outcome = ask(callOf().call);
    await settle();
    state.over();
    await settle();
    assert.equal(outcome.said, 'the upstream server cannot be used: nobody is signed in');
  });

  test('fails if the login does, or nobody can be asked', async () => {
    const { ask, state, log } = scene();
    const outcome = ask(callOf().call);
    await settle();
    state.over(new AuthorizationError('timeout', 'nobody came'));
    await settle();
    assert.deepEqual(
      [outcome.said, log.includes('changed')],
      ['the upstream server cannot be used: nobody came', false],
    );
    const without = scene({ canAsk: false }).ask(callOf().call);
    await settle();
    assert.equal(without.said, 'the upstream server cannot be used: nobody is signed in');
  });

  test('is no longer waited for when it is cancelled, and the login goes on for others', async () => {
    const { ask, signedIn, state } = scene();
    const { call, abort } = callOf();
    const [one, other] = [ask(call), ask(callOf().call)];
    await settle();
    abort();
    await settle();
    assert.deepEqual(
      [one.said, other.said, state.wanted?.signal.aborted],
      ['the request was cancelled', 'waits', false],
    );
    await signedIn();
    assert.deepEqual(other.said, { done: {} });
  });

  test('reports that it waits every ten seconds, until it ends', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { ask, signedIn } = scene();
    const { call, progress } = callOf();
    ask(call);
    await settle();
    t.mock.timers.tick(9_999);
    assert.deepEqual(progress, [[0.000001, undefined, 'waiting for you to sign in']]);
    t.mock.timers.tick(1);
    assert.equal(progress.length, 2);
    await signedIn();
    t.mock.timers.tick(60_000);
    assert.equal(progress.length, 2);
  });
});

test('another failure, and one of a call that was cancelled, is passed on', async () => {
  const { signInForwarder } = scene();
  const error = new McpError('invalidParams', 'no such tool');
  const failing = (cause: Error, aborted = false): Promise<unknown> =>
    Promise.resolve(
      signInForwarder.within(async () => {
        throw cause;
      })({}, callOf({ aborted }).call),
    );
  await assert.rejects(failing(error), error);
  const refused = required();
  await assert.rejects(failing(refused, true), refused);
  await assert.rejects(failing(broken), /the upstream server cannot be used: no metadata/);
});

describe('the page of a login', () => {
  test('is shown to the first client that can be asked, in its session', async () => {
    const { ask, state } = scene();
    ask(inSession(undefined).call);
    await settle();
    const questions: unknown[] = [];
    const { call } = callOf({
      session: { ask: async (...given: readonly unknown[]) => (questions.push(given[1]), { action: 'accept' }) },
    });
    ask(call);
    await settle();
    assert.equal(await state.wanted?.show(page), true);
    const [{ elicitationId, ...question }] = questions as [Record<string, unknown>];
    assert.deepEqual(question, { mode: 'url', ...page });
    assert.equal(typeof elicitationId, 'string');
  });

  test('is passed to the next one if a client cannot be asked after all', async () => {
    const { ask, state } = scene();
    const failing = inSession(() => {
      throw new Error('gone');
    });
    ask(failing.call);
    await settle();
    assert.equal(await state.wanted?.show(page), false);
    ask(inSession(() => ({ action: 'accept' })).call);
    await settle();
    assert.equal(await state.wanted?.show(page), true);
  });

  test('that is declined ends the login', async () => {
    const { ask, state } = scene();
    ask(inSession(() => ({ action: 'decline' })).call);
    await settle();
    await assert.rejects(async () => await state.wanted?.show(page), /was declined/);
  });

  test('ends the first round of a stateless call, which comes back with the answer', async () => {
    const { ask, state, signedIn } = scene();
    const first = ask(callOf().call, { a: 1 });
    await settle();
    assert.equal(await state.wanted?.show(page), true);
    await settle();
    const key = 'parley-login';
    assert.deepEqual(first.said, {
      resultType: 'input_required',
      inputRequests: { [key]: { method: 'elicitation/create', params: { mode: 'url', ...page } } },
    });
    const answer = (action: string, more: object = {}) => ({ a: 1, inputResponses: { [key]: { action }, ...more } });
    const again = ask(callOf().call, answer('accept'));
    const answered = ask(callOf().call, answer('accept', { other: {} }));
    await settle();
    // In the middle of rounds a call has answers that would be lost.
    assert.deepEqual([again.said, answered.said], ['waits', 'waits']);
    await signedIn();
    assert.deepEqual(
      [again.said, answered.said],
      [{ done: { a: 1 } }, { done: { a: 1, inputResponses: { other: {} } } }],
    );
  });

  test('that a stateless client declines gives the login up', async () => {
    const { ask, state } = scene();
    ask(callOf().call);
    await settle();
    await state.wanted?.show(page);
    const back = ask(callOf().call, { inputResponses: { 'parley-login': { action: 'decline' } } });
    await settle();
    assert.deepEqual(
      [back.said, state.wanted?.signal.aborted],
      ['the login that the upstream server wants was declined', true],
    );
  });

  test('is not shown by a call in the middle of its rounds, nor by one of a method that cannot ask', async () => {
    for (const [params, more] of [
      [{ requestState: 's' }, {}],
      [{ inputResponses: { other: {} } }, {}],
      [{}, { method: 'tools/list' }],
    ] as const) {
      const { ask, state } = scene();
      ask(callOf(more).call, params);
      await settle();
      assert.equal(await state.wanted?.show(page), false);
    }
  });
});

test('a login without a call is at the start, and closing the doorway gives it up', async () => {
  const { signInForwarder, log, state } = scene();
  const signing = signInForwarder.signIn({ mendable: true, message: 'm', scopes: ['a', 'b'] });
  assert.deepEqual([log, await state.wanted?.show(page)], [['login a,b at the start'], false]);
  signInForwarder.close();
  assert.equal(state.wanted?.signal.aborted, true);
  state.over();
  await signing;
  await assert.rejects(
    scene({ canAsk: false }).signInForwarder.signIn({ mendable: true, message: 'm', scopes: [] }),
    /cannot be used: m/,
  );
});

describe('a bridge that begins', () => {
  function opening(failures: readonly (Error | undefined)[], known = false) {
    const log: string[] = [];
    const left = [...failures];
    const client = { revision: '2025-11-25', capabilities: {}, negotiated: {} };
    const main = {
      client: async () => {
        log.push('reach');
        const failure = left.shift();
        if (failure !== undefined) throw failure;
        return client;
      },
    };
    const opened = openSignInForwarder({
      login: {
        known: async () => (known ? { revision: '2025-11-25' as const, capabilities: {} } : undefined),
        keep: async () => void log.push('keep'),
        signIn: async () => void log.push('login'),
      },
      pool: { main, close: async () => void log.push('close') } as never,
      learned: async () => void log.push('learned'),
      changed: () => log.push('changed'),
      onWarning: (message) => log.push(message),
      signal: undefined,
    });
    return { opened, log };
  }

  test('has somebody sign in if nothing is known of the server, and reaches it then', async () => {
    const { opened, log } = opening([required()]);
    assert.equal((await opened).known, undefined);
    assert.deepEqual(log, ['reach', 'login', 'changed', 'reach', 'learned', 'keep']);
  });

  test('is not there if the server cannot be reached all the same', async () => {
    const again = opening([required(), broken]);
    await assert.rejects(again.opened, /no metadata/);
    assert.deepEqual(again.log, ['reach', 'login', 'changed', 'reach', 'close']);
    const never = opening([broken]);
    await assert.rejects(never.opened, /no metadata/);
    assert.deepEqual(never.log, ['reach', 'close']);
  });

  test('stands by what was known of a server that wants a login, and warns', async () => {
    const { opened, log } = opening([required()], true);
    assert.deepEqual((await opened).known, { revision: '2025-11-25', capabilities: {} });
    assert.deepEqual(log, ['reach', 'the server is not reached yet: nobody is signed in']);
  });

  test('fails for another reason though the server was known', async () => {
    const { opened, log } = opening([new McpError('internalError', 'x', { cause: new Error('no network') })], true);
    await assert.rejects(opened, /no network/);
    assert.deepEqual(log, ['reach', 'close']);
  });
});
