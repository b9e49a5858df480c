/** Values that the field of their schema cannot show. */

import { valueOf, type JsonKind, type JsonNode } from './json-text.ts';
import type { FieldShape } from './shape.ts';

const holds: Readonly<Partial<Record<FieldShape['kind'], readonly JsonKind[]>>> = {
  text: ['string'],
  file: ['string'],
  // A text in it is what is no number yet.
  number: ['number', 'string'],
  boolean: ['boolean'],
  object: ['object'],
  list: ['array'],
  several: ['array'],
};

const named: Readonly<Record<JsonKind, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

const wanted: Readonly<Partial<Record<FieldShape['kind'], string>>> = {
  text: 'a text',
  file: 'a file',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  list: 'a list',
  several: 'a list',
};

// What a field of text changes by showing it: line ends, and characters that have no sign.
// oxlint-disable-next-line no-control-regex -- those are what is looked for.
const unshown = /[\r\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Tells why a value stands as JSON in place of its field, in words; nothing where the field can show it. */
export function misfitOf(text: string, shape: FieldShape, node: JsonNode | undefined): string | undefined {
  const kinds = holds[shape.kind];
  if (node === undefined || kinds === undefined || (node.kind === 'null' && shape.nullable)) return undefined;
  if (!kinds.includes(node.kind))
    return `Here is ${named[node.kind]}, where ${wanted[shape.kind] ?? 'something else'} is wanted: it is shown as JSON.`;
  if (shape.kind === 'text' && unshown.test(String(valueOf(text, node))))
    return 'The text has characters that a field cannot show: it is shown as JSON.';
  return undefined;
}
