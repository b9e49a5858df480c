/** Marks of the places of a message at which something is wrong. */

import type { RequirementView } from '../../view.ts';
import { jsonLines } from './lines.ts';
import { marksOfLines, type JsonMarks } from './marks.ts';

/** Lists of results, with the member that names an entry. */
const lists: Readonly<Record<string, string>> = { tools: 'name', prompts: 'name', resources: 'uri' };

/** Finds the entries of a list that faults name, such as `tools/add`. */
export function faultMarks(text: string, faults: readonly Pick<RequirementView, 'where'>[]): JsonMarks {
  const places = faults.flatMap(({ where }) => (where === undefined ? [] : [where]));
  if (places.length === 0) return new Map();
  const result = resultIn(text);
  return new Map(
    Object.entries(lists).flatMap(([list, key]) => {
      const entries: unknown = result?.[list];
      if (!Array.isArray(entries)) return [];
      return entries.flatMap((entry: unknown, at): [string, '!'][] => {
        const name: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, key) : undefined;
        const isMeant = places.some((place) => place === `${list}/${String(name)}`);
        return isMeant ? [[`.result.${list}[${at}]`, '!']] : [];
      });
    }),
  );
}

function resultIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const message: unknown = JSON.parse(text);
    const result: unknown =
      typeof message === 'object' && message !== null ? Reflect.get(message, 'result') : undefined;
    return typeof result === 'object' && result !== null ? { ...result } : undefined;
  } catch {
    return undefined;
  }
}

/** Finds the first marked line. */
export function firstMarked(text: string, marks: JsonMarks): number | undefined {
  if (marks.size === 0) return undefined;
  const at = marksOfLines(jsonLines(text), marks).findIndex((mark) => mark !== undefined);
  return at < 0 ? undefined : at;
}
