import { signal, type Signal } from '@preact/signals';

/** Width below which there is one column, as the style sheet has it. */
const query = matchMedia('(width < 700px)');

/** True where the page is so narrow that rows are cards. */
export const isNarrow: Signal<boolean> = signal(query.matches);

query.addEventListener('change', ({ matches }) => (isNarrow.value = matches));
