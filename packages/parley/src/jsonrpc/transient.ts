import { ConnectionError } from './transport.ts';

/**
 * Tells whether the same message may get through when it is sent again: its peer was not reached, broke off, or said
 * that it cannot now. (RFC 9110, 15.5.9 and 15.6; RFC 6585, 4: statuses 408, 429 and 5xx; RFC 8470, 5.2: 425.)
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ConnectionError)) return false;
  const { reason, status = 0 } = error;
  if (reason !== 'http') return reason === 'refused' || reason === 'closed';
  return isTransientStatus(status);
}

/** Tells whether an HTTP status says that the server cannot now, and nothing else of it. */
export function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}
