/**
 * Running of a schema of zod whose own functions may take their time. Its standard `validate` tries at once and begins
 * again when a function gave a promise; what that promise rejects with has no owner then, and ends a Node process.
 */
import type { StandardProperties, StandardResult } from './standard.ts';

type Validate = StandardProperties['validate'];

/** Parts that zod has beside the standard: a check that waits from the start. */
interface Waiting {
  safeParseAsync(value: unknown): Promise<Parsed>;
}

type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: Extract<StandardResult<unknown>, { readonly issues: object }> };

/** The check of a schema: its own, or one that waits where functions of the user are somewhere in it. */
export function checkOf(schema: object, { vendor, validate }: StandardProperties): Validate {
  if (vendor !== 'zod' || !waits(schema) || !hasFunctions(schema)) return validate;
  return async (value) => {
    const parsed = await schema.safeParseAsync(value);
    return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
  };
}

function waits(schema: object): schema is Waiting {
  return 'safeParseAsync' in schema && typeof schema.safeParseAsync === 'function';
}

/** The definitions in which zod keeps a function of its user, or builds the rest of the schema later. */
const ofUsers: ReadonlySet<unknown> = new Set(['custom', 'transform', 'promise', 'lazy']);

/** Tells whether functions of the user may run in a check. What is not understood counts as one. */
function hasFunctions(schema: object): boolean {
  const seen = new Set<unknown>();
  const open: unknown[] = [schema];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (seen.has(part)) continue;
    seen.add(part);
    const definition = definitionOf(part);
    if (definition === undefined) {
      if (part === schema) return true;
      continue;
    }
    if (ofUsers.has(definition['type']) || ofUsers.has(definition['check'])) return true;
    for (const value of Object.values(definition)) open.push(...partsOf(value));
  }
  return false;
}

/** Definition that a part of a zod schema was made of. */
function definitionOf(part: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(part) || !isObject(part['_zod'])) return undefined;
  const { def } = part['_zod'];
  return isObject(def) ? def : undefined;
}

/** The schemas and checks in a field of a definition: itself, the members of a list, or the fields of an object. */
function partsOf(value: unknown): readonly unknown[] {
  if (!isObject(value)) return [];
  if ('_zod' in value) return [value];
  return (Array.isArray(value) ? value : Object.values(value)).filter(isObject);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
