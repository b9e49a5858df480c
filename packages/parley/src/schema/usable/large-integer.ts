/** Tells whether there is an integer beyond 2^53 in a value that came as JSON text, which nests no deeper than that may. */
export function hasLargeInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLargeInteger);
}
