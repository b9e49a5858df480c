import { jsonText } from '../../../parley/src/json/exact-number.ts';
import { inFlags } from './in-flags.ts';
import { withoutSent } from './sent-secrets.ts';

/** Printing of words that a server, a client or a file may have made up. */

/**
 * Characters that a terminal acts upon rather than shows: controls (C0 but for tabs and line feeds, DEL, C1), what
 * turns the direction of writing, breaks of lines that not everybody knows, and the tag characters, in which a text for
 * models can be written that no person sees.
 */
const dangerous =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g;

/**
 * Makes received text safe to print: it cannot move the cursor, hide, or change the direction of the surrounding text.
 *
 * @param how On one `line`, so that it cannot begin its own lines; as `lines`, if each is marked as foreign; or
 * as `json`, which parses to the same value.
 */
export function printed(text: string, how: 'line' | 'lines' | 'json'): string {
  if (how === 'json') return text.replaceAll(dangerous, (one) => one.replaceAll(/[^]/g, escaped));
  return (how === 'line' ? text.replaceAll(/\s+/g, ' ').trim() : text).replaceAll(dangerous, '\ufffd');
}

/** A code unit as JSON escapes it. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A value as JSON: on one line, or indented. */
export function shownJson(value: unknown, indent?: number): string {
  // Only what JSON cannot say at all has no text.
  const text = jsonText(value, indent) as string | undefined;
  return printed(text ?? 'null', 'json');
}

/** Length limit of a printed error, in characters: a server may send a lot. */
const maxReasonLength = 4_000;

/** Reason of a failure, on one line. */
export function reasonOf(error: unknown): string {
  const reason = withoutSent(inFlags(error instanceof Error ? error.message : String(error)));
  return printed(reason.length > maxReasonLength ? `${reason.slice(0, maxReasonLength)}…` : reason, 'line');
}
