/** Merges a schema with its references and all parts that apply. */

import { isRecord, isSchema, textOfJson, own, type Schema, type FormSchema } from './schema-document.ts';

/** One object of keywords, without `$ref` and `allOf`. */
export interface MergedSchema {
  readonly keywords: ReadonlyMap<string, unknown>;
  /** Every `oneOf` and `anyOf`, each of which has to be chosen from. */
  readonly choices: readonly (readonly Schema[])[];
  /** All patterns, each of which a text has to match. */
  readonly patterns: readonly string[];
  /** Nothing is admitted. */
  readonly never: boolean;
  /** Reason why parts could not be read. */
  readonly cut: string | undefined;
}

/** Most schemas that are merged into one; what takes more is too large for a form. */
const maxMerged = 500;

type Merger = (one: unknown, other: unknown) => unknown;

const least: Merger = (one, other) => (Number(other) < Number(one) ? other : one);
const greatest: Merger = (one, other) => (Number(other) > Number(one) ? other : one);
const either: Merger = (one, other) => one === true || other === true;
const both: Merger = (one, other) =>
  isSchema(one) && isSchema(other) && one !== other ? { allOf: [one, other] } : one;

/** Results of two keywords of one name; of all others the outer one counts. */
const mergers: Readonly<Record<string, Merger>> = {
  type: (one, other) => typesOf(one).flatMap((type) => commonType(type, typesOf(other))),
  required: (one, other) => [...new Set([...arrayOf(one), ...arrayOf(other)])],
  enum: (one, other) => {
    const known = new Set(arrayOf(other).map(textOfJson));
    return arrayOf(one).filter((value) => known.has(textOfJson(value)));
  },
  properties: bothOfEach,
  patternProperties: bothOfEach,
  items: both,
  additionalProperties: both,
  propertyNames: both,
  contains: both,
  minimum: greatest,
  exclusiveMinimum: greatest,
  minLength: greatest,
  minItems: greatest,
  minProperties: greatest,
  maximum: least,
  exclusiveMaximum: least,
  maxLength: least,
  maxItems: least,
  maxProperties: least,
  uniqueItems: either,
  deprecated: either,
  readOnly: either,
};

/** Parts of a schema that hold for some values only: their properties are shown, and none is required. */
const sometimes = ['then', 'else'];

const known = new WeakMap<FormSchema, Map<Schema, MergedSchema>>();

/** Merges a schema with all that it refers to; the same object for the same schema. It throws nothing. */
export function merged(document: FormSchema, schema: Schema): MergedSchema {
  let all = known.get(document);
  if (all === undefined) known.set(document, (all = new Map()));
  let one = all.get(schema);
  if (one === undefined) all.set(schema, (one = mergedAnew(document, schema)));
  return one;
}

interface Merging {
  readonly keywords: Map<string, unknown>;
  readonly choices: (readonly Schema[])[];
  readonly patterns: string[];
  never: boolean;
  cut: string | undefined;
}

interface Waiting {
  readonly schema: Schema;
  /** It holds for some values only. */
  readonly optional: boolean;
}

function mergedAnew(document: FormSchema, schema: Schema): MergedSchema {
  const merging: Merging = { keywords: new Map(), choices: [], patterns: [], never: false, cut: undefined };
  const seen = new Set<Schema>();
  // A list instead of recursion, since a peer decides the depth. Earlier parts are closer to the place.
  const waiting: Waiting[] = [{ schema, optional: false }];
  for (const { schema: part, optional } of waiting) {
    if (typeof part === 'boolean') merging.never ||= !part && !optional;
    else if (!seen.has(part)) {
      seen.add(part);
      waiting.push(...followed(document, part, { optional, merging }));
      if (optional) mergeKeyword(merging.keywords, 'properties', own(part, 'properties'));
      else mergePart(merging, part);
    }
    if (seen.size >= maxMerged) {
      merging.cut = `This part is put together from more than ${maxMerged} others.`;
      break;
    }
  }
  return merging;
}

/** Schemas that another one takes in. */
function followed(
  document: FormSchema,
  part: Readonly<Record<string, unknown>>,
  { optional, merging }: { readonly optional: boolean; readonly merging: Merging },
): readonly Waiting[] {
  const found: Waiting[] = [];
  for (const reference of [own(part, '$ref'), own(part, '$dynamicRef')]) {
    if (typeof reference !== 'string') continue;
    const schema = document.resolve(reference);
    if (schema === undefined) merging.cut ??= unresolved(reference);
    else found.push({ schema, optional });
  }
  const inner = arrayOf(own(part, 'allOf'))
    .slice(0, maxMerged + 1)
    .filter(isSchema);
  return [
    ...found,
    ...inner.map((schema) => ({ schema, optional })),
    ...conditional(part).map((schema) => ({ schema, optional: true })),
  ];
}

function mergePart({ keywords, choices, patterns }: Merging, part: Readonly<Record<string, unknown>>): void {
  for (const keyword of ['oneOf', 'anyOf']) {
    const variants = arrayOf(own(part, keyword)).filter(isSchema);
    if (variants.length > 0) choices.push(variants);
  }
  const pattern = own(part, 'pattern');
  if (typeof pattern === 'string' && !patterns.includes(pattern)) patterns.push(pattern);
  if (Object.hasOwn(part, 'const')) mergeKeyword(keywords, 'enum', [part['const']]);
  for (const keyword of Object.keys(part)) if (!structural.has(keyword)) mergeKeyword(keywords, keyword, part[keyword]);
}

const structural: ReadonlySet<string> = new Set([
  '$ref',
  '$dynamicRef',
  'allOf',
  'oneOf',
  'anyOf',
  'pattern',
  'const',
  ...sometimes,
]);

function unresolved(reference: string): string {
  const shown = reference.length > 100 ? `${reference.slice(0, 100)}…` : reference;
  return reference.startsWith('#')
    ? `The schema refers to ${shown}, which it does not have.`
    : `The schema refers to ${shown}, which is elsewhere: it is not fetched.`;
}

function conditional(part: Readonly<Record<string, unknown>>): readonly Schema[] {
  const dependent = own(part, 'dependentSchemas');
  const all = [
    ...sometimes.map((keyword) => own(part, keyword)),
    ...(isRecord(dependent) ? Object.values(dependent) : []),
  ];
  return all.slice(0, maxMerged).filter(isSchema);
}

function mergeKeyword(keywords: Map<string, unknown>, keyword: string, value: unknown): void {
  if (value === undefined) return;
  const merger = Object.hasOwn(mergers, keyword) ? mergers[keyword] : undefined;
  const before = keywords.get(keyword);
  if (!keywords.has(keyword)) keywords.set(keyword, value);
  else if (merger !== undefined) keywords.set(keyword, merger(before, value));
}

/** The types of a `type`, which may be one or a list. */
export function typesOf(type: unknown): readonly string[] {
  return (Array.isArray(type) ? arrayOf(type) : [type]).filter((one) => typeof one === 'string');
}

/** A list; empty for another value. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function commonType(type: string, others: readonly string[]): readonly string[] {
  if (others.includes(type)) return [type];
  const narrower = type === 'number' && others.includes('integer');
  const wider = type === 'integer' && others.includes('number');
  return narrower || wider ? ['integer'] : [];
}

function bothOfEach(one: unknown, other: unknown): unknown {
  if (!isRecord(one) || !isRecord(other)) return one;
  // No prototype: a property may be called __proto__.
  const all: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const name of Object.keys(one)) all[name] = one[name];
  for (const name of Object.keys(other))
    all[name] = Object.hasOwn(all, name) ? both(all[name], other[name]) : other[name];
  return all;
}
