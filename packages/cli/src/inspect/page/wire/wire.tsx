import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RowView } from '../../view.ts';
import { filterFields } from './filter.ts';
import type { FoldedRows, TaskFold } from './fold.ts';
import { indexOfRow } from './rows.ts';
import { isUnanswered, statusText } from './status.ts';
import { StatusBar } from './status-bar.tsx';
import { VirtualList } from '../list.tsx';
import { exportAs, exportKinds } from '../exports.ts';
import { focusSoon } from '../look/focus.ts';
import { SignIcon } from '../look/icon.tsx';
import { isNarrow, isTabbed } from '../look/narrow.ts';
import { panes, showPane } from '../look/panes.ts';
import { clock, line, size } from '../plain.ts';
import {
  act,
  api,
  filter,
  filterText,
  found,
  hasNoise,
  isOfAll,
  isOpen,
  isPaused,
  lastRow,
  droppedRows,
  problem,
  quietRows,
  row,
  rowAt,
  rowCount,
  rowsVersion,
  servers,
  toggleFold,
  visibleRows,
  messageOf,
} from '../state.ts';
import { MessagePane } from '../screens/message.tsx';

/** Everything that crossed, in its order, and the chosen message beside it. */
export function Wire(): JSX.Element {
  const { rows } = visibleRows.value;
  const gone = [...droppedRows.value.values()].reduce((sum, one) => sum + one, 0);
  useSearch();
  if (!isTabbed.value && !panes.value.wire.isOpen)
    return (
      <section class="wire" aria-label="Wire">
        <StatusBar />
      </section>
    );
  return (
    <section class="wire" aria-label="Wire">
      <Bar hidden={filterText.value === '' ? 0 : rowCount() - rows.length} />
      <div class={`wire-body ${row.value === undefined ? '' : 'picked'}`}>
        <div class="wire-list">
          {rows.length === 0 ? (
            <p class="empty">
              {rowCount() === 0
                ? 'No messages yet. Call a tool.'
                : `No matches. ${rowCount().toLocaleString('en')} messages are hidden.`}
            </p>
          ) : (
            <Rows {...visibleRows.value} />
          )}
          {gone > 0 && (
            <p class="muted">▲ {gone.toLocaleString('en')} older messages left memory; --record FILE keeps all</p>
          )}
        </div>
        {row.value !== undefined && <MessagePane n={row.value} />}
      </div>
    </section>
  );
}

/** Rows of the wire, and the way through them. */
function Rows({ rows, folds }: FoldedRows): JSX.Element {
  const chosen = row.value;
  // Where a message takes the place of the list, going through it opens none; elsewhere it is the one that was open last.
  const [cursor, setCursor] = useState<number | undefined>();
  const seen = isNarrow.value ? (cursor ?? chosen) : chosen;
  const indexOf = (n: number | undefined): number => (n === undefined ? -1 : indexOfRow(rows, n));
  const open = (index: number): void => {
    row.value = rows[index]?.n;
    focusSoon('.message-pane');
  };
  return (
    <VirtualList
      label="Messages"
      count={rows.length}
      key={isNarrow.value ? 'cards' : 'rows'}
      height={isNarrow.value ? 46 : 24}
      at={indexOf(seen)}
      resume={indexOf(cursor)}
      follows
      {...(isNarrow.value ? {} : { head: () => <Head /> })}
      keyOf={(index) => rows[index]?.n ?? index}
      onChoose={(index) => {
        setCursor(rows[index]?.n);
        if (!isNarrow.value) row.value = rows[index]?.n;
      }}
      {...(isNarrow.value ? { onOpen: open } : {})}
      rowClass={(index) => rowClass(rows[index], chosen)}
      cells={(index) => (
        <Cells
          one={rows[index]}
          fold={folds.get(rows[index]?.n ?? 0)}
          from={rows[0]?.t ?? 0}
          until={rows.at(-1)?.t ?? 0}
        />
      )}
      onFold={(index) => {
        const first = rows[index]?.n ?? 0;
        const fold = folds.get(first);
        if (fold !== undefined) toggleFold(fold, first);
        else open(index);
      }}
    />
  );
}

/** Rows before the last look that are looked at again: an answer grows for a while. */
const again = 100;

/** Texts are with the process: it searches them, and those that come later when there is time for it. */
function useSearch(): void {
  const { text } = filter.value;
  const version = text === undefined ? 0 : rowsVersion.value;
  useEffect(() => {
    const before = found.peek();
    const isKnown = before !== undefined && before.text === text;
    if (text === undefined || (isKnown && before.until === lastRow())) return undefined;
    const since = isKnown ? Math.max(before.until - again, 0) : 0;
    const until = lastRow();
    const timer = setTimeout(
      () =>
        void api
          .post<{ readonly found: readonly number[] }>('search', { text, since })
          .then((answer) => {
            // Another text may be looked for meanwhile.
            if (filter.peek().text !== text) return;
            found.value = { text, until, rows: new Set([...(isKnown ? before.rows : []), ...answer.found]) };
          })
          .catch((error: unknown) => (problem.value = messageOf(error))),
      isKnown ? 500 : 200,
    );
    return () => clearTimeout(timer);
  }, [text, version]);
}

function Bar({ hidden }: { readonly hidden: number }): JSX.Element {
  void rowsVersion.value;
  const count = rowCount();
  return (
    <div class="wire-bar">
      <h2>Wire</h2>
      <span class="muted">
        {count.toLocaleString('en')} {count === 1 ? 'message' : 'messages'}
      </span>
      <button
        type="button"
        class="small icon tabbed-not"
        aria-label="Fold the wire"
        title="Fold the wire"
        onClick={() => {
          showPane('wire', false);
          focusSoon('.wire-status');
        }}
      >
        <SignIcon name="down" />
      </button>
      <input
        type="search"
        class="filter"
        aria-label="Filter of the wire"
        list="filter-fields"
        placeholder="Filter: method:tools/call is:error text:oslo"
        value={filterText.value}
        onInput={(event) => (filterText.value = event.currentTarget.value)}
      />
      <datalist id="filter-fields">
        {filterFields.map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      {filter.value.unknown.length > 0 && (
        <span class="bad">! {line(filter.value.unknown.join(' '), 60)} means nothing here</span>
      )}
      {filterText.value !== '' && (
        <button type="button" class="small" onClick={() => (filterText.value = '')}>
          {hidden} hidden, show all
        </button>
      )}
      <span class="space" />
      <button
        type="button"
        class="small"
        aria-pressed={isPaused.value}
        onClick={() => (isPaused.value = !isPaused.value)}
      >
        {isPaused.value ? 'Resume' : 'Pause'}
      </button>
      <Shown />
      <SaveChoice />
      <button type="button" class="small" onClick={() => void act('clear', {})}>
        Clear
      </button>
    </div>
  );
}

/** Choices of what the wire shows: one server or all, with or without messages that say nothing new. */
function Shown(): JSX.Element {
  const { hidden } = quietRows.value;
  return (
    <>
      {servers.value.size > 1 && (
        <label class="again">
          <input
            type="checkbox"
            checked={isOfAll.value}
            onChange={({ currentTarget }) => (isOfAll.value = currentTarget.checked)}
          />
          All servers
        </label>
      )}
      {(hidden > 0 || hasNoise.value) && (
        <label class="again" title="Pings, comments of streams, and lists that were read before">
          <input
            type="checkbox"
            checked={hasNoise.value}
            onChange={({ currentTarget }) => (hasNoise.value = currentTarget.checked)}
          />
          Keep-alives and re-reads{hidden > 0 ? ` (${hidden.toLocaleString('en')})` : ''}
        </label>
      )}
    </>
  );
}

/** A kind of file, and its button: a choice alone saves nothing, since who has keys goes through all of them. */
function SaveChoice(): JSX.Element {
  const [chosen, setChosen] = useState<string>(exportKinds[0].what);
  const kind = exportKinds.find(({ what }) => what === chosen) ?? exportKinds[0];
  return (
    <span class="saving">
      <select
        class="small"
        aria-label="File of the recording"
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {exportKinds.map(({ what, words }) => (
          <option key={what} value={what}>
            {words}
          </option>
        ))}
      </select>
      <button type="button" class="small" onClick={() => void exportAs(kind)}>
        Save
      </button>
    </span>
  );
}

const columns = ['#', 'time', 'who', 'what', 'status', 'size', 'ms', 'when'] as const;

function Head(): JSX.Element {
  return (
    <>
      {columns.map((name) => (
        <span key={name} role="columnheader" class={`c-${name === '#' ? 'n' : name}`}>
          {name}
        </span>
      ))}
    </>
  );
}

const kinds: Readonly<Record<NonNullable<RowView['kind']>, string>> = {
  request: '',
  result: 'result of ',
  error: 'error of ',
  notice: '',
};

/** Characters of a text that are shown: fewer than the process tells, so that it is seen where something was cut off. */
const widest = 79;

function Cells({
  one,
  fold,
  from,
  until,
}: {
  readonly one: RowView | undefined;
  readonly fold: TaskFold | undefined;
  readonly from: number;
  readonly until: number;
}): JSX.Element | null {
  if (one === undefined) return null;
  const { n, t, s, from: side, what, about, kind, status, bytes, ms, problem: isProblem, failed, lane } = one;
  const span = Math.max(until - from, 1);
  return (
    <>
      <span role="gridcell" class="c-n muted">
        {n}
      </span>
      <span role="gridcell" class="c-time muted">
        {clock(t)}
      </span>
      <span role="gridcell" class="c-who">
        <b class={`s-${s}`}>{s}</b> <span aria-hidden="true">{side === 'client' ? '→' : '←'}</span>
        <span class="hidden">{side === 'client' ? 'sent' : 'came'}</span>
      </span>
      <span role="gridcell" class={`c-what lane-${lane}`}>
        <Faults one={one} />
        {(isProblem === true || failed === true) && <span class="bad">✕ </span>}
        {kind === undefined || what.startsWith('{') ? '' : kinds[kind]}
        {line(what, widest)}
        {about !== undefined && <span class="row-about"> {line(about, widest)}</span>}
        {fold !== undefined && <FoldMark fold={fold} first={n} />}
      </span>
      <span
        role="gridcell"
        class={`c-status ${(status ?? 0) >= 400 || kind === 'error' || isUnanswered(one) ? 'bad' : ''}`}
      >
        {statusText(one, { rowAt, isOpen })}
      </span>
      <span role="gridcell" class="c-size muted">
        {size(bytes)}
      </span>
      <span role="gridcell" class="c-ms">
        {ms ?? ''}
      </span>
      <When one={one} from={from} span={span} />
    </>
  );
}

function When(props: { readonly one: RowView; readonly from: number; readonly span: number }): JSX.Element {
  const {
    one: { t, kind, ms },
    from,
    span,
  } = props;
  return (
    <span role="gridcell" class="c-when" aria-hidden="true">
      {kind === 'request' && (
        <span
          class="bar"
          style={{ left: `${((t - from) / span) * 100}%`, width: `${Math.max(((ms ?? 0) / span) * 100, 1)}%` }}
        />
      )}
    </span>
  );
}

function Faults({ one: { broken, advised } }: { readonly one: RowView }): JSX.Element | null {
  if (broken !== undefined) return <span class="bad">⚠ breaks {brokenWords(broken)} </span>;
  return advised === undefined ? null : <span class="muted">should be otherwise: {brokenWords(advised)} </span>;
}

/** Requirements that a message breaks, so few of them that what it is stands beside them; the message names all. */
function brokenWords(broken: readonly string[]): string {
  const [first = '', second, ...more] = broken;
  if (second === undefined) return first;
  return more.length === 0 ? `${first}, ${second}` : `${first} and ${more.length + 1} more`;
}

/** Count of the rows that stand behind one, and how their task stands. */
function FoldMark({ fold, first }: { readonly fold: TaskFold; readonly first: number }): JSX.Element {
  const { behind, polls, told, last, isOpen } = fold;
  const counts = [
    ...(polls > 0 ? [`${polls} ${polls === 1 ? 'poll' : 'polls'}`] : []),
    ...(told > 0 ? [`told ${told} times`] : []),
  ].join(', ');
  return (
    <>
      {' '}
      <button
        type="button"
        class="small fold-mark"
        tabIndex={-1}
        aria-expanded={isOpen}
        title={`${behind} rows more of this task`}
        onClick={(event) => {
          event.stopPropagation();
          toggleFold(fold, first);
        }}
      >
        {isOpen ? '▾' : '▸'} {counts}
      </button>
      {last !== undefined && <span class="muted"> {line(last, 60)}</span>}
    </>
  );
}

/** The chosen row is a parameter: a row with its own subscription would stay in memory. */
function rowClass(one: RowView | undefined, chosen: number | undefined): string {
  const pair = one?.pair ?? one?.over;
  const isPair = pair !== undefined && pair === chosen;
  return `${isPair ? 'pair' : ''} ${one?.broken === undefined ? '' : 'broken'}`;
}
