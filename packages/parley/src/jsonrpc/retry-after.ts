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
