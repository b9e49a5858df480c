/** The way to the lens. */

import { isTabbed } from '../look/narrow.ts';
import { showPane } from '../look/panes.ts';
import { lensRevision, place } from '../state.ts';

/** Shows the lens: over the chosen message, or over the whole server if none is chosen. */
export function openLens(): void {
  if (isTabbed.value) place.value = 'lens';
  else showPane('side');
}

/** Shows what a client of a protocol version gets. */
export function showLens(date: string): void {
  lensRevision.value = date;
  openLens();
}
