/** Contents of a form: what a user may enter, and what the form fills in. */
import { isObject } from '../../jsonrpc/message.ts';
import type { PrimitiveSchemaDefinition, RequestedSchema } from '../../protocol/features/elicitation-schema.ts';
import type { ElicitValue } from '../../protocol/features/elicitation.ts';

type Content = Readonly<Record<string, unknown>>;

/** Number of problems that a message names. */
const maxShown = 5;

/**
 * The reason why the content of an accepted form is invalid, or `undefined` if it is valid. Extra fields are accepted
 * if they hold what a field can hold.
 *
 * `pattern` is not checked: no revision's schema of forms has it, and a peer's pattern may never end.
 */
export function formProblem(requestedSchema: RequestedSchema, content: Content): string | undefined {
  const { properties, required = [] } = requestedSchema;
  const problems: string[] = [];
  for (const key of required) if (!isGiven(content, key)) problems.push(`${shown(key)} is required`);
  for (const [key, value] of Object.entries(content)) {
    if (value === undefined) continue;
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const problem = schema === undefined ? valueProblem(value) : fieldProblem(schema, value);
    if (problem !== undefined) problems.push(`${shown(key)} ${problem}`);
  }
  return problems.length === 0 ? undefined : problems.slice(0, maxShown).join('; ');
}

/**
 * Fills in the default of every missing field that has one. (SEP-1034.)
 *
 * @returns The same object if no default was needed.
 */
export function withDefaults<Value = ElicitValue>(
  { properties }: RequestedSchema,
  content: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value | ElicitValue>> {
  const defaults = Object.entries(properties).flatMap(([key, field]) =>
    field.default === undefined || valueProblem(field.default) !== undefined || isGiven(content, key)
      ? []
      : [[key, field.default] as const],
  );
  return defaults.length === 0 ? content : { ...content, ...Object.fromEntries(defaults) };
}

function isGiven(content: Content, key: string): boolean {
  return Object.hasOwn(content, key) && content[key] !== undefined;
}

function valueProblem(value: unknown): string | undefined {
  const fits = typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value) || isStrings(value);
  return fits ? undefined : 'must be a string, a number, a boolean or an array of strings';
}

function fieldProblem(schema: PrimitiveSchemaDefinition, value: unknown): string | undefined {
  if (!isKnown(schema)) return valueProblem(value);
  if (schema.type === 'array') return choicesProblem(schema, value);
  if (optionsOf(schema)?.includes(value) === false) return 'must be one of its options';
  if (schema.type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (schema.type === 'string') return textProblem(schema, value);
  return numberProblem(schema, value);
}

const scalars: ReadonlySet<unknown> = new Set(['string', 'boolean', 'number', 'integer']);

/** Tells whether a field is of a kind that some revision has; a peer may have others. */
function isKnown({ type, items }: { readonly type?: unknown; readonly items?: unknown }): boolean {
  return scalars.has(type) || (type === 'array' && isObject(items));
}

interface Options {
  readonly type?: string;
  readonly enum?: unknown;
  readonly oneOf?: unknown;
  readonly anyOf?: unknown;
}

/**
 * Values that may be chosen; `undefined` where anything may. A peer may write the keywords of other fields, with `null`
 * for instance.
 */
function optionsOf({ enum: plain, oneOf, anyOf }: Options): readonly unknown[] | undefined {
  if (Array.isArray(plain)) return plain;
  const titled: unknown = oneOf ?? anyOf;
  if (!Array.isArray(titled) || !titled.every((option) => isObject(option) && Object.hasOwn(option, 'const')))
    return undefined;
  return titled.map(({ const: option }: { const: unknown }) => option);
}

function choicesProblem(
  { items, minItems = 0, maxItems = Infinity }: Extract<PrimitiveSchemaDefinition, { type: 'array' }>,
  value: unknown,
): string | undefined {
  if (!isStrings(value)) return 'must be an array of strings';
  const options = optionsOf(items);
  if (options !== undefined && !value.every((item) => options.includes(item)))
    return 'must hold nothing but its options';
  if (value.length < minItems) return `must hold ${minItems} or more of its options`;
  return value.length > maxItems ? `must hold ${maxItems} or fewer of its options` : undefined;
}

function numberProblem(
  { type, minimum = -Infinity, maximum = Infinity }: Extract<PrimitiveSchemaDefinition, { type: 'number' | 'integer' }>,
  value: unknown,
): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (type === 'integer' && !Number.isInteger(value)) return 'must be an integer';
  if (value < minimum) return `must be ${minimum} or more`;
  return value > maximum ? `must be ${maximum} or less` : undefined;
}

interface TextRules {
  readonly type: 'string';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
}

function textProblem({ minLength = 0, maxLength = Infinity, format }: TextRules, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  // JSON Schema counts characters, not UTF-16 units.
  const { length } = Array.from(value);
  if (length < minLength) return `must have ${minLength} or more characters`;
  if (length > maxLength) return `must have ${maxLength} or fewer characters`;
  const isFormat = format === undefined ? undefined : formats.get(format);
  return isFormat === undefined || isFormat(value) ? undefined : `must be ${article(format)} ${format}`;
}

function article(format: string | undefined): string {
  return format === 'email' ? 'an' : 'a';
}

const formats: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['email', (value) => /^\S+@[^\s@]+$/.test(value)],
  ['uri', (value) => /^[a-z][a-z\d+.-]*:\S+$/i.test(value) && URL.canParse(value)],
  ['date', isDate],
  ['date-time', isDateTime],
]);

function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  // A day that a month does not have is moved into the next one.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

const time = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339. */
function isDateTime(value: string): boolean {
  return isDate(value.slice(0, 10)) && /^[t ]$/i.test(value.charAt(10)) && time.test(value.slice(11));
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function shown(key: string): string {
  return JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
}
