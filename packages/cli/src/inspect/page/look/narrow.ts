import { signal, type Signal } from '@preact/signals';

/** Widths below which there is one column, and below which one part of the page is shown at a time, as the style sheet has them. */
const queries = { narrow: '(width < 720px)', tabbed: '(width < 1000px)' };

/** True where the page is so narrow that rows are cards. */
export const isNarrow: Signal<boolean> = follow(queries.narrow);

/** True where one part of the page is shown at a time. */
export const isTabbed: Signal<boolean> = follow(queries.tabbed);

function follow(words: string): Signal<boolean> {
  const query = matchMedia(words);
  const holds = signal(query.matches);
  query.addEventListener('change', ({ matches }) => (holds.value = matches));
  return holds;
}
