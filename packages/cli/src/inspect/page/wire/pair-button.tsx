import type { JSX } from 'preact';
import type { RowView } from '../../view.ts';
import { row } from '../state.ts';

/** Link from a message to its counterpart: its answer, its substitute, or its request. */
export function PairButton({ one }: { readonly one: RowView | undefined }): JSX.Element | null {
  const { kind, pair, over } = one ?? {};
  const other = pair ?? over;
  if (other === undefined) return null;
  const words = kind !== 'request' ? 'request' : pair === undefined ? 'came instead:' : 'answer';
  return (
    <button type="button" class="small" onClick={() => (row.value = other)}>
      {words} #{other} <kbd>p</kbd>
    </button>
  );
}
