/** Waiting for what needs no time. */

/** Lets everything run that waits for nothing but its turn. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.resolve();
}
