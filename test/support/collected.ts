/** Finds objects that something still holds after they should be over: an entry of a map, a listener, a closure. */

import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often memory is cleared before an object counts as held. A socket may take a while to close. */
const maxTries = 10;

/** Objects by name, each held weakly. */
export type Watched = Map<string, WeakRef<object>>;

/** The names of those that are still held, when everything has run that waits for nothing but its turn. */
export async function heldOf(watched: Watched): Promise<readonly string[]> {
  setFlagsFromString('--expose-gc');
  // A context that is made after the flag has the function.
  const clear = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  for (let tries = 0; tries < maxTries; tries++) {
    await setImmediate();
    // Not before the third try: most is free at once.
    if (tries > 1) await pause(2 ** tries);
    clear();
    if ([...watched.values()].every((weak) => weak.deref() === undefined)) return [];
  }
  return [...watched].flatMap(([name, weak]) => (weak.deref() === undefined ? [] : [name]));
}
