import type { HttpSettings } from './options.ts';

/** Mistakes of clients that each server told of already. */
const told = new WeakMap<HttpSettings, Set<string>>();

/** Tells once at the server of a mistake of clients that leaves one meaning, and is taken. */
export function tolerated(settings: HttpSettings, mistake: string): void {
  const known = told.get(settings) ?? new Set();
  if (known.has(mistake)) return;
  told.set(settings, known.add(mistake));
  settings.onWarning(`a client sends ${mistake}; it is answered all the same`);
}
