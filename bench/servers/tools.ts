/** The tools of every server here: `add`, `large`, `length`, and as many more as are wanted. */
import { optionsOf } from './support.ts';

const { tools = 3, text = 0 } = optionsOf();

/** What the tools say about themselves, the same everywhere. */
export const descriptions = {
  add: 'Adds two numbers.',
  large: 'Gives a large text.',
  length: 'Measures a text.',
} as const;

/** What `large` gives. */
export const largeText: string = 'x'.repeat(Number(text));

/** The names of the tools beyond those three, which take what `add` takes. */
export const moreNames: readonly string[] = Array.from(
  { length: Math.max(0, Number(tools) - 3) },
  (_, at) => `tool-${at + 4}`,
);

/** A result of one text, as the peers want it. */
export function textResult(words: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: words }] };
}
