/**
 * The facts of an official JSON Schema in a short notation, and back.
 *
 * | Notation | Meaning |
 * |---|---|
 * | `"string"`, `"string\|integer"`, `"any"` | JSON types; anything |
 * | `"string:uri"` | a string with a format |
 * | `"number 0..1"`, `"integer 0.."` | numbers with their limits |
 * | `"'ping'"`, `"-32020"`, `"'a' \| 'b'"` | constants; the values of an enumeration |
 * | `"Tool"`, `"Tool[]"`, `"Tool{}"` | another type of the same file; an array; an object with any keys |
 * | `["Tool", "string"]` | one of these |
 * | `{ "name": …, "title?": … }` | an object: fields that are required, fields that are not |
 * | `"*": …` within an object | further fields are allowed expressly, of this kind (`true`: of any) |
 * | `{ "&": […] }` | all of these |
 * | `{ "[]": …, "maxItems": 100 }` | an array with its limit |
 *
 * What is written is all that a schema says but for its prose: `schemaOf(factsOf(schema))` is the schema again.
 */

/** A schema as the official files write them. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** What is known of a type or a field, in the short notation. */
export type Fact = string | number | true | readonly Fact[] | { readonly [key: string]: Fact };

type Word = 'definitions' | '$defs';

/** The facts of a schema. What the notation cannot say is an error, so that no fact is lost unnoticed. */
export function factsOf(schema: Schema): Fact {
  const { description: _, ...said } = schema as Schema & { readonly description?: string };
  const fact = object(said) ?? leaf(said);
  if (fact === undefined) {
    throw new Error(`the notation cannot say ${JSON.stringify(said).slice(0, 200)}: extend scripts/schema-facts.ts`);
  }
  return fact;
}

function leaf(schema: Schema): Fact | undefined {
  const { $ref, type, items, anyOf, allOf } = schema;
  switch (Object.keys(schema).toSorted().join()) {
    case '':
      return 'any';
    case '$ref':
      return $ref?.slice($ref.lastIndexOf('/') + 1);
    case 'anyOf':
      return anyOf?.map(factsOf);
    case 'allOf':
      return { '&': (allOf ?? []).map(factsOf) };
    case 'items,type':
      return items === undefined ? undefined : array(factsOf(items));
    case 'items,maxItems,type':
      return { '[]': factsOf(items ?? {}), maxItems: schema.maxItems ?? Infinity };
    case 'type':
      return [type ?? []].flat().join('|');
    case 'format,type':
      return `${String(type)}:${schema.format}`;
    case 'maximum,minimum,type':
    case 'minimum,type':
      return `${String(type)} ${schema.minimum}..${schema.maximum ?? ''}`;
    case 'const,type':
      return type === 'string' ? `'${String(schema.const)}'` : String(schema.const);
    case 'enum,type':
      return schema.enum?.map((value) => `'${String(value)}'`).join(' | ');
    default:
      return undefined;
  }
}

function array(items: Fact): Fact {
  return isWord(items) ? `${items}[]` : { '[]': items };
}

function isWord(fact: Fact | undefined): fact is string {
  return typeof fact === 'string' && /^\w+$/.test(fact);
}

function object({ type, properties, required = [], additionalProperties: more, ...rest }: Schema): Fact | undefined {
  if (type !== 'object' || Object.keys(rest).length > 0 || (properties === undefined && typeof more !== 'object')) {
    return undefined;
  }
  const fields = Object.entries(properties ?? {});
  // An empty list of fields beside `"*"` would be read as none: only the form with `true` has it.
  if (fields.length === 0 && (more === true) !== (properties !== undefined && more !== undefined)) return undefined;
  const facts: Record<string, Fact> = {};
  for (const [name, field] of fields) facts[required.includes(name) ? name : `${name}?`] = factsOf(field);
  if (more === false) return undefined;
  const others = more === undefined || more === true ? more : factsOf(more);
  if (fields.length === 0 && isWord(others)) return `${others}{}`;
  return others === undefined ? facts : { ...facts, '*': others };
}

/** The schema that the facts came from. References name their target under `word`. */
export function schemaOf(fact: Fact, word: Word): Schema {
  if (typeof fact === 'string') return fromText(fact, word);
  const list = (facts: Fact): readonly Schema[] => [facts].flat().map((one) => schemaOf(one as Fact, word));
  if (Array.isArray(fact)) return { anyOf: list(fact) };
  if (typeof fact !== 'object') throw new Error(`${String(fact)} is no fact`);
  const { '&': all, '[]': items, maxItems, ...fields } = fact as Readonly<Record<string, Fact>>;
  if (all !== undefined) return { allOf: list(all) };
  if (items === undefined) return fromFields(fields, word);
  return { type: 'array', items: schemaOf(items, word), ...(maxItems !== undefined && { maxItems: Number(maxItems) }) };
}

function fromFields(facts: Readonly<Record<string, Fact>>, word: Word): Schema {
  const { '*': more, ...fields } = facts;
  const names = Object.keys(fields);
  const required = names.filter((name) => !name.endsWith('?'));
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name.replace(/\?$/, ''), schemaOf(field, word)]),
  );
  const isMap = names.length === 0 && more !== undefined && more !== true;
  return {
    type: 'object',
    ...(!isMap && { properties }),
    ...(required.length > 0 && { required }),
    ...(more !== undefined && { additionalProperties: more === true ? true : schemaOf(more, word) }),
  };
}

function fromText(text: string, word: Word): Schema {
  if (text === 'any') return {};
  if (text.endsWith('[]')) return { type: 'array', items: fromText(text.slice(0, -2), word) };
  if (text.endsWith('{}')) return { type: 'object', additionalProperties: fromText(text.slice(0, -2), word) };
  if (/^[A-Z]\w*$/.test(text)) return { $ref: `#/${word}/${text}` };
  if (/^-?\d+$/.test(text)) return { type: 'integer', const: Number(text) };
  if (/^'.*'$/.test(text)) {
    const values = text.slice(1, -1).split("' | '");
    return values.length === 1 ? { type: 'string', const: values[0] } : { type: 'string', enum: values };
  }
  const [, type = '', format, minimum, maximum] =
    /^([a-z]+(?:\|[a-z]+)*)(?::([\w-]+))?(?: (-?\d+)\.\.(-?\d*))?$/.exec(text) ?? [];
  const types = type.split('|');
  if (!types.every((name) => jsonTypes.has(name))) throw new Error(`${JSON.stringify(text)} is no fact`);
  return {
    type: types.length === 1 ? type : types,
    ...(format !== undefined && { format }),
    ...(minimum !== undefined && { minimum: Number(minimum) }),
    ...(maximum !== undefined && maximum !== '' && { maximum: Number(maximum) }),
  };
}

const jsonTypes: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean', 'null', 'object', 'array']);
