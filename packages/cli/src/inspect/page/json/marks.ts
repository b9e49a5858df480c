import { placeIn } from '../../../../../parley/src/json/place.ts';
import { differingPlaces } from './differences.ts';
import { jsonLines, type JsonLine } from './lines.ts';

/** Signs of lines: only on one side, different on both, or wrong. */
export type MarkSign = '−' | '+' | '~' | '!';

/** Places of a value that differ from another, each with its sign. */
export type JsonMarks = ReadonlyMap<string, MarkSign>;

/** Makes the marks of two values that stand side by side. */
export function marksOf(left: unknown, right: unknown): { readonly left: JsonMarks; readonly right: JsonMarks } {
  const places = differingPlaces(left, right);
  const own = places.flatMap((place): [string, MarkSign][] =>
    'one' in place ? [[place.path, 'other' in place ? '~' : '−']] : [],
  );
  const others = places.flatMap((place): [string, MarkSign][] =>
    'other' in place ? [[place.path, 'one' in place ? '~' : '+']] : [],
  );
  return { left: new Map(own), right: new Map(others) };
}

/** Finds the first line at which two values differ that stand side by side: the lines before it are the same. */
export function firstDiffering(
  left: string,
  right: string,
  marks: { readonly left: JsonMarks; readonly right: JsonMarks },
): number | undefined {
  const first = (text: string, own: JsonMarks): number => {
    const at = marksOfLines(jsonLines(text), own).findIndex((mark) => mark !== undefined);
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  };
  const found = Math.min(first(left, marks.left), first(right, marks.right));
  return Number.isFinite(found) ? found : undefined;
}

/** Finds the mark of each line: that of its place, or of what it stands in. */
export function marksOfLines(lines: readonly JsonLine[], marks: JsonMarks): readonly (MarkSign | undefined)[] {
  const open: { readonly path: string; readonly mark: MarkSign | undefined; items: number }[] = [];
  return lines.map(({ depth, pieces, close }) => {
    // The line that closes something is of it.
    if (open.length > depth) return open.splice(depth)[0]?.mark;
    const around = open.at(-1);
    const [first] = pieces;
    const path =
      around === undefined
        ? ''
        : first?.kind === 'key'
          ? placeIn(around.path, keyIn(first.text))
          : placeIn(around.path, around.items++);
    const mark = around?.mark ?? marks.get(path);
    if (close !== undefined) open.push({ path, mark, items: 0 });
    return mark;
  });
}

function keyIn(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
