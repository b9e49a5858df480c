/** Chance by name: what is left out of a plan changes nothing of the rest. */

const slash = '/'.charCodeAt(0);

/** A number from 0 up to 1 that follows from a seed and the name of what it is for. */
export function chance(seed: number, ...name: readonly (string | number)[]): number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
  for (let at = 0; at < name.length; at++) {
    if (at > 0) state = Math.imul(state ^ slash, 0x01000193);
    const part = String(name[at]);
    for (let letter = 0; letter < part.length; letter++) state = Math.imul(state ^ part.charCodeAt(letter), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  state = Math.imul(state ^ (state >>> 15), 0x735a2d97);
  return ((state ^ (state >>> 15)) >>> 0) / 4_294_967_296;
}
