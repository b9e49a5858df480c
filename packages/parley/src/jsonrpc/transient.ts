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

/**
 * Time that a `Retry-After` header asks for, in milliseconds; `undefined` where it says none, or nothing that makes sense. (RFC 9110, §10.2.3.)
 *
 * @param value The header's value: seconds, or a date.
 */
export function askedWaitMs(value: string | null | undefined): number | undefined {
  const said = value?.trim() ?? '';
  if (said === '') return undefined;
  if (/^\d+$/.test(said)) return Math.min(Number(said) * 1_000, Number.MAX_SAFE_INTEGER);
  const date = Date.parse(said);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
