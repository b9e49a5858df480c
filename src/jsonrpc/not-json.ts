/** Explains in one line why `JSON.stringify` threw. */
export function whyNotJson(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return cyclicNote(cause) === '' ? message : `circular structure${cyclicNote(cause)}`;
}

/** Note for a value that contains itself, which engines explain in words and lines of their own; empty for other causes. */
export function cyclicNote(cause: unknown): string {
  const isCyclic = cause instanceof Error && /circular|cyclic/i.test(cause.message);
  return isCyclic ? ', the value is cyclic: a part of it contains the whole' : '';
}
