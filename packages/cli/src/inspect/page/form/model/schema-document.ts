/** A JSON Schema of a stranger, and what its references lead to. Nothing is ever fetched. */

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>> | boolean;

/** A whole schema, whose parts may refer to each other. */
export interface FormSchema {
  readonly root: Schema;
  /** Finds what a `$ref` or `$dynamicRef` means; nothing where it leads out of the document or nowhere. */
  resolve(reference: string): Schema | undefined;
}

/** Of how many objects the names are looked up; those of a larger document beyond stay unknown. */
const maxNamed = 20_000;

/** Says whether a value is a schema: an object, true or false. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isRecord(value);
}

/** Says whether a value is an object that is no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as JSON; nothing where it is so deep that it cannot be written. */
export function textOfJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A member that an object has itself: what every object inherits is no part of a schema. */
export function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Makes a document of a peer's schema. An invalid schema accepts everything. */
export function schemaDocument(schema: unknown): FormSchema {
  const root = isSchema(schema) ? schema : true;
  let named: ReadonlyMap<string, Schema> | undefined;
  return {
    root,
    resolve: (reference) => {
      const base = typeof root === 'boolean' ? undefined : own(root, '$id');
      const local =
        typeof base === 'string' && reference.startsWith(`${base}#`) ? reference.slice(base.length) : reference;
      if (local === '#' || local === '' || local === base) return root;
      if (local.startsWith('#/')) return atPointer(root, local.slice(2));
      named ??= namesOf(root);
      return named.get(local);
    },
  };
}

function atPointer(root: Schema, pointer: string): Schema | undefined {
  let value: unknown = root;
  for (const step of pointer.split('/').map(unescaped)) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
    else value = isRecord(value) ? own(value, step) : undefined;
  }
  return isSchema(value) ? value : undefined;
}

function unescaped(step: string): string {
  let plain = step;
  try {
    plain = decodeURIComponent(step);
  } catch {
    // A step that is no escaped text is meant as it stands.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Each `$anchor` as "#name" and each `$id`, wherever it is. */
function namesOf(root: Schema): ReadonlyMap<string, Schema> {
  const found = new Map<string, Schema>();
  const waiting: unknown[] = [root];
  for (let seen = 0; seen < maxNamed && waiting.length > 0; seen += 1) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (isRecord(value)) {
      for (const keyword of ['$anchor', '$dynamicAnchor', '$id']) {
        const name = own(value, keyword);
        const address = keyword === '$id' ? name : `#${String(name)}`;
        if (typeof name === 'string' && typeof address === 'string' && !found.has(address)) found.set(address, value);
      }
    }
    for (const inner of Object.values(value).slice(0, maxNamed)) waiting.push(inner);
  }
  return found;
}
