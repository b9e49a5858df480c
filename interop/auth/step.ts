/** What is shown of each authorization server, and how it went. */

/** One thing that is to work. */
export interface Step {
  readonly what: string;
  /** What went wrong; nothing where it works. */
  readonly problem?: string | undefined;
  /** Why it is no fault of ours, where that was found out. */
  readonly fault?: string | undefined;
}

/** What came of one authorization server, or of one program of others. */
export interface Report {
  readonly title: string;
  /** What it needs to be used with ours, in words for a reader. */
  readonly needs: string;
  readonly steps: readonly Step[];
}

/** Does the steps one after the other; one that fails keeps none from being tried. */
export async function trySteps(steps: Readonly<Record<string, () => Promise<void>>>): Promise<readonly Step[]> {
  const done: Step[] = [];
  for (const [what, run] of Object.entries(steps))
    done.push(
      await run().then(
        () => ({ what }),
        (error: unknown) => ({ what, problem: error instanceof Error ? error.message : String(error) }),
      ),
    );
  return done;
}
