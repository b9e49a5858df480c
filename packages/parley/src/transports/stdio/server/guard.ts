/**
 * Sends what anybody writes to `process.stdout` to stderr instead, because stdout belongs to the protocol while it is
 * served. Who took `process.stdout.write` before keeps writing to stdout.
 *
 * @returns Ends it.
 */
export function guardStdout(): () => void {
  const { stdout } = process;
  const write = stdout.write;
  // Stderr is opened on the first write, not at every start. The arguments are passed on unchanged, for every overload.
  const guarded = ((...given: Parameters<typeof write>) => process.stderr.write(...given)) as typeof write;
  stdout.write = guarded;
  return () => {
    if (stdout.write === guarded) stdout.write = write;
  };
}
