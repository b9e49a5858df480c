/**
 * Calls a listener of the user. It ends nothing that others count on: neither by what it throws, nor by a promise that
 * rejects, as that of an async function does, which nobody else would hear of.
 *
 * @param failed Hears of either.
 */
export function callListener(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    const given = call();
    if (given instanceof Object && 'then' in given) Promise.resolve(given).catch(failed);
  } catch (error) {
    failed(error);
  }
}
