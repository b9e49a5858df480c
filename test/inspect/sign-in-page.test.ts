/** Signing in at the page of `parley inspect`, in a real browser. */

import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { noBrowser, openInspect, type Look } from '../support/inspect-page.ts';
import { planAt, served } from '../support/inspected.ts';
import { signedInPlan } from '../support/signed-in-plan.ts';

const skip = noBrowser;

const parts = ['challenge', 'metadata', 'issuer', 'registration', 'browser', 'token'];

/** Moves the focus by the key Tab to a control with a name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    const isThere = await page.evaluate(
      `(document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent ?? '').trim() === ${JSON.stringify(name)}`,
    );
    if (isThere === true) return;
  }
  assert.fail(`${name} is not reached by Tab`);
}

test('a person without a mouse pauses a sign-in, lets each step go, renews, and leaves', { skip }, async (t) => {
  const plan = planAt(await served(t, createExampleServer()));
  const { page, accessible, until } = await openInspect(t, [signedInPlan(plan)]);
  const card = page.getByRole('region', { name: 'Server A' });
  await card.getByRole('button', { name: 'Sign in' }).waitFor();
  await tabTo(page, 'Pause at each step');
  await page.keyboard.press('Space');
  await page.locator('.pauses input:checked').waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await card.getByText('challenge, waits').waitFor();
  await tabTo(page, 'Go on');
  for (const part of parts) {
    await card.getByText(`${part}, waits`).waitFor();
    await accessible(`paused before ${part}`);
    // The button that was pressed before has the focus still.
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Go on', part);
    await page.keyboard.press('Enter');
  }
  await page.locator('.server[data-status="connected"]').waitFor();
  await card.getByText(/signed in as ann at as\.example, for read/).waitFor();
  await accessible('signed in');
  await tabTo(page, 'Renew');
  await page.keyboard.press('Enter');
  await page.getByRole('grid', { name: 'Messages' }).getByText('POST /token').nth(1).waitFor();
  await until(`document.activeElement.textContent === 'Renew'`);
  await tabTo(page, 'Sign out');
  await page.keyboard.press('Enter');
  await page.getByText('its tokens could not be revoked').waitFor();
  await page.locator('.server[data-status="closed"]').waitFor();
  assert.equal(await card.getByRole('button', { name: 'Sign out' }).count(), 0);
  // The way back is offered, and no connection that would be refused first.
  await card.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
});

test(
  'a step leads to its request in the wire, and names the requirements that its answer breaks',
  { skip },
  async (t) => {
    const plan = planAt(await served(t, createExampleServer()));
    const { page } = await openInspect(t, [signedInPlan(plan)]);
    const card = page.getByRole('region', { name: 'Server A' });
    await card.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.server[data-status="connected"]').waitFor();
    await card.getByText('Sign-in, step by step').click();
    const metadata = card.getByRole('listitem').filter({ hasText: 'metadata, done' });
    await metadata.getByText('breaks auth-024').waitFor();
    await card.getByRole('listitem').filter({ hasText: 'challenge, done' }).getByText('breaks auth-116').waitFor();
    await metadata.getByRole('button').click();
    await page.getByRole('complementary').getByText('oauth-protected-resource').first().waitFor();
  },
);

const looks: readonly (Look & { readonly what: string })[] = [
  { what: 'narrow and light', width: 360, height: 800 },
  { what: 'narrow and dark', width: 360, height: 800, dark: true },
  { what: 'wide and dark', width: 1_600, dark: true },
];

for (const { what, ...look } of looks)
  test(`a sign-in can be seen and used, ${what}`, { skip }, async (t) => {
    const plan = planAt(await served(t, createExampleServer()));
    const { page, accessible } = await openInspect(t, [signedInPlan(plan)], look);
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    if (look.width === 360) await page.getByRole('button', { name: /^Servers/ }).click();
    const card = page.getByRole('region', { name: 'Server A' });
    await card.getByLabel('Pause at each step').check();
    await accessible('a server that wants a sign-in');
    await card.getByRole('button', { name: 'Sign in' }).click();
    for (const part of parts) {
      await card.getByText(`${part}, waits`).waitFor();
      if (part === 'issuer') {
        await accessible('a paused sign-in');
        assert.equal(await page.evaluate(isWider), false);
      }
      await card.getByRole('button', { name: 'Go on' }).click();
    }
    await card.getByRole('button', { name: 'Renew' }).waitFor();
    await accessible('a login that is kept');
    assert.equal(await page.evaluate(isWider), false);
    // WCAG 2.2, target size.
    for (const button of await card.getByRole('button').all()) {
      const box = await button.boundingBox();
      if (box !== null) assert.ok(box.height >= 24, (await button.textContent()) ?? '');
    }
    await card.getByRole('button', { name: 'Forget' }).click();
    await page.locator('.server[data-status="closed"]').waitFor();
  });
