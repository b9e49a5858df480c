/** Quick test of values by plain schemas. With it, most schemas of arguments and results never load the whole validator. */

import { isKeywords, type Keywords } from './keywords.ts';

/** Test of a value: true if it fits. A value that does not pass may fit too, which only the whole validator knows. */
export type PlainTest = (value: unknown) => boolean;

/** Keywords that change nothing about what fits. */
const annotations: ReadonlySet<string> = new Set(
  '$schema $comment title description default examples format deprecated readOnly writeOnly'.split(' '),
);

/**
 * Makes the test of a schema that is well-formed. It is undefined if the schema has keywords for the whole validator.
 *
 * @param isReceived True if values came as JSON text. Other values may have parts that are sent in another form, so
 *   parts that no keyword describes do not pass.
 */
export function plainTestOf(schema: unknown, isReceived: boolean): PlainTest | undefined {
  if (!isKeywords(schema)) return undefined;
  const tests: PlainTest[] = [];
  for (const [name, wanted] of Object.entries(schema)) {
    if (annotations.has(name) || (wanted === undefined && name !== 'const')) continue;
    const test = keywordTest(name, wanted, { schema, isReceived });
    if (test === undefined) return undefined;
    tests.push(test);
  }
  const describes = (list: boolean): boolean => isReceived || (list ? 'items' : 'properties') in schema;
  return (value) => isPlain(value, describes) && tests.every((test) => test(value));
}

/** Tells whether JSON has a value in this form. */
function isPlain(value: unknown, describes: (list: boolean) => boolean): boolean {
  if (typeof value === 'object') return value === null || (!('toJSON' in value) && describes(Array.isArray(value)));
  return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' || typeof value === 'boolean';
}

interface Around {
  /** The keywords beside it. */
  readonly schema: Keywords;
  readonly isReceived: boolean;
}

/** The test of one keyword. It is undefined for a keyword that is not plain. */
function keywordTest(name: string, wanted: unknown, { schema, isReceived }: Around): PlainTest | undefined {
  if (name === 'type') return typeTest([wanted].flat());
  if (name === 'enum') return oneOf(wanted);
  if (name === 'const') return oneOf([wanted]);
  if (typeof wanted === 'number') return numberTests.get(name)?.(wanted);
  // The test of `properties` also covers what is beside it.
  if (name === 'properties') return propertiesTest(schema, isReceived);
  if (name === 'additionalProperties') return schema['properties'] === undefined ? undefined : () => true;
  if (name === 'required')
    return (value) => !isKeywords(value) || (wanted as readonly string[]).every((one) => Object.hasOwn(value, one));
  if (name !== 'items') return undefined;
  const test = plainTestOf(wanted, isReceived);
  return test && ((value) => !Array.isArray(value) || value.every(test));
}

const typeTests: Readonly<Record<string, PlainTest>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  // A larger one may have lost digits.
  integer: Number.isSafeInteger,
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  object: isKeywords,
  string: (value) => typeof value === 'string',
};

function typeTest(types: readonly unknown[]): PlainTest {
  return (value) => types.some((type) => typeTests[String(type)]?.(value) === true);
}

function oneOf(wanted: unknown): PlainTest | undefined {
  if (!Array.isArray(wanted) || wanted.some((one) => typeof one === 'object' && one !== null)) return undefined;
  const known = new Set<unknown>(wanted);
  return (value) => known.has(value);
}

/** The test of all properties of an object. A property that is undefined is not sent, and does not pass. */
function propertiesTest(schema: Keywords, isReceived: boolean): PlainTest | undefined {
  const { additionalProperties = true } = schema;
  if (typeof additionalProperties !== 'boolean') return undefined;
  const tests = new Map<string, PlainTest>();
  for (const [name, property] of Object.entries(Object(schema['properties']))) {
    const test = plainTestOf(property, isReceived);
    if (test === undefined) return undefined;
    tests.set(name, test);
  }
  const others = additionalProperties && isReceived;
  return (value) => !isKeywords(value) || Object.keys(value).every((name) => tests.get(name)?.(value[name]) ?? others);
}

const onNumbers =
  (test: (value: number, bound: number) => boolean) =>
  (bound: number): PlainTest =>
  (value) =>
    typeof value !== 'number' || test(value, bound);

const onTexts =
  (test: (value: string, bound: number) => boolean) =>
  (bound: number): PlainTest =>
  (value) =>
    typeof value !== 'string' || test(value, bound);

const onLists =
  (test: (value: readonly unknown[], bound: number) => boolean) =>
  (bound: number): PlainTest =>
  (value) =>
    !Array.isArray(value) || test(value, bound);

const numberTests: ReadonlyMap<string, (bound: number) => PlainTest> = new Map([
  ['minimum', onNumbers((value, bound) => value >= bound)],
  ['maximum', onNumbers((value, bound) => value <= bound)],
  ['exclusiveMinimum', onNumbers((value, bound) => value > bound)],
  ['exclusiveMaximum', onNumbers((value, bound) => value < bound)],
  // A character is one unit or two. Only texts near the bound are counted, or left to the whole validator.
  ['minLength', onTexts((value, bound) => value.length >= 2 * bound || Array.from(value).length >= bound)],
  ['maxLength', onTexts((value, bound) => value.length <= bound)],
  ['minItems', onLists((value, bound) => value.length >= bound)],
  ['maxItems', onLists((value, bound) => value.length <= bound)],
]);
