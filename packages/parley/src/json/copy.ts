/** Copies of messages that need no JSON text in between. */

/** Stands for what only JSON text can tell. */
const untold: unique symbol = Symbol('untold');

/** Depth beyond which a value may be a cycle, which has no JSON text at all. */
const deepest = 128;

/**
 * The value that parsing the JSON text of a value would give, in a fraction of the time; wrapped, since it may be
 * anything.
 *
 * @returns `undefined` where the text must be asked: for objects that say themselves what they are in JSON, keys that
 *   assignment would not define, what is no JSON, nests deep or cannot be read.
 */
export function jsonCopy(value: unknown): { readonly copy: unknown } | undefined {
  try {
    const copy = copyOf(value, deepest);
    return copy === untold ? undefined : { copy };
  } catch {
    // Writing the text runs the same getters and traps, and what fails there is told to whoever sent it.
    return undefined;
  }
}

function copyOf(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON has neither infinities nor -0.
      return Number.isFinite(value) ? value + 0 : null;
    case 'object':
      if (value === null) return null;
      if (depth === 0 || 'toJSON' in value) return untold;
      return Array.isArray(value) ? copyOfArray(value, depth) : copyOfObject(value, depth);
    default:
      return untold;
  }
}

function copyOfArray(array: readonly unknown[], depth: number): unknown {
  const copies: unknown[] = [];
  for (const item of array) {
    const copy = item === undefined ? null : copyOf(item, depth - 1);
    if (copy === untold) return untold;
    copies.push(copy);
  }
  return copies;
}

function copyOfObject(object: object, depth: number): unknown {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return untold;
  // What `JSON.rawJSON` gives has no prototype, and is written as the text in it.
  if (prototype === null && 'rawJSON' in object) return untold;
  const copies: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    // The key is one of its own.
    const value = (object as Record<string, unknown>)[key];
    if (value === undefined) continue;
    const copy = key === '__proto__' ? untold : copyOf(value, depth - 1);
    if (copy === untold) return untold;
    copies[key] = copy;
  }
  return copies;
}
