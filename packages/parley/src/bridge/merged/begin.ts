import { after } from '../../jsonrpc/timeout.ts';

/** Time that a server which does not answer may cost the others, in milliseconds. */
export const graceMs = 50;

/**
 * Waits until all of some work is settled, or a moment after the first part of it is done.
 *
 * @param limitMs The longest wait for the first part, in milliseconds.
 */
export async function mostOf(work: readonly Promise<unknown>[], limitMs: number): Promise<void> {
  if (work.length === 0) return;
  await new Promise<void>((resolve) => {
    let pending = work.length;
    const cancels = [after(limitMs, () => done(), true)];
    const done = (): void => {
      for (const cancel of cancels) cancel();
      resolve();
    };
    const settled = (): void => {
      if (--pending === 0) done();
    };
    const fulfilled = (): void => {
      settled();
      if (pending > 0) cancels.push(after(graceMs, done, true));
    };
    for (const part of work) part.then(fulfilled, settled);
  });
}
