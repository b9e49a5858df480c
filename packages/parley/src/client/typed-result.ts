import { ConnectionError } from '../jsonrpc/transport.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import type { AnySchema } from '../schema/infer.ts';
import type { ResolvedSchema } from '../schema/schema.ts';

const resolved = new WeakMap<object, ResolvedSchema>();

/**
 * Reads a result by the schema that its caller gave. What every result may have beside its own fields (`_meta`, and a
 * `resultType` of `complete`) is left out, unless the schema wants it.
 *
 * @throws TypeError when the schema cannot be used.
 * @throws ConnectionError `invalid-message`, naming the place, when the result does not fit.
 */
export async function readTyped(schema: AnySchema, method: string, result: JsonObject): Promise<unknown> {
  const check = await resolvedOf(schema);
  const own = await check.validate(withoutEnvelope(result));
  if (own.problems === undefined) return own.value;
  const whole = await check.validate(result);
  if (whole.problems === undefined) return whole.value;
  const why = own.problems.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  throw new ConnectionError('invalid-message', `the result of ${method} does not fit: ${why.join('; ')}`);
}

async function resolvedOf(schema: AnySchema): Promise<ResolvedSchema> {
  const known = resolved.get(schema);
  if (known !== undefined) return known;
  // Most clients never give a schema.
  const { toOutputSchema } = await import('../schema/schema.ts');
  const made = toOutputSchema(schema);
  resolved.set(schema, made);
  return made;
}

function withoutEnvelope(result: JsonObject): JsonObject {
  const { _meta, resultType, ...own } = result;
  return resultType === undefined || resultType === 'complete' ? own : { ...own, resultType };
}
