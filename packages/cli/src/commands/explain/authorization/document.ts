/** A JSON object as it came. */
export type JsonDocument = Readonly<Record<string, unknown>>;

/** The most members of a list that are read, and the deepest that documents are shown. */
const maxMembers = 256;
const deepest = 6;

/** A document without very deep parts: they have no use, and serializing them could exceed the limits. */
export function shallow(document: JsonDocument): JsonDocument {
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, without(value, deepest)]));
}

function without(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.map((member) => without(member, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, without(member, levels - 1)]));
}

/** A field that is text. */
export function textField(document: JsonDocument | undefined, name: string): string | undefined {
  const value = document?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The strings of an array field; `undefined` if it is not one. */
export function textsField(document: JsonDocument | undefined, name: string): readonly string[] | undefined {
  const value = document?.[name];
  return Array.isArray(value) ? value.slice(0, maxMembers).filter((member) => typeof member === 'string') : undefined;
}
