/** Text of whatever a peer sent: what has a `toString` of its own, as JSON may, makes `String` fail. */
export function wholeText(value: unknown): string {
  return typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? 'undefined');
}
