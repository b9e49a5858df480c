import { harmless } from '../options/harmless.ts';
import type { ConnectOptions } from './options.ts';

/** Tells of a failure that nobody else hears of. */
export type Failed = (message: string, cause: unknown) => void;

const names = ['onLog', 'onProgress', 'onNotification', 'onElicitationComplete', 'onClose', 'onReconnect'] as const;

/** The listeners of a client that are there to hear, and answer nothing. */
export type Listeners = Pick<ConnectOptions, (typeof names)[number]>;

/** The same listeners, but that their failures are told and end nothing. */
export function guardedListeners(options: Listeners, failed: Failed): Listeners {
  const guarded = names.flatMap((name) => {
    // Each is given what the one of its name is given.
    const listener = options[name] as ((...told: never[]) => unknown) | undefined;
    return listener === undefined ? [] : [[name, guardedListener(name, listener, failed)] as const];
  });
  // As above.
  return Object.fromEntries(guarded) as Listeners;
}

/** One listener likewise. */
export function guardedListener<Told extends readonly unknown[]>(
  name: string,
  listener: (...told: Told) => unknown,
  failed: Failed,
): (...told: Told) => void {
  return harmless(listener, (error) => failed(`the listener ${name} threw`, error));
}

/** Prints a mistake of a handler or a listener, which would be lost where nobody hears warnings. */
export function print(message: string, error: unknown): void {
  console.error(`${message}:`, error);
}
