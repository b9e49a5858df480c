import { nearest } from './nearest.ts';

/**
 * Refuses the name of a method that is a slip away from one of the protocol's: middleware for it would never run. Names of one's own
 * are free where they have a dot, as `com.example/method` has, or are further away.
 *
 * @param method Name that was given; anything else is judged elsewhere.
 * @throws TypeError that names the method which was meant.
 */
export function refuseNearMethod(method: unknown, known: readonly string[]): void {
  if (typeof method !== 'string' || known.includes(method) || method.includes('.')) return;
  const [meant] = nearest(method, known, 2);
  if (meant !== undefined) throw new TypeError(`there is no method ${JSON.stringify(method)}; it is called ${meant}`);
}
