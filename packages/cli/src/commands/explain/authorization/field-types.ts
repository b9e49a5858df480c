import type { JsonDocument } from './document.ts';

/** The types of fields, by their names. */
export type FieldTypes = Readonly<Record<string, 'text' | 'texts' | 'flag'>>;

const words = { text: 'a text', texts: 'an array of texts', flag: 'true or false' };

/** The fields that are of another type than they should be; `null` is taken for absent. */
export function fieldMistakes(document: JsonDocument | undefined, types: FieldTypes): readonly string[] {
  return Object.entries(types).flatMap(([name, type]) => {
    const value = document?.[name];
    return value === undefined || value === null || isOf(type, value)
      ? []
      : [`${name} is ${kindOf(value)}, and has to be ${words[type]}`];
  });
}

function isOf(type: FieldTypes[string], value: unknown): boolean {
  if (type === 'flag') return typeof value === 'boolean';
  if (type === 'text') return typeof value === 'string';
  return Array.isArray(value) && value.every((member) => typeof member === 'string');
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array with other things in it';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${JSON.stringify(value)}`;
}
