import type { JSX } from 'preact';
import type { RowView } from '../../view.ts';
import { row } from '../state.ts';

/** Way from a message to the one that it belongs to: its answer, what came in the place of one, or its request. */
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
