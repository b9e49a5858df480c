import { signal, type Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { QuestionView } from '../../view.ts';
import { SignIcon } from '../look/icon.tsx';
import { now } from '../look/now.ts';
import { calls } from '../state.ts';
import { QuestionCard } from './question.tsx';

/** The question that is shown first; the oldest if it waits no more. */
export const shownQuestion: Signal<number> = signal(0);

/** The newest question when the user put the sheet aside; a newer one shows it again. */
export const asideUntil: Signal<number> = signal(0);

/** Time at which the user typed in a form last, in milliseconds since 1970. */
let typed = 0;

/** Notes when the user types in a form, so that no question covers what they are typing. */
export function listenToTyping(): void {
  document.addEventListener('input', ({ target }) => {
    if (target instanceof Element && target.closest('.tool-main') !== null) typed = now();
  });
}

/** Tells whether the user types in the form now, and not just for the call that asks. */
function isTyping({ server }: QuestionView): boolean {
  const began = [...calls.value.values()].filter((call) => call.server === server && call.state === 'running');
  const last = Math.max(0, ...began.map((call) => call.began));
  return (
    document.activeElement instanceof Element && document.activeElement.closest('.tool-main') !== null && typed > last
  );
}

/** Gives the focus to a question that covers what has it, and back when the question is gone. */
function useFocus(id: number | undefined): void {
  const before = useRef<HTMLElement>(undefined);
  useLayoutEffect(() => {
    const { activeElement } = document;
    const question = document.getElementById(`question-${id}`);
    if (question === null || !(activeElement instanceof HTMLElement)) return undefined;
    if (activeElement.closest('.chosen-one, .panel-body > :not(.picker)') === null) return undefined;
    before.current = activeElement;
    question.focus();
    return undefined;
  }, [id]);
  useLayoutEffect(() => {
    if (id !== undefined) return;
    const { activeElement, body } = document;
    if (activeElement === body || activeElement === null) before.current?.focus();
    before.current = undefined;
  }, [id]);
}

/** Questions of a server over the main pane, one at a time. The list beside it can be used. */
export function QuestionSheet({ questions }: { readonly questions: readonly QuestionView[] }): JSX.Element | null {
  const newest = questions.at(-1);
  const seen = useRef(0);
  if (newest !== undefined && newest.id > seen.current) {
    seen.current = newest.id;
    if (isTyping(newest)) asideUntil.value = newest.id;
  }
  const isShown = newest !== undefined && newest.id > asideUntil.value;
  useFocus(isShown ? newest.id : undefined);
  if (!isShown) return null;
  const at = Math.max(
    questions.findIndex(({ id }) => id === shownQuestion.value),
    0,
  );
  const question = questions[at] ?? newest;
  const step = (by: number): void => {
    shownQuestion.value = questions[(at + by + questions.length) % questions.length]?.id ?? 0;
  };
  return (
    <div class="sheet">
      <p class="pane-head">
        {questions.length > 1 && (
          <>
            <button type="button" class="small icon" aria-label="Previous question" onClick={() => step(-1)}>
              <SignIcon name="back" />
            </button>
            <span>
              Question {at + 1} of {questions.length}
            </span>
            <button type="button" class="small icon" aria-label="Next question" onClick={() => step(1)}>
              <SignIcon name="open" />
            </button>
          </>
        )}
        <span class="space" />
        <button type="button" class="small" onClick={() => (asideUntil.value = newest.id)}>
          Later
        </button>
      </p>
      <QuestionCard key={question.id} question={question} />
    </div>
  );
}
