/** A person who is asked to sign in: by a result that the client comes back to, by a request, or by words alone. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Call } from '../../server/runtime/call.ts';
import { McpError } from '../../protocol/error.ts';
import { createSeal } from '../../sealing/seal.ts';
import { LoginAsking, loginRequired, type LoginAskingOptions, type Work } from './login-question.ts';

const url = 'https://mcp.example.com/sign-in';

/** Asking for a login with a given end; `undefined` is a visit that the consent no longer knows. */
function asked(outcome?: 'granted' | 'declined' | 'failed', { hasGrant = false, agreed = false } = {}) {
  const clock = { now: 0 };
  const log: string[] = [];
  const wishes: unknown[] = [];
  const consent = {
    invite: async ({ by, ...wish }: { readonly by: unknown }) => {
      log.push(`invited by ${String(by)}`);
      wishes.push(wish);
      return { url, visit: 'v' };
    },
    visitOf: async () => (outcome === undefined ? undefined : 'v'),
    outcome: async () => outcome,
  };
  const asking = new LoginAsking({
    signIn: {
      id: 'files',
      name: 'Files',
      requester: 'the bridge',
      waitTimeoutMs: 45_000,
      consent,
      agreed: async () => agreed,
    },
    person: { wanted: ['read'], isSignedIn: async () => hasGrant, signedIn: async () => void log.push('signed in') },
    principal: 'ann',
    seal: createSeal(),
    ttlMs: 100,
    closed: new AbortController().signal,
    now: () => clock.now,
  } as unknown as LoginAskingOptions);
  let isSignedIn = false;
  const work: Work = async (params) => {
    if (!isSignedIn) throw loginRequired();
    return { done: params };
  };
  const call = (more: object = {}, facts: object = {}): Call =>
    ({
      method: 'tools/call',
      client: { info: { name: 'app', title: 'App' }, supports: () => true },
      facts: { resultsAsk: true, elicitation: 'form-and-url', serverRequests: false, ...facts },
      signal: new AbortController().signal,
      ...more,
    }) as unknown as Call;
  return { asking, work, call, log, wishes, clock, signIn: () => (isSignedIn = true) };
}

const failed = (why: string): object => ({
  content: [{ type: 'text', text: `the user is not signed in at Files: ${why}` }],
  isError: true,
});

describe('a stateless client is asked by a result', () => {
  const first = { name: 'x', requestState: 'theirs', inputResponses: { other: {} } };

  async function begun(outcome?: Parameters<typeof asked>[0]) {
    const scene = asked(outcome);
    const { asking, work, call } = scene;
    const result = (await asking.run(first, call(), work)) as Record<string, unknown>;
    const back = async (response: unknown, by = call()): Promise<unknown> =>
      await asking
        .run({ name: 'x', requestState: result['requestState'], inputResponses: { 'sign-in': response } }, by, work)
        .catch((error: McpError) => error.message);
    return { ...scene, result, back };
  }

  test('which has the page, and its request goes on with what it brought', async () => {
    const { result, back, log, signIn } = await begun('granted');
    const params = { mode: 'url', message: 'Sign in at Files, so that the bridge can use it for you.', url };
    assert.deepEqual(result['inputRequests'], { 'sign-in': { method: 'elicitation/create', params } });
    assert.equal(result['resultType'], 'input_required');
    signIn();
    assert.deepEqual(await back({ action: 'accept' }), { done: first });
    assert.deepEqual(log, ['invited by App', 'signed in']);
  });

  test('and nothing is done unless the person agreed and was let in', async () => {
    for (const response of [{ action: 'decline' }, { action: 'cancel' }, {}, 'accept', undefined]) {
      const { back, log } = await begun('granted');
      assert.deepEqual(await back(response), failed('the user did not agree to go there'));
      assert.equal(log.includes('signed in'), false);
    }
    for (const [outcome, why] of [
      ['declined', 'the user declined'],
      ['failed', 'it did not work; try again'],
    ] as const) {
      const { back } = await begun(outcome);
      assert.deepEqual(await back({ action: 'accept' }), failed(why));
    }
  });

  test('again if the link is over and the person did not sign in by another one', async () => {
    const { back, signIn } = await begun();
    const again = (await back({ action: 'accept' })) as Record<string, unknown>;
    assert.equal(again['resultType'], 'input_required');
    signIn();
    assert.deepEqual(await back({ action: 'accept' }), { done: first });
  });

  test('and its request is done once, however often the answer is delivered', async () => {
    for (const fails of [false, true]) {
      const { asking, call, result } = await begun('granted');
      let times = 0;
      const work: Work = async () => {
        times++;
        if (fails) throw new McpError(17, 'no receipt', { data: { times } });
        return { paid: times };
      };
      const params = {
        name: 'x',
        requestState: result['requestState'],
        inputResponses: { 'sign-in': { action: 'accept' } },
      };
      const deliver = async (): Promise<unknown> =>
        await asking.run(params, call(), work).catch(({ code, message, data }: McpError) => ({ code, message, data }));
      const outcomes = [...(await Promise.all([deliver(), deliver()])), await deliver()];
      const expected = fails ? { code: 17, message: 'no receipt', data: { times: 1 } } : { paid: 1 };
      assert.deepEqual([outcomes, times], [Array(3).fill(expected), 1]);
    }
  });

  test('whose state is good for a while, and its outcome for longer', async () => {
    const { back, clock, signIn } = await begun('granted');
    signIn();
    clock.now = 100;
    assert.deepEqual(await back({ action: 'accept' }), { done: first });
    clock.now = 101;
    assert.deepEqual(await back({ action: 'accept' }), { done: first });
    const late = await begun('granted');
    late.signIn();
    late.clock.now = 101;
    assert.match(String(await late.back({ action: 'accept' })), /it is too old; begin again only if it may run twice/);
  });
});

describe('a client that cannot be shown a page', () => {
  const bare = { client: { info: undefined, supports: () => false } };

  test('is told the address in the result of a tool', async () => {
    const { asking, work, call } = asked();
    const told = failed(`the user must open ${url} in a browser, and this must be called again afterwards`);
    assert.deepEqual(await asking.run({}, call(bare), work), told);
  });

  test('is told by an error elsewhere, with the page where its version has that', async () => {
    for (const [facts, kind] of [
      [{ serverRequests: true }, 'urlElicitationRequired'],
      [{ serverRequests: false }, 'internalError'],
      [{ serverRequests: true, elicitation: 'form' }, 'internalError'],
    ] as const) {
      const { asking, work, call } = asked();
      await assert.rejects(asking.run({}, call({ ...bare, method: 'prompts/get' }, facts), work), (error: McpError) => {
        const { elicitations = [] } = (error.data ?? {}) as { elicitations?: readonly { url: string }[] };
        const hasPage = kind === 'urlElicitationRequired';
        return (
          error.kind === kind && error.message.includes(url) && elicitations[0]?.url === (hasPage ? url : undefined)
        );
      });
    }
  });
});

test('another failure is not asked about', async () => {
  const { asking, call, log } = asked();
  const other = new McpError('internalError', 'x');
  await assert.rejects(
    asking.run({}, call(), async () => {
      throw other;
    }),
    other,
  );
  assert.deepEqual(log, []);
});

test('a person who is signed in is asked for consent to a new client alone', async () => {
  for (const [hasGrant, agreed, consentOnly] of [
    [true, false, true],
    [true, true, false],
    [false, false, false],
    [false, true, false],
  ] as const) {
    const { asking, work, call, wishes } = asked('granted', { hasGrant, agreed });
    await asking.run({}, call({ auth: { clientId: 'c' } }), work);
    const scopes = consentOnly ? [] : ['read'];
    assert.deepEqual(wishes, [{ principal: 'ann', party: 'files', scopes, client: 'c', consentOnly }]);
  }
});
