/** Keys of the page. */

import { showLens } from './lens/shown.ts';
import { act, calls, chosenServer, dialog, hello, row, rowAt, singleKeys } from './state.ts';

/** Keys, and what they do. */
export const keyWords: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'search everything'],
  ['/', 'filter the list that you look at'],
  ['j k ↑ ↓', 'next and previous row'],
  ['Enter', 'open, or fold'],
  ['p', 'the pair of a message'],
  ['Ctrl Enter', 'call'],
  ['.', 'cancel the newest call'],
  ['1 to 5', 'the lens, for a client of each revision'],
  ['c', 'copy the message that is chosen'],
  ['m', 'show or hide what is hidden'],
  ['Esc', 'back'],
  ['?', 'these keys'],
];

/** Listens to keys: single ones only outside of fields, and only while they are on. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      dialog.value = 'palette';
      return;
    }
    const target = event.target instanceof Element ? event.target : undefined;
    if ((event.ctrlKey || event.metaKey) && event.key === 'Enter' && !event.defaultPrevented) callFrom(target);
    const isTyping = target?.closest('input, textarea, select, [contenteditable]') !== null && target !== undefined;
    if (event.key === 'Escape' && !isTyping && dialog.value === undefined) row.value = undefined;
    if (isTyping || !singleKeys.value || event.ctrlKey || event.metaKey || event.altKey || dialog.value !== undefined)
      return;
    const done = single(event.key);
    if (done) event.preventDefault();
  });
}

/** Presses the main button of the chosen item, for a user in its list or filter. */
function callFrom(target: Element | undefined): void {
  const picker = target?.closest('.picker');
  // What the filter hides is not what one sees when one is there.
  if (picker?.getAttribute('data-hides') === 'true' && target?.closest('.pick') !== null) return;
  picker?.querySelector<HTMLButtonElement>('.chosen-one .tool-bar button.main')?.click();
}

function single(key: string): boolean {
  switch (key) {
    case '?':
      dialog.value = 'help';
      return true;
    case '/': {
      const isWire = document.activeElement?.closest('.wire') !== null && document.activeElement !== null;
      const filters = document.querySelectorAll<HTMLInputElement>(
        isWire ? '.wire .filter' : '.pick .filter, .wire .filter',
      );
      // Where one part of the page is shown at a time, the others are there all the same.
      [...filters].find((one) => one.checkVisibility())?.focus();
      return true;
    }
    case 'p': {
      const one = rowAt(row.value);
      const pair = one?.pair ?? one?.over;
      if (pair !== undefined) row.value = pair;
      return pair !== undefined;
    }
    case 'c': {
      const button = document.querySelector<HTMLButtonElement>(
        '.message-pane button[data-copies="JSON"], .message-pane button[data-copies="text"]',
      );
      button?.click();
      return button !== null;
    }
    case 'm': {
      const button = [...document.querySelectorAll<HTMLButtonElement>('.message-pane button[aria-pressed]')].find(
        (one) => one.textContent?.includes('hid') || one.textContent?.includes('Hide'),
      );
      button?.click();
      return button !== undefined;
    }
    case '.': {
      const running = [...calls.value.values()].findLast(
        (call) => call.server === chosenServer.value && call.state === 'running',
      );
      if (running !== undefined) void act('cancel', { call: running.id });
      return running !== undefined;
    }
    default: {
      const date = hello.value?.revisions[Number(key) - 1];
      if (!/^[1-5]$/.test(key) || date === undefined) return false;
      showLens(date);
      return true;
    }
  }
}
