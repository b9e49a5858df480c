/** Time by which what the process says is counted, in milliseconds since 1970: both are of one machine. */
export function now(): number {
  return Date.now();
}
