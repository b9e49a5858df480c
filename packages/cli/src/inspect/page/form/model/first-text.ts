/** The text of a form in which nobody typed yet. */

import { put, type Path } from './json-edit.ts';
import { schemaDocument, type Schema, type FormSchema } from './schema-document.ts';
import { shapeOf } from './shape.ts';
import { constantOf } from './variants.ts';

/** Limits: values that are filled in, and the depth to which they are. */
const most = { values: 200, depth: 3 };

/** The defaults of a schema, and the values of required properties that have only one. Blank if there are none. */
export function firstText(schema: unknown): string {
  const document = schemaDocument(schema);
  const found = valuesIn(document, { schema: document.root, path: [] });
  return found.slice(0, most.values).reduce((text, [path, value]) => put(text, path, value), '');
}

function valuesIn(
  document: FormSchema,
  { schema, path }: { readonly schema: Schema; readonly path: Path },
): readonly (readonly [Path, string])[] {
  const shape = shapeOf(document, schema);
  if (shape.fallback !== undefined) return [[path, shape.fallback]];
  if (shape.kind !== 'object' || path.length > most.depth) return [];
  return [...shape.properties.values()].slice(0, most.values).flatMap(({ name, schema: inner, required }) => {
    const at = [...path, name];
    const constant = required ? constantOf(inner) : undefined;
    if (constant !== undefined) return [[at, constant] as const];
    // A part that may be left out is not made for the sake of a default in it.
    const { fallback } = shapeOf(document, inner);
    return required || fallback !== undefined ? valuesIn(document, { schema: inner, path: at }) : [];
  });
}
