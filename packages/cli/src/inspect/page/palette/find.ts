/** Finds things by their words. */

/** Thing that is found. */
export interface Goal {
  readonly words: string;
  /** Text that is searched too, and shown in part: a title and a description. */
  readonly also?: string;
  /** True for what is offered after everything else, such as messages, of which there are many. */
  readonly isLast?: boolean;
  go(): void;
}

/** Most things that are offered at once. */
const most = 50;

/** The things that have every typed word, those that are called so before those that are described so. */
export function foundIn(goals: readonly Goal[], typed: string): readonly Goal[] {
  const wanted = typed.toLowerCase().replace(/^#/, '').split(/\s+/);
  const has = (text: string): boolean => wanted.every((word) => text.toLowerCase().includes(word));
  const called = goals.filter(({ words, isLast }) => isLast !== true && has(words));
  const described = goals.filter((goal) => !called.includes(goal) && has(`${goal.words} ${goal.also ?? ''}`));
  return [...called, ...described].slice(0, most);
}
