/** Choices between schemas: how each is called, and which of them a value is meant for. */

import { childOf } from './json-edit.ts';
import { valueOf, type JsonNode } from './json-text.ts';
import { shortText } from './hints.ts';
import { arrayOf, merged, typesOf } from './merge.ts';
import { isRecord, isSchema, textOfJson, own, type Schema, type FormSchema } from './schema-document.ts';

/** Depth to which a value is compared with a schema to find which one it is meant for. */
const deepest = 3;

/** Of how many variants a value is compared with each. */
const maxCompared = 200;

/** Names one of several schemas: by its title, its constant, what it refers to, its properties or type. */
export function nameOfVariant(document: FormSchema, variants: readonly Schema[], index: number): string {
  return nameAt(document, variants[index], { index, depth: 0 });
}

function nameAt(
  document: FormSchema,
  variant: Schema | undefined,
  { index, depth }: { readonly index: number; readonly depth: number },
): string {
  if (variant === undefined || typeof variant === 'boolean') return variant === false ? 'nothing' : 'anything';
  const { keywords } = merged(document, variant);
  const title = keywords.get('title');
  if (typeof title === 'string' && title.trim() !== '') return shortText(title, 60);
  const constant = constants(keywords)[0];
  if (constant !== undefined) return shortText(constant[1].replace(/^"(.*)"$/, '$1'), 60);
  const reference = own(variant, '$ref');
  if (typeof reference === 'string' && reference.includes('/'))
    return shortText(reference.slice(reference.lastIndexOf('/') + 1), 60);
  const properties = keywords.get('properties');
  const required = arrayOf(keywords.get('required')).filter((name) => typeof name === 'string');
  const names = required.length > 0 ? required : isRecord(properties) ? Object.keys(properties) : [];
  if (names.length > 0) return shortText(`with ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`, 60);
  const types = typesOf(keywords.get('type'));
  const items = keywords.get('items');
  if (types[0] === 'array' && isSchema(items) && items !== true && depth < deepest)
    return shortText(`list of ${nameAt(document, items, { index: 0, depth: depth + 1 })}`, 60);
  const format = keywords.get('format');
  const named = types.map((type) => words[type] ?? type).join(' or ') || `choice ${index + 1}`;
  return shortText(typeof format === 'string' ? `${named}, ${format}` : named, 60);
}

const words: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  array: 'list',
};

/** Properties of which a schema admits one value alone, with that value as JSON. */
function constants(keywords: ReadonlyMap<string, unknown>): readonly (readonly [string, string])[] {
  const values = keywords.get('enum');
  if (Array.isArray(values) && values.length === 1) return [['', textOfJson(values[0]) ?? '…']];
  const properties = keywords.get('properties');
  if (!isRecord(properties)) return [];
  return Object.entries(properties)
    .slice(0, 50)
    .flatMap(([name, schema]) => {
      const value = constantOf(schema);
      return value === undefined ? [] : [[name, value] as const];
    });
}

/** The one value, as JSON, that a schema admits by itself. */
export function constantOf(schema: unknown): string | undefined {
  if (!isRecord(schema)) return undefined;
  if (Object.hasOwn(schema, 'const')) return textOfJson(schema['const']);
  const allowed = arrayOf(own(schema, 'enum'));
  return allowed.length === 1 ? textOfJson(allowed[0]) : undefined;
}

/** Most comparisons that are made to find a variant. */
const maxFits = 5000;

/** Finds which of several schemas a value is meant for: that which it fits best, of equals the first; -1 where it fits none. */
export function variantOf(
  document: FormSchema,
  variants: readonly Schema[],
  { text, node }: { readonly text: string; readonly node: JsonNode },
): number {
  let best = -1;
  let most = 0;
  const budget = { left: maxFits };
  for (const [index, variant] of variants.slice(0, maxCompared).entries()) {
    const score = fit(document, variant, { text, node, depth: 0, budget });
    if (score > most) {
      best = index;
      most = score;
    }
  }
  return best;
}

interface Fitting {
  readonly text: string;
  readonly node: JsonNode;
  readonly depth: number;
  readonly budget: { left: number };
}

/** Measures how well a value fits, from 0, not at all. It is a guess, which the person can correct; the server judges. */
function fit(document: FormSchema, schema: Schema, { text, node, depth, budget }: Fitting): number {
  if (schema === false) return 0;
  budget.left -= 1;
  if (schema === true || depth > deepest || budget.left < 0) return 1;
  const { keywords, choices } = merged(document, schema);
  const types = typesOf(keywords.get('type'));
  if (types.length > 0 && !types.some((type) => isOfType(type, text, node))) return 0;
  const allowed = keywords.get('enum');
  if (Array.isArray(allowed)) {
    const spelled = node.end - node.start < 10_000 ? textOfJson(valueOf(text, node)) : undefined;
    return spelled !== undefined && allowed.some((value) => textOfJson(value) === spelled) ? 10 : 0;
  }
  let score = types.length > 0 ? 2 : 1;
  for (const variants of choices) {
    const inner = variants.slice(0, 20).map((one) => fit(document, one, { text, node, depth: depth + 1, budget }));
    const best = Math.max(...inner);
    if (best === 0) return 0;
    score += best / 10;
  }
  if (node.kind !== 'object') return score;
  const properties = keywords.get('properties');
  const named = isRecord(properties) ? properties : {};
  for (const { name } of node.members.slice(0, 100)) {
    if (!Object.hasOwn(named, name)) {
      if (keywords.get('additionalProperties') === false) score -= 0.5;
      continue;
    }
    const inner = named[name];
    const value = childOf(node, name);
    if (!isSchema(inner) || value === undefined) continue;
    const matched = fit(document, inner, { text, node: value, depth: depth + 1, budget });
    if (matched === 0 && constantOf(inner) !== undefined) return 0;
    score += matched > 0 ? matched / 2 : -0.5;
  }
  const required = arrayOf(keywords.get('required')).filter((name) => typeof name === 'string');
  for (const name of required.slice(0, 100)) score += childOf(node, name) === undefined ? -0.2 : 0.2;
  return Math.max(score, 0.01);
}

function isOfType(type: string, text: string, node: JsonNode): boolean {
  if (type === 'integer') return node.kind === 'number' && Number.isInteger(Number(text.slice(node.start, node.end)));
  return node.kind === type;
}
