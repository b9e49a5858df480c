/** Ends what tests share until the end of their file. A hook of the runner in a shared module would run once in a process, after the first file that loads it. */

type End = () => Promise<void> | void;

const ends: End[] = [];

/** Calls a function when all tests of the present file are over. */
export function atFileEnd(end: End): void {
  ends.push(end);
}

/** Called by `scripts/test/worker.ts` after each file. */
export async function endFile(): Promise<void> {
  for (const end of ends.splice(0).toReversed()) await end();
}
