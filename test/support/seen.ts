/** What a person sees of a page without moving anything. */

import type { Locator } from 'playwright-core';

/** An element, and the window in which it stands, as far as they are asked here. */
interface Seen {
  getBoundingClientRect(): Readonly<Record<'left' | 'top' | 'right' | 'bottom' | 'width' | 'height', number>>;
  contains(other: unknown): boolean;
}
interface SeenIn {
  readonly innerWidth: number;
  readonly innerHeight: number;
  readonly document: { elementFromPoint(x: number, y: number): unknown };
}

/** Tells whether all of something is in view, and nothing covers its middle. */
export async function isSeen(one: Locator): Promise<boolean> {
  return await one.evaluate((element: Seen) => {
    const { left, top, width, height, right, bottom } = element.getBoundingClientRect();
    // It is a page where this runs.
    const { document, innerWidth, innerHeight } = globalThis as unknown as SeenIn;
    const isFree = element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    return isFree && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
  });
}
