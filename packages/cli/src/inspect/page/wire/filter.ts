/** Filter of the wire: words and `field:value` terms, all of which must hold, and none of those with a hyphen before them. */

import type { RowView } from '../../view.ts';
import { isUnanswered } from './status.ts';

/** Judges a row; `found` are rows whose text holds what `text:` asks for. */
export type RowFilter = (row: RowView) => boolean;

/** A filter as it was typed. */
export interface ParsedFilter {
  readonly test: RowFilter;
  /** Text that the process has to search for. */
  readonly text?: string;
  /** Terms that mean nothing. */
  readonly unknown: readonly string[];
}

/** Names of the fields, for who helps. */
export const filterFields: readonly string[] = [
  'method:',
  'server:',
  'kind:message',
  'kind:',
  'from:',
  'status:',
  'dur:>',
  'is:broken',
  'is:error',
  'is:open',
  'text:',
];

/** Finds the row with a number. */
type FindRow = (n: number | undefined) => RowView | undefined;

/**
 * Reads a filter.
 *
 * @param found Sequences of the rows that hold the text; `undefined` if there was no search.
 * @param rowAt Finds the request of an answer, which has the same subject.
 */
export function parseFilter(
  typed: string,
  found?: ReadonlySet<number>,
  rowAt: FindRow = () => undefined,
): ParsedFilter {
  const tests: RowFilter[] = [];
  const unknown: string[] = [];
  let text: string | undefined;
  for (const [whole] of typed.matchAll(/-?(?:[a-z]+:)?"[^"]*"?|\S+/g)) {
    // A number with a hyphen is the code of an error.
    const isWithout = /^-\D/.test(whole);
    const term = isWithout ? whole.slice(1) : whole;
    const [, field, raw = ''] = /^([a-z]+):(.*)$/s.exec(term) ?? [];
    const value = (field === undefined ? term : raw).replaceAll('"', '').toLowerCase();
    if (field === 'text' && !isWithout) {
      text = value;
      if (found !== undefined) tests.push(({ n }) => found.has(n));
      continue;
    }
    const test = field === undefined ? wordTest(value, rowAt) : testOf(field, value);
    if (test === undefined) unknown.push(whole);
    else tests.push(isWithout ? (row) => !test(row) : test);
  }
  return {
    test: (row) => tests.every((test) => test(row)),
    unknown,
    ...(text === undefined || text === '' ? {} : { text }),
  };
}

function wordTest(value: string, rowAt: FindRow): RowFilter {
  return ({ what, about = '', n, kind, pair }) => {
    const asked = kind === 'result' || kind === 'error' ? rowAt(pair)?.about : undefined;
    return `${what} ${about} ${asked ?? ''}`.toLowerCase().includes(value) || `#${n}` === value;
  };
}

function testOf(field: string, value: string): RowFilter | undefined {
  switch (field) {
    case 'method':
      return ({ lane, what }) => lane === 'message' && what.toLowerCase().includes(value);
    case 'server':
      return ({ s }) => s.toLowerCase() === value;
    case 'kind':
      return ({ kind, lane }) => kind === value || lane === value;
    case 'from':
      return ({ from }) => from === value;
    case 'status':
      return ({ status }) => status !== undefined && statusFits(String(status), value);
    case 'dur':
      return duration(value);
    case 'is':
      return flag(value);
    default:
      return undefined;
  }
}

function statusFits(status: string, wanted: string): boolean {
  return /^\dxx$/.test(wanted) ? status[0] === wanted[0] : status.startsWith(wanted);
}

function duration(value: string): RowFilter | undefined {
  const [, sign = '>', number] = /^([<>])?=?(\d+)$/.exec(value) ?? [];
  if (number === undefined) return undefined;
  const limit = Number(number);
  return ({ ms }) => ms !== undefined && (sign === '>' ? ms >= limit : ms <= limit);
}

function flag(value: string): RowFilter | undefined {
  if (value === 'broken') return ({ broken }) => broken !== undefined;
  if (value === 'error')
    return (row) =>
      row.kind === 'error' ||
      (row.status ?? 0) >= 400 ||
      row.problem === true ||
      row.failed === true ||
      isUnanswered(row);
  if (value === 'open')
    return ({ kind, pair, over, cancelled }) =>
      kind === 'request' && pair === undefined && over === undefined && cancelled !== true;
  return undefined;
}
