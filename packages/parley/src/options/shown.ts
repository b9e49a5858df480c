/** A value in a message to who wrote the program, short and in one line. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 100))
    : typeof value === 'object' && value !== null
      ? 'an object'
      : String(value);
}
