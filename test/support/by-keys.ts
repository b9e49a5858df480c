/** The page of `parley inspect` for who has a keyboard alone: pressing keys, and what has the focus then. */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { stuckAfterMs } from './stuck.ts';

/** Name of what has the focus: empty where nothing has, or where it cannot be seen. */
const holder = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body || !one.checkVisibility()) return '';
  const name = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent ?? '';
  return [one.getAttribute('role') ?? one.localName, name.trim()].join(' ');
})()`;

/** Waits until something with such a name has the focus. */
export async function focusHeld(page: Page, words: RegExp): Promise<void> {
  const signal = AbortSignal.timeout(stuckAfterMs);
  let found = '';
  while (!words.test((found = String(await page.evaluate(holder)))))
    assert.ok(!signal.aborted, `the focus is at ${JSON.stringify(found)}, and not at ${String(words)}`);
}

/** Tells whether nothing stands over the place of what has the focus, or of its first line where it is large. */
export async function isFocusSeen(page: Page): Promise<boolean> {
  return (
    (await page.evaluate(`(() => {
      const one = document.activeElement;
      const { left, top, width, height } = one.getBoundingClientRect();
      const there = [2, Math.min(height, 24) - 2].map((down) => document.elementFromPoint(left + Math.min(width, 20) / 2, top + down));
      return there.every((seen) => seen !== null && (one.contains(seen) || seen.contains(one)));
    })()`)) === true
  );
}

/** Presses keys, one after the other. */
export async function pressKeys(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Goes to something by the palette. */
export async function goByPalette(page: Page, words: string): Promise<void> {
  await pressKeys(page, 'Control+k');
  await focusHeld(page, /^combobox Search/);
  await page.keyboard.type(words);
  await pressKeys(page, 'Enter');
}
