/**
 * Makes a listener of somebody else harmless: where it throws, or gives a promise that rejects, what it hears of goes on.
 *
 * @param failed Hears why; without it nobody does, as where the listener was the one to be told.
 */
export function harmless<Told extends readonly unknown[]>(
  listener: (...told: Told) => unknown,
  failed: (cause: unknown) => void = () => undefined,
): (...told: Told) => void {
  return (...told) => {
    try {
      Promise.resolve(listener(...told)).catch(failed);
    } catch (cause) {
      failed(cause);
    }
  };
}
