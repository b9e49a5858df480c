import { effect, signal, type Signal } from '@preact/signals';
import { act, waitingQuestions } from '../state.ts';

/** Questions that one answer is given to; a server that goes on asking is shown again after them. */
const most = 100;

/** Answers of a person for whatever a server asks of a model, by server, and how many are left. */
export const alike: Signal<ReadonlyMap<string, { readonly text: string; readonly left: number }>> = signal(new Map());

/** Answers all questions of a server for a model with the same text from now on; `undefined` ends it. */
export function answerAlike(server: string, text: string | undefined): void {
  const next = new Map(alike.value);
  if (text === undefined) next.delete(server);
  else next.set(server, { text, left: most });
  alike.value = next;
}

/** Gives the answers that were wished for, as questions come. */
export function answerAsWished(): void {
  const given = new Set<number>();
  effect(() => {
    const waiting = waitingQuestions.value;
    const next = new Map(alike.value);
    for (const id of given) if (!waiting.has(id)) given.delete(id);
    let isChanged = false;
    for (const { id, server, kind } of waiting.values()) {
      const wish = next.get(server);
      if (kind !== 'sampling' || wish === undefined || given.has(id)) continue;
      given.add(id);
      isChanged = true;
      if (wish.left <= 1) next.delete(server);
      else next.set(server, { ...wish, left: wish.left - 1 });
      void act('answer', { question: id, action: 'accept', text: wish.text });
    }
    if (isChanged) alike.value = next;
  });
}
