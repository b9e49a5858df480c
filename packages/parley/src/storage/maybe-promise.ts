/** Values that are there at once or come later. Most are there at once, and waiting would cost each of them turns. */

/** A value, or a promise of one. */
export type MaybePromise<T> = T | PromiseLike<T>;

/** Continues with a value: at once if it is ready, otherwise when it comes. */
export function mapMaybe<T, R>(value: MaybePromise<T>, proceed: (value: T) => R | Promise<R>): R | Promise<R> {
  return isLater(value) ? Promise.resolve(value).then(proceed) : proceed(value);
}

/** Replaces a failure by a value, whether it is thrown at once or comes later. */
export function catchMaybe<T>(run: () => T | Promise<T>, instead: (error: unknown) => T): T | Promise<T> {
  try {
    const value = run();
    return value instanceof Promise ? value.catch(instead) : value;
  } catch (error) {
    return instead(error);
  }
}

/** Tells whether `await` would wait for a value. */
export function isLater<T>(value: MaybePromise<T>): value is PromiseLike<T> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return 'then' in value && typeof value.then === 'function';
}
