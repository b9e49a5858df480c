/**
 * Sends what anybody writes to `process.stdout` to stderr instead, because stdout belongs to the protocol while it is
 * served. Who took `process.stdout.write` before keeps writing to stdout.
 *
 * @returns Ends it.
 */
export function guardStdout(): () => void {
  const { stdout, stderr } = process;
  const write = stdout.write;
  const guarded = stderr.write.bind(stderr);
  stdout.write = guarded;
  return () => {
    if (stdout.write === guarded) stdout.write = write;
  };
}
