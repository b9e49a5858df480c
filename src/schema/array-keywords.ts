/** Keywords about the items of arrays. */

import { canonical } from './json-value.ts';
import { countOf, listOf, type Keyword, type Surroundings } from './keyword.ts';
import {
  below,
  evaluate,
  fail,
  quietly,
  spend,
  type Part,
  type Path,
  type Run,
  type Seen,
  type SchemaNode,
} from './run.ts';

type ArrayPart = (value: readonly unknown[], at: Path | undefined, run: Run, seen: Seen | undefined) => boolean;

/** The keywords by name. */
export const arrayKeywords: Readonly<Record<string, Keyword>> = {
  minItems: size('at least', (count, bound) => count >= bound),
  maxItems: size('at most', (count, bound) => count <= bound),
  uniqueItems(value) {
    if (value !== true) return undefined;
    return onArray((items, at, run) => {
      const known = new Map<string, number>();
      for (const [index, item] of items.entries()) {
        const text = canonical(item, run);
        const earlier = known.get(text);
        if (earlier !== undefined) return fail(run, below(run, at, index), `must not repeat item ${earlier}`);
        known.set(text, index);
      }
      return true;
    });
  },
  prefixItems: (value, schema) => tuple(nodesOf(value, schema)),
  items(value, schema) {
    // Draft-07 has the list here; other dialects' schemas that still write it so are understood too.
    if (Array.isArray(value)) return tuple(nodesOf(value, schema));
    const { prefixItems } = schema.keywords;
    return rest(Array.isArray(prefixItems) ? prefixItems.length : 0, schema.node(value));
  },
  additionalItems(value, schema) {
    const { items } = schema.keywords;
    return Array.isArray(items) ? rest(items.length, schema.node(value)) : undefined;
  },
  contains(value, schema) {
    const node = schema.node(value);
    const { minContains, maxContains } = schema.keywords;
    const least = minContains === undefined ? 1 : countOf(minContains, { ...schema, name: 'minContains' });
    const most =
      maxContains === undefined ? Number.POSITIVE_INFINITY : countOf(maxContains, { ...schema, name: 'maxContains' });
    return onArray((items, at, run, seen) => {
      let count = 0;
      for (const [index, item] of items.entries()) {
        if (!quietly(run, () => evaluate(node, item, undefined, run))) continue;
        count++;
        seen?.items.add(index);
      }
      if (count < least)
        return fail(run, at, `must contain at least ${least} matching ${least === 1 ? 'item' : 'items'}`);
      return count <= most || fail(run, at, `must contain at most ${most} matching ${most === 1 ? 'item' : 'items'}`);
    });
  },
  unevaluatedItems(value, schema) {
    const node = schema.node(value);
    return onArray((items, at, run, seen) =>
      everyItem(items, 0, run, (item, index) => {
        if (seen?.items.has(index) === true) return true;
        seen?.items.add(index);
        return evaluate(node, item, below(run, at, index), run);
      }),
    );
  },
};

/** A part that asks nothing of what is not an array. */
function onArray(part: ArrayPart): Part {
  return (value, at, run, seen) => !Array.isArray(value) || part(value, at, run, seen);
}

function nodesOf(value: unknown, schema: Surroundings): readonly SchemaNode[] {
  return listOf(value, schema).map((raw) => schema.node(raw));
}

function tuple(nodes: readonly SchemaNode[]): Part {
  return onArray((items, at, run, seen) =>
    everyItem(items.slice(0, nodes.length), 0, run, (item, index) => {
      seen?.items.add(index);
      const node = nodes[index];
      return node === undefined || evaluate(node, item, below(run, at, index), run);
    }),
  );
}

function rest(start: number, node: SchemaNode): Part {
  return onArray((items, at, run, seen) =>
    everyItem(items, start, run, (item, index) => {
      seen?.items.add(index);
      return evaluate(node, item, below(run, at, index), run);
    }),
  );
}

function everyItem(
  items: readonly unknown[],
  start: number,
  run: Run,
  check: (item: unknown, index: number) => boolean,
): boolean {
  spend(run, items.length >> 3);
  let fits = true;
  for (let index = start; index < items.length; index++) {
    if (check(items[index], index)) continue;
    fits = false;
    if (run.problems === undefined) break;
  }
  return fits;
}

function size(words: string, fits: (count: number, bound: number) => boolean): Keyword {
  return (value, schema) => {
    const bound = countOf(value, schema);
    const message = `must have ${words} ${bound} ${bound === 1 ? 'item' : 'items'}`;
    return onArray((items, at, run) => fits(items.length, bound) || fail(run, at, message));
  };
}
