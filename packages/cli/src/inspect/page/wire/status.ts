import type { RowView } from '../../view.ts';

/** Finder of other rows, and of whether a request may still be answered. */
export interface RowFinder {
  rowAt(n: number | undefined): RowView | undefined;
  isOpen(one: RowView): boolean;
}

/** The HTTP status; without one, the outcome of a request without an answer, or the kind of row. */
export function statusText(one: RowView, rows: RowFinder): string | number {
  const { kind, lane, pair, status } = one;
  if (status !== undefined) return status;
  if (kind === 'request' && pair === undefined) return endOf(one, rows);
  if (kind === 'error') return 'error';
  return lane === 'message' ? '' : lane;
}

/** Tells whether a request ended without an answer and was not cancelled. */
export function isUnanswered({ kind, pair, over, cancelled }: RowView): boolean {
  return kind === 'request' && pair === undefined && over !== undefined && cancelled !== true;
}

function endOf(one: RowView, { rowAt, isOpen }: RowFinder): string | number {
  if (one.cancelled === true) return 'given up';
  if (one.over !== undefined) return wordsOf(rowAt(one.over));
  return isOpen(one) ? 'waits' : 'no answer';
}

/** Text for a substitute of an answer. */
function wordsOf(end: RowView | undefined): string | number {
  if (end === undefined) return 'no answer';
  const { kind, lane, status, bytes } = end;
  if (kind === 'error') return 'error';
  if (status !== undefined && status >= 400) return status;
  // It is complete, and answers a different request.
  if (kind === 'result') return 'other id';
  if (lane === 'message') return 'unreadable';
  if (lane === 'event') return 'broke off';
  if (status === undefined) return 'not reached';
  return bytes > 0 ? 'no JSON' : 'no answer';
}
