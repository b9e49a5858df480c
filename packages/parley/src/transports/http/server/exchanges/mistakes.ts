/**
 * Checks for mistakes in the options of an HTTP server that the compiler cannot see. Each is reported at once and names
 * the option.
 */

import { refuseNoNumber, refuseOther } from '../../../../options/known-values.ts';
import { shown } from '../../../../options/shown.ts';
import type { HttpOptions } from './options.ts';

/** The list options: what each holds, and what does not belong in it. */
const lists = {
  allowedHosts: { any: true, wants: "names such as 'mcp.example.com'", holds: /^[^\s/*@]+$/ },
  allowedOrigins: {
    any: true,
    wants: "origins such as 'https://app.example.com'",
    holds: /^(?:null|[a-z][a-z0-9+.-]*:\/\/[^\s/*@]+\/?)$/i,
  },
  allowedHeaders: { any: false, wants: 'names of header fields', holds: /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/ },
} as const;

const hooks = { authenticate: 1, now: 1, onWarning: 1, onError: 1 };

/** @throws TypeError for an option that is not of its type. */
export function checkHttpOptions(options: HttpOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (Object.hasOwn(lists, name)) checkList(name, value);
    if (Object.hasOwn(hooks, name)) refuseOther('function', name, value);
    if (/^max|Ms$/.test(name)) refuseNoNumber(name, value);
    if (name === 'events' && value !== 'none') throw new TypeError(`events is 'none' or left out, not ${shown(value)}`);
  }
}

function checkList(name: string, value: unknown): void {
  // Only names of lists come here.
  const { wants, holds, any } = lists[name as keyof typeof lists];
  if (value === 'any' && any) return;
  const wrong = Array.isArray(value) ? value.find((entry) => typeof entry !== 'string' || !holds.test(entry)) : value;
  if (wrong !== undefined || !Array.isArray(value))
    throw new TypeError(`${name} must be a list of ${wants}${any ? ", or 'any'" : ''}, not ${shown(wrong)}`);
}
