/** Shapes of fields: what a form shows for a schema, with all that a field has to know. */

import { shortText, listHints, numberHints, objectHints, textHints } from './hints.ts';
import { arrayOf, merged, typesOf, type MergedSchema } from './merge.ts';
import { isRecord, isSchema, textOfJson, own, type Schema, type FormSchema } from './schema-document.ts';
import { nameOfVariant } from './variants.ts';

/** One of several values to choose from. */
export interface FieldOption {
  readonly name: string;
  /** The value, as JSON. */
  readonly text: string;
}

/** One of several shapes to choose from. */
export interface Variant {
  readonly name: string;
  readonly schema: Schema;
}

/** A property that a schema names. */
export interface Property {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** Facts that every field has. */
export interface Explained {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The value that the server takes where nothing is sent, as JSON. */
  readonly fallback: string | undefined;
  readonly examples: readonly string[];
  readonly hints: readonly string[];
  /** Null is a value, too. */
  readonly nullable: boolean;
  readonly deprecated: boolean;
  readonly readOnly: boolean;
}

/** A kind of field. */
export type FieldKind =
  | { readonly kind: 'text'; readonly format: string | undefined; readonly long: boolean; readonly secret: boolean }
  | { readonly kind: 'file'; readonly mediaType: string | undefined }
  | { readonly kind: 'number'; readonly whole: boolean }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  | { readonly kind: 'options'; readonly options: readonly FieldOption[] }
  | { readonly kind: 'several'; readonly options: readonly FieldOption[]; readonly each: Schema }
  | ObjectKind
  | ListShape
  | { readonly kind: 'choice'; readonly variants: readonly Variant[] }
  | { readonly kind: 'json'; readonly why: string | undefined };

/** An object, with properties that are named and perhaps others. */
export interface ObjectKind {
  readonly kind: 'object';
  readonly properties: ReadonlyMap<string, Property>;
  /** Schemas of the properties that are not named, by the pattern of their names; none where no other is admitted. */
  readonly others: readonly { readonly pattern: string | undefined; readonly schema: Schema }[];
}

/** A list: first items that have their own schema, then any number of others, or none. */
export interface ListShape {
  readonly kind: 'list';
  readonly first: readonly Schema[];
  readonly rest: Schema | undefined;
}

/** A field. */
export type FieldShape = Explained & FieldKind;

const shapes = new WeakMap<FormSchema, Map<Schema, FieldShape>>();

/** Finds the field for a schema of a document; the same object for the same schema. It throws nothing. */
export function shapeOf(document: FormSchema, schema: Schema): FieldShape {
  let known = shapes.get(document);
  if (known === undefined) shapes.set(document, (known = new Map()));
  let shape = known.get(schema);
  if (shape === undefined) known.set(schema, (shape = made(document, schema)));
  return shape;
}

function made(document: FormSchema, schema: Schema): FieldShape {
  const all = merged(document, schema);
  const kind = kindOf(document, all, 0);
  return { ...aboutOf(all, kind), ...kind.kind };
}

interface Found {
  readonly kind: FieldKind;
  readonly nullable: boolean;
  readonly hints?: readonly string[];
}

/** Most times that a choice of one leads to another. */
const maxTurns = 20;

function kindOf(document: FormSchema, all: MergedSchema, turns: number): Found {
  if (all.never) return json('The schema admits no value here.');
  if (all.cut !== undefined) return json(all.cut);
  const allowed = arrayOf(all.keywords.get('enum'));
  if (all.keywords.has('enum')) return optionsOf(all, allowed);
  const [variants, ...others] = all.choices;
  if (variants !== undefined) return choiceOf(document, all, { variants, others, turns });
  const types = typesOf(all.keywords.get('type'));
  if (all.keywords.has('type') && types.length === 0) return json('The schema admits no type of value here.');
  const real = types.filter((type) => type !== 'null');
  if (real.length > 1) {
    const bare = schemaOf(all, [], ['type', 'default', 'title', 'description']);
    return {
      nullable: types.includes('null'),
      kind: {
        kind: 'choice',
        variants: real.map((type) => ({ name: typeNames[type] ?? shortText(type, 40), schema: { ...bare, type } })),
      },
    };
  }
  const type = real[0] ?? (types.length > 0 ? 'null' : inferred(all));
  return { ...ofType(document, all, type), nullable: types.includes('null') && real.length > 0 };
}

/** Types, as a choice names them. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'object',
  array: 'list',
  null: 'null',
};

const tell: readonly (readonly [string, readonly string[]])[] = [
  ['object', ['properties', 'additionalProperties', 'patternProperties', 'required', 'propertyNames', 'minProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['minLength', 'maxLength', 'format', 'contentEncoding', 'contentMediaType']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** The type that a schema without `type` means, by the keywords that it has. */
function inferred(all: MergedSchema): string | undefined {
  if (all.patterns.length > 0) return 'string';
  return tell.find(([, keywords]) => keywords.some((keyword) => all.keywords.has(keyword)))?.[0];
}

function ofType(document: FormSchema, all: MergedSchema, type: string | undefined): Omit<Found, 'nullable'> {
  const { keywords } = all;
  if (type === 'string') return { kind: textOf(keywords), hints: textHints(keywords, all.patterns) };
  if (type === 'number' || type === 'integer') {
    const whole = type === 'integer';
    return { kind: { kind: 'number', whole }, hints: numberHints(keywords, whole) };
  }
  if (type === 'boolean' || type === 'null') return { kind: { kind: type } };
  if (type === 'object') return { kind: objectOf(keywords), hints: objectHints(keywords) };
  if (type === 'array') return { kind: listKindOf(document, keywords), hints: listHints(keywords) };
  return {
    kind: {
      kind: 'json',
      why: type === undefined ? undefined : `The schema has a type that JSON has not: ${shortText(type, 40)}.`,
    },
  };
}

function textOf(keywords: ReadonlyMap<string, unknown>): FieldKind {
  const format = keywords.get('format');
  const mediaType = keywords.get('contentMediaType');
  const encoded = keywords.get('contentEncoding') === 'base64' || format === 'byte';
  if (encoded) return { kind: 'file', mediaType: typeof mediaType === 'string' ? mediaType : undefined };
  const most = keywords.get('maxLength');
  return {
    kind: 'text',
    format: typeof format === 'string' ? format : undefined,
    long: typeof mediaType === 'string' || (typeof most === 'number' && most > 200),
    secret: format === 'password',
  };
}

function objectOf(keywords: ReadonlyMap<string, unknown>): ObjectKind {
  const named = keywords.get('properties');
  const required = new Set(arrayOf(keywords.get('required')).filter((name) => typeof name === 'string'));
  const properties = new Map<string, Property>();
  for (const name of isRecord(named) ? Object.keys(named) : []) {
    const schema = isRecord(named) ? own(named, name) : undefined;
    properties.set(name, { name, schema: isSchema(schema) ? schema : true, required: required.has(name) });
  }
  // Required, and described nowhere: anything.
  for (const name of required) if (!properties.has(name)) properties.set(name, { name, schema: true, required: true });
  const patterns = keywords.get('patternProperties');
  const others: { pattern: string | undefined; schema: Schema }[] = [];
  for (const pattern of isRecord(patterns) ? Object.keys(patterns) : []) {
    const schema = isRecord(patterns) ? patterns[pattern] : undefined;
    if (isSchema(schema) && schema !== false) others.push({ pattern, schema });
  }
  const rest = keywords.get('additionalProperties') ?? keywords.get('unevaluatedProperties');
  if (isSchema(rest) && rest !== false) others.push({ pattern: undefined, schema: rest });
  else if (rest === undefined && named === undefined && properties.size === 0 && others.length === 0)
    others.push({ pattern: undefined, schema: true });
  return { kind: 'object', properties, others };
}

function listKindOf(document: FormSchema, keywords: ReadonlyMap<string, unknown>): FieldKind {
  const items = keywords.get('items');
  const first = arrayOf(keywords.get('prefixItems') ?? items).map((item) => (isSchema(item) ? item : true));
  const rest = Array.isArray(items) ? keywords.get('additionalItems') : items;
  const open = isSchema(rest) ? rest : true;
  if (first.length === 0 && open !== true && open !== false) {
    const options = listedIn(merged(document, open));
    if (options.length > 1) return { kind: 'several', options, each: open };
  }
  return { kind: 'list', first, rest: open === false || keywords.get('maxItems') === first.length ? undefined : open };
}

/** The values that a schema lists, none of them null; of any other schema none. */
function listedIn(all: MergedSchema): readonly FieldOption[] {
  if (all.never || all.cut !== undefined || arrayOf(all.keywords.get('enum')).includes(null)) return [];
  if (all.keywords.has('enum')) {
    const found = optionsOf(all, arrayOf(all.keywords.get('enum')));
    return found.kind.kind === 'options' ? found.kind.options : [];
  }
  const [variants, ...others] = all.choices;
  const known = others.length === 0 ? (variants ?? []).map(constantOf) : [];
  return known.every((one) => one !== undefined) ? distinct(known.filter((one) => one !== undefined)) : [];
}

/** Fields of values that are listed; null among them is a state of its own. */
function optionsOf(all: MergedSchema, allowed: readonly unknown[]): Found {
  if (allowed.length === 0) return json('The schema admits no value here.');
  const names = arrayOf(all.keywords.get('enumNames'));
  const real = allowed.flatMap((value, index) => (value === null ? [] : [option(value, names[index])]));
  if (real.length === 0) return { kind: { kind: 'null' }, nullable: false };
  return { kind: { kind: 'options', options: distinct(real) }, nullable: real.length < allowed.length };
}

function option(value: unknown, name: unknown): FieldOption {
  const text = textOfJson(value) ?? 'null';
  const own = typeof value === 'string' && value !== '' ? value : text;
  return { text, name: shortText(typeof name === 'string' ? name : own) };
}

/** Options, each once and each with a name of its own. */
function distinct(options: readonly FieldOption[]): readonly FieldOption[] {
  const all = [...new Map(options.toReversed().map((one) => [one.text, one])).values()].toReversed();
  const counts = new Map<string, number>();
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  return all.map((one) =>
    counts.get(one.name) === 1 ? one : { ...one, name: shortText(`${one.name} (${one.text})`) },
  );
}

interface Choice {
  readonly variants: readonly Schema[];
  readonly others: readonly (readonly Schema[])[];
  readonly turns: number;
}

function choiceOf(document: FormSchema, all: MergedSchema, { variants, others, turns }: Choice): Found {
  const types = typesOf(all.keywords.get('type'));
  const nullable = (types.length === 0 || types.includes('null')) && variants.some(isNull);
  const real = variants.filter((variant) => !isNull(variant));
  const known = others.length === 0 ? real.map(constantOf) : [];
  if (known.length > 0 && known.every((one) => one !== undefined))
    return { kind: { kind: 'options', options: distinct(known.filter((one) => one !== undefined)) }, nullable };
  const base = schemaOf(all, others, ['title', 'description', 'default', 'examples']);
  const wholes = real.map((variant): Schema => ({ allOf: [variant, base] }));
  const [only] = wholes;
  if (wholes.length === 1 && only !== undefined) {
    if (turns >= maxTurns) return json('The schema leads to itself.');
    const found = kindOf(document, merged(document, only), turns + 1);
    return { ...found, nullable: nullable || found.nullable };
  }
  if (wholes.length === 0) return { kind: { kind: 'null' }, nullable: false };
  return {
    nullable,
    kind: {
      kind: 'choice',
      variants: wholes.map((schema, index) => ({ schema, name: nameOfVariant(document, real, index) })),
    },
  };
}

function isNull(schema: Schema): boolean {
  return (
    isRecord(schema) && (own(schema, 'type') === 'null' || (Object.hasOwn(schema, 'const') && schema['const'] === null))
  );
}

/** The value of a schema that admits one alone. */
function constantOf(schema: Schema): FieldOption | undefined {
  if (!isRecord(schema) || !Object.hasOwn(schema, 'const')) return undefined;
  return option(schema['const'], own(schema, 'title'));
}

/** Makes a schema of merged parts, without some keywords. */
function schemaOf(
  all: MergedSchema,
  others: readonly (readonly Schema[])[],
  but: readonly string[],
): Record<string, unknown> {
  const bare: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [keyword, value] of all.keywords) if (!but.includes(keyword)) bare[keyword] = value;
  bare['allOf'] = [...all.patterns.map((pattern) => ({ pattern })), ...others.map((anyOf) => ({ anyOf }))];
  return bare;
}

function json(why: string): Found {
  return { kind: { kind: 'json', why }, nullable: false };
}

function aboutOf(all: MergedSchema, found: Found): Explained {
  const text = (keyword: string): string | undefined => {
    const value = all.keywords.get(keyword);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const title = text('title');
  return {
    title: title === undefined ? undefined : shortText(title),
    description: text('description'),
    fallback: all.keywords.has('default') ? textOfJson(all.keywords.get('default')) : undefined,
    examples: arrayOf(all.keywords.get('examples'))
      .slice(0, 3)
      .flatMap((value) => textOfJson(value) ?? []),
    hints: found.hints ?? [],
    nullable: found.nullable,
    deprecated: all.keywords.get('deprecated') === true,
    readOnly: all.keywords.get('readOnly') === true,
  };
}
