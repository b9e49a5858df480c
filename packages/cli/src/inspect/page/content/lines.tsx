import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { jsonLines } from '../json/lines.ts';
import { VirtualList } from '../list.tsx';
import { plain } from '../plain.ts';

/** Height of a line in pixels, and its most characters. */
const height = 20;
const widest = 240;

/** A long text as lines, of which only those in view are drawn; it can be searched. */
export function SearchableText({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const lines = useMemo(() => linesOf(text), [text]);
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(-1);
  const found = useMemo(() => foundIn(lines, wanted), [lines, wanted]);
  const current = found.indexOf(at);
  const step = (by: number): void => {
    const next = found[(current + by + found.length) % found.length];
    if (next !== undefined) setAt(next);
  };
  return (
    <div class="lines">
      <p class="lines-bar">
        <input
          type="search"
          class="lines-find"
          aria-label={`Search in ${label}`}
          placeholder="Search"
          value={wanted}
          onInput={({ currentTarget }) => {
            setWanted(currentTarget.value);
            setAt(foundIn(lines, currentTarget.value)[0] ?? -1);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            step(event.shiftKey ? -1 : 1);
          }}
        />
        <span class="muted" role="status">
          {wanted === ''
            ? `${lines.length.toLocaleString('en')} lines`
            : found.length === 0
              ? 'No matches'
              : `${(current + 1).toLocaleString('en')} of ${found.length.toLocaleString('en')} lines`}
        </span>
        <button type="button" class="small" disabled={found.length === 0} onClick={() => step(-1)}>
          Previous
        </button>
        <button type="button" class="small" disabled={found.length === 0} onClick={() => step(1)}>
          Next
        </button>
      </p>
      <VirtualList
        className="json"
        label={label}
        count={lines.length}
        height={height}
        at={at}
        keyOf={(index) => index}
        onChoose={setAt}
        cells={(index) => (
          <span role="gridcell">
            <Marked text={lines[index] ?? ''} wanted={wanted} />
          </span>
        )}
      />
    </div>
  );
}

/** A line in which every place of the searched text is marked. */
function Marked({ text, wanted }: { readonly text: string; readonly wanted: string }): JSX.Element {
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return <>{plain(text)}</>;
  return (
    <>
      {plain(text.slice(0, at))}
      <mark>{plain(text.slice(at, at + wanted.length))}</mark>
      <Marked text={text.slice(at + wanted.length)} wanted={wanted} />
    </>
  );
}

/** The lines of a text; JSON is laid out, and a longer line goes on in the next. */
function linesOf(text: string): readonly string[] {
  const lines = /^\s*[{[]/.test(text)
    ? jsonLines(text).map(({ depth, pieces }) => `${'  '.repeat(depth)}${pieces.map((piece) => piece.text).join('')}`)
    : text.split('\n');
  return lines.flatMap((line) =>
    line.length <= widest
      ? [line]
      : Array.from({ length: Math.ceil(line.length / widest) }, (_, at) => line.slice(at * widest, (at + 1) * widest)),
  );
}

function foundIn(lines: readonly string[], wanted: string): readonly number[] {
  const low = wanted.toLowerCase();
  return low === '' ? [] : lines.flatMap((line, at) => (line.toLowerCase().includes(low) ? [at] : []));
}
