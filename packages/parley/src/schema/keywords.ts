/** The keywords of JSON Schema that count: what their values must be, and which of them hold schemas. */

/** An object of keywords. */
export type Keywords = Readonly<Record<string, unknown>>;

/** The dialects of JSON Schema that are understood. */
export type Dialect = 'draft-2020-12' | 'draft-07';

/** Tells whether a value is an object that can hold keywords or properties. */
export function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells whether an object has a property; one that is undefined is not sent. */
export function has(value: Keywords, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

/** A regular expression; patterns that only the older syntax allows, such as `\@`, are common and get a second try. */
export function toRegExp(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Not in this syntax.
    }
  }
  return undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isPattern = (value: unknown): boolean => isText(value) && toRegExp(value) !== undefined;
const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isKeywords(value);
const isListOf =
  (isItem: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(isItem);
const isObjectOf =
  (isItem: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    isKeywords(value) && Object.values(value).every(isItem);
const isTexts = isListOf(isText);

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const isType = (value: unknown): boolean => isText(value) && types.includes(value);

/** Shape that the value of a keyword must have, in words and as a test. */
const shapes: ReadonlyMap<string, readonly [string, (value: unknown) => boolean]> = new Map(
  (
    [
      ['type', `one of ${types.join(', ')}, or a list of them`, (value) => isType(value) || isListOf(isType)(value)],
      ['enum', 'an array', Array.isArray],
      ['minimum maximum exclusiveMinimum exclusiveMaximum', 'a number', isNumber],
      ['multipleOf', 'a number greater than 0', (value) => isNumber(value) && value > 0],
      [
        'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains',
        'a whole number that is not negative',
        (value) => Number.isInteger(value) && Number(value) >= 0,
      ],
      ['uniqueItems', 'a boolean', (value) => typeof value === 'boolean'],
      ['required', 'a list of strings', isTexts],
      ['dependentRequired', 'an object of lists of strings', isObjectOf(isTexts)],
      ['pattern', 'a regular expression', isPattern],
      ['$id $ref $anchor $dynamicRef $dynamicAnchor', 'a string', isText],
      [
        'additionalItems additionalProperties contains else if not propertyNames then unevaluatedItems unevaluatedProperties',
        'a schema',
        isSchema,
      ],
      ['allOf anyOf oneOf prefixItems', 'a list of schemas', isListOf(isSchema)],
      ['items', 'a schema, or a list of schemas in draft-07', (value) => isSchema(value) || isListOf(isSchema)(value)],
      ['properties $defs definitions dependentSchemas', 'an object of schemas', isObjectOf(isSchema)],
      [
        'patternProperties',
        'an object of schemas by regular expression',
        (value) => isObjectOf(isSchema)(value) && Object.keys(Object(value)).every(isPattern),
      ],
      [
        'dependencies',
        'an object of schemas and lists of strings',
        isObjectOf((value) => isSchema(value) || isTexts(value)),
      ],
    ] satisfies (readonly [string, string, (value: unknown) => boolean])[]
  ).flatMap(([names, words, fits]) => names.split(' ').map((name) => [name, [words, fits]] as const)),
);

/** Keywords of one dialect only. */
const only: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  'draft-07': new Set(['additionalItems']),
  'draft-2020-12': new Set(
    '$anchor $dynamicAnchor $dynamicRef dependentRequired dependentSchemas maxContains minContains prefixItems unevaluatedItems unevaluatedProperties'.split(
      ' ',
    ),
  ),
};

/** The keywords of a schema that count in a dialect; annotations and unknown keywords are nothing. */
export function keywordsThatCount(raw: Keywords, dialect: Dialect): Keywords {
  // Draft-07, core 8.3: everything beside `$ref` is ignored.
  if (dialect === 'draft-07' && raw['$ref'] !== undefined) return { $ref: raw['$ref'] };
  const foreign = only[dialect === 'draft-07' ? 'draft-2020-12' : 'draft-07'];
  const counts = ([name, value]: [string, unknown]): boolean =>
    name === 'const' || (value !== undefined && shapes.has(name) && !foreign.has(name));
  return Object.fromEntries(Object.entries(raw).filter(counts));
}

/** Fault of the value of a keyword; nothing when it is well-formed. */
export function malformed(name: string, value: unknown, dialect: Dialect): string | undefined {
  const [words, fits] = shapes.get(name) ?? ['', () => true];
  const isList = name === 'items' && dialect === 'draft-2020-12' && Array.isArray(value);
  return fits(value) && !isList ? undefined : `${name} must be ${words}`;
}

/** The patterns in the value of a keyword, which may be malformed. */
export function patternsOf(name: string, value: unknown): readonly string[] {
  if (name === 'pattern') return isText(value) ? [value] : [];
  return name === 'patternProperties' && isKeywords(value) ? Object.keys(value) : [];
}

const byName = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']);

/** A keyword that holds schemas with each of them replaced; undefined for a keyword that holds none. */
export function mapSchemas(
  name: string,
  value: unknown,
  map: (schema: unknown, ...path: (string | number)[]) => unknown,
): unknown {
  if (byName.has(name) && isKeywords(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, isSchema(item) ? map(item, name, key) : item]),
    );
  // What a keyword must be tells whether it holds schemas.
  const words = shapes.get(name)?.[0] ?? '';
  if (!words.startsWith('a schema') && !words.startsWith('a list of schemas')) return undefined;
  return Array.isArray(value) ? value.map((item, index) => map(item, name, index)) : map(value, name);
}
