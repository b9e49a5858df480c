import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignInStepView } from '../view.ts';
import { SignInSteps } from './sign-in-steps.ts';

const url = 'https://as.example/authorize?state=1';

function steps(): { readonly steps: SignInSteps; last(): readonly SignInStepView[] } {
  let told: readonly SignInStepView[] = [];
  const made = new SignInSteps({
    pauses: () => false,
    isOpen: () => false,
    signal: new AbortController().signal,
    changed: (now) => (told = now),
  });
  return { steps: made, last: () => told };
}

const answer = { status: 200, headers: new Headers(), body: null };

test('the step of the browser is done when the browser is back, and has its page until then', async () => {
  const { steps: made, last } = steps();
  const { signal } = new AbortController();
  const send = made.over(() => () => Promise.resolve(answer));
  await made.wanted(async () => {
    await made.beforePage(signal, url);
    assert.deepEqual(
      last().map(({ part, state, hasPage }) => [part, state, hasPage]),
      [['browser', 'runs', true]],
    );
    assert.equal(made.page, url);
    const body = 'grant_type=authorization_code&code=1';
    await send('https://as.example/token', { method: 'POST', headers: {}, body, signal, redirect: 'manual' });
  });
  assert.equal(made.page, undefined);
  assert.deepEqual(
    last().map(({ part, state }) => [part, state]),
    [
      ['browser', 'done'],
      ['code', 'done'],
      ['token', 'done'],
    ],
  );
});

test('the step of the browser failed if the sign-in ends before the browser is back', async () => {
  const { steps: made, last } = steps();
  const controller = new AbortController();
  await made.wanted(() => made.beforePage(controller.signal, url));
  assert.deepEqual([last()[0]?.state, made.page], ['failed', undefined]);
});
