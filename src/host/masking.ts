import { McpError } from '../protocol/error.ts';
import type { Host } from './host.ts';
import { isLater } from '../store/now-or-later.ts';

/**
 * The error that a peer may see: one of ours keeps its words, anything else is told to the host and becomes an internal
 * error that says no more.
 *
 * @param where The part that failed, for whoever reads what the host was told.
 */
export function maskedError(host: Host, error: unknown, where: string): McpError {
  if (error instanceof McpError) return error;
  try {
    host.onError(error, where);
  } catch {
    // A listener of errors that throws has nobody left to be told; the request is answered all the same.
  }
  return new McpError('internalError', 'internal error');
}

/** Runs a hook of a program; its failure is told to the host and changes nothing. */
export function guarded<T>(host: Host, where: string, run: () => T): T | undefined {
  try {
    const value = run();
    // No type asks for a promise here; one that rejects must not end the process.
    if (isLater(value)) Promise.resolve(value).catch((error: unknown) => maskedError(host, error, where));
    return value;
  } catch (error) {
    maskedError(host, error, where);
    return undefined;
  }
}
