/** Views of the chosen message, and the way to the lens over it. */

import { signal, type Signal } from '@preact/signals';
import { isTabbed } from '../look/narrow.ts';
import { lensRevision, place, row, tab } from '../state.ts';

/** View of a message: as it crossed, with its HTTP, and through the lens. */
export type MessageView = 'message' | 'http' | 'lens';

/** View that the person chose last: every message is shown in it. */
export const messageView: Signal<MessageView> = signal('message');

/** Shows a client of a revision through the lens, over the message that is chosen, or over the whole server where none is. */
export function showLens(date: string): void {
  lensRevision.value = date;
  if (row.value === undefined) {
    place.value = isTabbed.value ? 'lens' : 'use';
    if (!isTabbed.value) tab.value = 'about';
    return;
  }
  messageView.value = 'lens';
  if (place.value !== 'lens') place.value = 'wire';
}
