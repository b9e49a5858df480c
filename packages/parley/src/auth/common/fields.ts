/** True when a value of JSON is an object, which has fields. */
export function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
