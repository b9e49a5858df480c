import { SchemaError } from './document.ts';
import type { Matcher } from './pattern.ts';
import { spend, type Keywords, type Part, type Resource, type Run, type SchemaNode } from './run.ts';

/** What a keyword needs to know of its schema to be made ready. */
export interface Surroundings {
  /** The keyword itself, for messages. */
  readonly name: string;
  /** All keywords of the schema. */
  readonly keywords: Keywords;
  /** The node of a subschema. */
  node(raw: unknown): SchemaNode;
  /** The target of a reference, and the dynamic anchor that it names, if it names one. */
  resolve(reference: string): { readonly node: SchemaNode; readonly dynamicAnchor: string | undefined };
  /** The node of a dynamic anchor in a resource that has it. */
  nodeIn(resource: Resource, anchor: string): SchemaNode;
  /** A pattern, ready to be looked for. */
  pattern(source: string): Matcher;
}

/** Makes one keyword ready; `undefined` when it asks for nothing. */
export type Keyword = (value: unknown, schema: Surroundings) => Part | undefined;

/** The value of a keyword that must be a number. */
export function numberOf(value: unknown, { name }: Surroundings): number {
  if (typeof value === 'number') return value;
  throw new SchemaError(`${name} must be a number`);
}

/** The value of a keyword that must be a whole number of things. */
export function countOf(value: unknown, { name }: Surroundings): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new SchemaError(`${name} must be a whole number that is not negative`);
}

/** The value of a keyword that must be text. */
export function textOf(value: unknown, { name }: Surroundings): string {
  if (typeof value === 'string') return value;
  throw new SchemaError(`${name} must be a string`);
}

/** The value of a keyword that must be a list. */
export function listOf(value: unknown, { name }: Surroundings): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new SchemaError(`${name} must be an array`);
}

/** The value of a keyword that must be a list of texts. */
export function textsOf(value: unknown, schema: Surroundings): readonly string[] {
  return listOf(value, schema).map((item) => textOf(item, schema));
}

/** The value of a keyword that holds something by name. */
export function entriesOf(value: unknown, { name }: Surroundings): readonly (readonly [string, unknown])[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  throw new SchemaError(`${name} must be an object`);
}

/** Looks for a pattern at the expense of a check. */
export function isMatch(matcher: Matcher, text: string, run: Run): boolean {
  return matcher(text, (steps) => spend(run, steps));
}
