import type { JSX } from 'preact';
import type { RowView } from '../../view.ts';
import { focusSoon } from '../look/focus.ts';
import { SignIcon } from '../look/icon.tsx';
import { showPane } from '../look/panes.ts';
import { line } from '../plain.ts';
import { allRows, rowsVersion, showRow } from '../state.ts';
import { parseFilter } from './filter.ts';

const isErrorRow = parseFilter('is:error').test;

/** Tells of an error, save that of a server that does not know the newest way to open a conversation. */
function isError(row: RowView): boolean {
  return isErrorRow(row) && row.what !== 'server/discover';
}

/** The wire while it is closed: how much crossed, the last message, and errors. One click opens it at that message. */
export function StatusBar(): JSX.Element {
  void rowsVersion.value;
  const rows = allRows();
  const last = rows.findLast(({ lane }) => lane === 'message') ?? rows.at(-1);
  const errors = rows.filter(isError);
  const error = errors.at(-1);
  return (
    <div class="wire-status">
      <button
        type="button"
        class="small"
        aria-expanded={false}
        onClick={() => {
          showPane('wire');
          focusSoon('.wire [role=grid]', '.wire .filter');
        }}
      >
        <SignIcon name="up" /> <b>Wire</b>
        <span class="count">{rows.length.toLocaleString('en')}</span>
      </button>
      {last === undefined ? (
        <span class="muted">No messages yet. Call a tool.</span>
      ) : (
        <RowWay one={last} words={`#${last.n}`} />
      )}
      {error !== undefined && (
        <RowWay
          one={error}
          words={errors.length === 1 ? '1 error' : `${errors.length.toLocaleString('en')} errors`}
          isBad
        />
      )}
    </div>
  );
}

function RowWay(props: { readonly one: RowView; readonly words: string; readonly isBad?: boolean }): JSX.Element {
  const { one, words, isBad = false } = props;
  const { n, s, from, kind, what, about = '', ms } = one;
  const said = `${kind === 'result' || (kind === 'error' && !isBad) ? `${kind} of ` : ''}${line(`${what} ${about}`, 70)}`;
  return (
    <button type="button" class={`link small ${isBad ? 'bad' : ''}`} onClick={() => showRow(n)}>
      {isBad ? '✕ ' : <b class={`s-${s}`}>{s} </b>}
      {words}
      {isBad ? ': ' : from === 'client' ? ' → ' : ' ← '}
      {said}
      {ms === undefined ? '' : ` ${ms} ms`}
    </button>
  );
}
