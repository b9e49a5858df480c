/** Moves the focus to a waiting item, or to one that was requested by number. */

import type { QuestionView, ServerView } from '../../view.ts';
import { focusSoon } from './focus.ts';
import { isTabbed } from './narrow.ts';
import { asideUntil, shownQuestion } from '../questions/sheet.tsx';
import { chosenServer, place } from '../state.ts';
import { showPane } from './panes.ts';

/** Shows a question, with the first thing that it asks. */
export function showQuestion({ id, server }: QuestionView): void {
  chosenServer.value = server;
  shownQuestion.value = id;
  asideUntil.value = 0;
  place.value = 'use';
  const question = `#question-${id}`;
  // The part has to be there before it can be shown.
  setTimeout(() => document.querySelector(question)?.scrollIntoView({ block: 'nearest' }), 0);
  focusSoon(`${question} .form :is(input, select, textarea)`, question);
}

/** Shows a sign-in that is held, with what lets it go on. */
export function showSignIn({ id }: ServerView): void {
  chosenServer.value = id;
  place.value = 'servers';
  showPane('servers');
  focusSoon(`.server[aria-label="Server ${id}"] .signing-in .doing`);
}

/** Shows what is done with a server, or what is lost of it where that is looked at. */
export function showServer(id: string): void {
  chosenServer.value = id;
  if (!isTabbed.value || place.value !== 'lens') place.value = 'use';
  focusSoon('.use [role=tab][aria-selected=true]', '.use', '.lens-place');
}
