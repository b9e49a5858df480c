/** Conversion of a value, when a person chooses another kind for it. */

import { nodeAt, put, remove, type Path } from './json-edit.ts';
import { readJson } from './json-text.ts';
import type { Schema, FormSchema } from './schema-document.ts';
import { shapeOf } from './shape.ts';
import { constantOf, variantOf } from './variants.ts';

/** A choice of another kind. */
export interface Conversion {
  readonly path: Path;
  readonly from: Schema;
  readonly to: Schema;
  /** The value from when this kind was chosen before, as JSON. */
  readonly before: string | undefined;
  /** Something has to be there: the value is an item of a list. */
  readonly item: boolean;
}

/** The whole text with the value at a path as one of another kind: what both kinds have stays. */
export function converted(document: FormSchema, text: string, conversion: Conversion): string {
  const { path, to, before, item } = conversion;
  const shape = shapeOf(document, to);
  const node = nodeAt(readJson(text).root, path);
  if (shape.kind === 'object' && node?.kind === 'object') return adapted(document, text, conversion);
  if (before !== undefined) return put(text, path, before);
  const [only] = shape.kind === 'options' && shape.options.length === 1 ? shape.options : [];
  if (only !== undefined) return put(text, path, only.text);
  if (shape.kind === 'null') return put(text, path, 'null');
  if (node === undefined || variantOf(document, [to], { text, node }) === 0) return text;
  return item ? put(text, path, 'null') : remove(text, path);
}

/** Limit of properties that are converted to another kind. Further ones are shown as missing at their fields. */
const maxPuts = 300;

/** An object as one of another kind: properties that both have stay, and constants are those of the other kind. */
function adapted(document: FormSchema, text: string, { path, from, to, before }: Conversion): string {
  const [old, next] = [shapeOf(document, from), shapeOf(document, to)];
  if (next.kind !== 'object') return text;
  let whole = text;
  const there = new Set(nodeAt(readJson(text).root, path)?.members.map(({ name }) => name));
  if (old.kind === 'object')
    for (const name of old.properties.keys())
      if (there.has(name) && !next.properties.has(name)) whole = remove(whole, [...path, name]);
  let puts = 0;
  const again = before === undefined ? undefined : readJson(before).root;
  for (const { name, schema, required } of next.properties.values()) {
    const inner = [...path, name];
    const constant = constantOf(schema);
    const earlier = nodeAt(again, [name]);
    const value =
      constant !== undefined && (there.has(name) || required)
        ? constant
        : there.has(name) || earlier === undefined
          ? undefined
          : (before ?? '').slice(earlier.start, earlier.end);
    // Each one is written into a text that is parsed again.
    if (value === undefined || (puts += 1) > maxPuts) continue;
    whole = put(whole, inner, value);
  }
  return whole;
}
