import type { JSX } from 'preact';
import { showPane } from '../look/panes.ts';
import { clock } from '../plain.ts';
import { allRows, filterText, place, rowsVersion } from '../state.ts';
import { parseFilter } from '../wire/filter.ts';

/** Summary of a recording, with links to its errors. The wire has all of it. */
export function RecordingSummary({ server }: { readonly server: string }): JSX.Element {
  void rowsVersion.value;
  const own = allRows().filter(({ s }) => s === server);
  const [first, last] = [own[0], own.at(-1)];
  const count = (filter: string): number => own.filter(parseFilter(filter).test).length;
  return (
    <div class="recorded">
      <p>
        This is a recording: its messages stand in the wire, and the lens works on each of them. Nothing can be called.
      </p>
      {first !== undefined && last !== undefined && (
        <p class="muted">
          {own.length.toLocaleString('en')} rows, from {day(first.t)} {clock(first.t)} to{' '}
          {day(first.t) === day(last.t) ? '' : day(last.t)} {clock(last.t)}
        </p>
      )}
      <p class="doing">
        <Way filter="is:error" count={count('is:error')} words="answered with an error" />
        <Way filter="is:broken" count={count('is:broken')} words="break a rule" />
        <Way filter="is:open" count={count('is:open')} words="have no answer" />
      </p>
    </div>
  );
}

/** A filter of the wire, as a button that says how much it finds. */
function Way(props: { readonly filter: string; readonly count: number; readonly words: string }): JSX.Element {
  const { filter, count, words } = props;
  return (
    <button
      type="button"
      class="small"
      disabled={count === 0}
      onClick={() => {
        filterText.value = filter;
        place.value = 'wire';
        showPane('wire');
      }}
    >
      {count.toLocaleString('en')} {words}
    </button>
  );
}

function day(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
