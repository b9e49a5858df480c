import { harmless } from '../../options/harmless.ts';
import type { ConnectOptions } from './options.ts';

/** Reports a failure that no caller sees. */
export type Failed = (message: string, cause: unknown) => void;

const names = ['onLog', 'onProgress', 'onNotification', 'onElicitationComplete', 'onClose', 'onReconnect'] as const;

/** The listeners of a client that only receive, and return nothing. */
export type Listeners = Pick<ConnectOptions, (typeof names)[number]>;

/** Wraps the listeners: their failures are reported and end nothing. */
export function guardedListeners(options: Listeners, failed: Failed): Listeners {
  const guarded = names.flatMap((name) => {
    // Each gets the arguments of the listener with its name.
    const listener = options[name] as ((...told: never[]) => unknown) | undefined;
    return listener === undefined ? [] : [[name, guardedListener(name, listener, failed)] as const];
  });
  // As above.
  return Object.fromEntries(guarded) as Listeners;
}

/** Wraps one listener in the same way. */
export function guardedListener<Told extends readonly unknown[]>(
  name: string,
  listener: (...told: Told) => unknown,
  failed: Failed,
): (...told: Told) => void {
  return harmless(listener, (error) => failed(`the listener ${name} threw`, error));
}

/** Prints an error of a handler or a listener. It would be lost if there is no warning listener. */
export function print(message: string, error: unknown): void {
  console.error(`${message}:`, error);
}
