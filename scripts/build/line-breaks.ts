/** Breaks the lines of a text that has no white space: Node shows the line of an error, which may otherwise be a whole file. */

import { parseSync } from 'rolldown/utils';

/** How long a line may become before it is broken at the next place. */
const limit = 120;

/** The lists in a syntax tree in which a line may end before each item: statements, members, properties, elements. */
const lists: ReadonlySet<string> = new Set(['body', 'consequent', 'cases', 'properties', 'elements', 'specifiers']);

/** Breaks the lines of a module where a break changes nothing. */
export function withLineBreaks(text: string): string {
  const places: number[] = [];
  collect(parseSync('chunk.js', text).program, places);
  const lines: string[] = [];
  let from = 0;
  let last = 0;
  for (const place of [...places.toSorted((one, other) => one - other), text.length]) {
    if (place - from > limit && last > from) {
      lines.push(text.slice(from, last));
      from = last;
    }
    last = place;
  }
  lines.push(text.slice(from));
  return lines.join('\n');
}

/** Adds the beginnings of the items of all lists below a node. */
function collect(node: object, places: number[]): void {
  for (const [key, value] of Object.entries(node)) {
    const isList = lists.has(key) && Array.isArray(value);
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child !== 'object' || child === null) continue;
      if (isList && typeof child.start === 'number') places.push(child.start);
      collect(child, places);
    }
  }
}
