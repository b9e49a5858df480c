import { signal, type Signal } from '@preact/signals';

/** Time between two announcements, in milliseconds, and limit of the collected ones. */
const restMs = 2_000;
const most = 3;

/** Collects announcements for screen readers: at most one in two seconds, with the ones from meanwhile. */
export function announcer(say: (words: string) => void): (words: string) => void {
  let waiting: readonly string[] = [];
  let isResting = false;
  const next = (): void => {
    isResting = waiting.length > 0;
    if (!isResting) return;
    say(waiting.join('. '));
    waiting = [];
    setTimeout(next, restMs);
  };
  return (words) => {
    waiting = [...waiting.filter((one) => one !== words), words].slice(-most);
    if (!isResting) next();
  };
}

/** Words that are read out. */
export const announced: Signal<string> = signal('');

/** Tells who hears the page what happened, when there is time for it. */
export const announce: (words: string) => void = announcer((words) => {
  // The same words once more are read out where they are not the same to the reader.
  announced.value = announced.peek() === words ? `${words}\u00a0` : words;
});
