/** What the outcome of a step is held against. */

import type { Outcome } from './step.ts';

/** Tells what is wrong with an outcome; `undefined` when nothing is. */
export type Judge = (outcome: Outcome) => string | undefined;

/** Wants a result that passes a check. */
export function expectResult(check: (result: unknown) => string | undefined): Judge {
  return (outcome) => ('result' in outcome ? check(outcome.result) : shown(outcome));
}

/** Wants a list that holds names. */
export function expectNames(...names: readonly string[]): Judge {
  return expectResult((result) => {
    const missing = names.filter((name) => !Array.isArray(result) || !result.includes(name));
    return missing.length === 0 ? undefined : `${missing.join()} is not in ${shown(result)}`;
  });
}

/** Wants a result whose first text is this one. */
export function expectText(text: string): Judge {
  return expectResult((result) => {
    if (field(result, 'isError') === true) return `the tool failed: ${shown(textOf(result))}`;
    return textOf(result) === text ? undefined : `the text is ${shown(textOf(result))}`;
  });
}

/** Wants a result that says `isError`, with words. */
export function expectToolError(words: string): Judge {
  return expectResult((result) => {
    if (field(result, 'isError') !== true) return `it is no error of the tool: ${shown(result)}`;
    const text = textOf(result);
    return typeof text === 'string' && text.includes(words) ? undefined : `the text is ${shown(text)}`;
  });
}

/** Wants a result that holds words anywhere. */
export function expectWords(words: string): Judge {
  return expectResult((result) => (JSON.stringify(result).includes(words) ? undefined : shown(result)));
}

/** Wants something to have been heard meanwhile. */
export function expectHeard(...words: readonly string[]): Judge {
  return ({ heard = [] }) => {
    const missing = words.filter((word) => !heard.includes(word));
    return missing.length === 0 ? undefined : `not heard: ${missing.join(', ')}`;
  };
}

/** Whoever gives a call up has no answer to it. */
export function expectCancelled({ result, failed, error }: Outcome): string | undefined {
  if (result !== undefined) return `it was answered: ${shown(result)}`;
  return failed === 'cancelled' ? undefined : shown({ failed, error });
}

/** Wants what several judges want; tells the first problem. */
export function both(...judges: readonly Judge[]): Judge {
  return (outcome) => judges.map((judge) => judge(outcome)).find((problem) => problem !== undefined);
}

/** The text of the first block of a result's content. */
export function textOf(result: unknown): unknown {
  const content = field(result, 'content');
  return Array.isArray(content) ? field(content[0], 'text') : undefined;
}

/** Tells what was found, unless it is what was wanted. */
export function sameJson(found: unknown, wanted: unknown): string | undefined {
  return JSON.stringify(found) === JSON.stringify(wanted) ? undefined : shown(found);
}

/** A field of what may be anything. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** A value in few characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
