/** Equality of values of JSON: numbers by value, objects whatever the order of their properties. */

import type { RunBudget } from './budget.ts';
import { isKeywords } from './keywords.ts';

/** Tells whether an item occurs twice. */
export function hasDuplicates(items: readonly unknown[], run: RunBudget): boolean {
  const plain = new Set<unknown>();
  const written = new Set<string>();
  return items.some((item) => {
    const isPlain = typeof item !== 'object' || item === null;
    const [seen, key]: [Set<unknown>, unknown] = isPlain ? [plain, item] : [written, textOf(item, run)];
    run.spend(1 + (typeof key === 'string' ? key.length / 64 : 0));
    const isNew = !seen.has(key);
    seen.add(key);
    return !isNew;
  });
}

/** A value as text, whatever the order of its properties; what is undefined is not sent. */
export function textOf(value: unknown, run?: RunBudget): string {
  run?.tick(typeof value === 'string' ? 1 + value.length / 64 : 1);
  if (Array.isArray(value)) return joined(`[${value.map((item) => textOf(item, run)).join()}]`, run);
  if (!isKeywords(value)) return JSON.stringify(value);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  if (names.length > 1) names.sort((one, other) => compared(one, other, run));
  return joined(`{${names.map((name) => `${JSON.stringify(name)}:${textOf(value[name], run)}`).join()}}`, run);
}

/** To join texts is to copy them, once for each level. */
function joined(text: string, run: RunBudget | undefined): string {
  run?.tick(text.length / 64);
  return text;
}

/** By units of UTF-16. */
function compared(one: string, other: string, run: RunBudget | undefined): number {
  run?.tick(1 / 8);
  return one < other ? -1 : 1;
}
