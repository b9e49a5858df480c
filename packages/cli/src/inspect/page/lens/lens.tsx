import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LensView } from '../../view.ts';
import { useAsked } from '../asked.ts';
import { FoldedJson } from '../json/json-view.tsx';
import { firstDiffering, marksOf } from '../json/marks.ts';
import { coded } from '../parts.tsx';
import { plain } from '../plain.ts';
import { hello, lensRevision, rowAt } from '../state.ts';
import { LensChanges } from './changes.tsx';
import { SentHeaders } from './sent-headers.tsx';
import { Trial } from './trial.tsx';

/** The same message for a client of another revision, side by side, with every change and its reason. */
export function LensPanel({ n }: { readonly n: number }): JSX.Element {
  const revisions = hello.value?.revisions ?? [];
  const to = lensRevision.value === '' ? (revisions[0] ?? '') : lensRevision.value;
  const lens = useAsked<LensView>(to === '' ? undefined : { verb: 'lens', body: { n, revision: to }, keys: [n, to] });
  const { left, right, marks, first } = useMemo(() => sidesOf(lens), [lens]);
  return (
    <div class="lens">
      <div class="clients choice" role="group" aria-label="Protocol version of the client">
        {revisions.map((date) => (
          <ClientRow key={date} n={n} date={date} isChosen={date === to} />
        ))}
      </div>
      {lens !== undefined && (
        <>
          <p>{headOf(lens, isSent(n))}</p>
          {lens.why !== undefined && (
            <p class={lens.kind === 'none' || lens.kind === 'bridge' ? 'muted' : 'bad'}>{coded(plain(lens.why))}</p>
          )}
          <div class="sides">
            {left !== undefined && (
              <figure>
                <figcaption>as it crossed, in {lens.from}</figcaption>
                <FoldedJson
                  text={left}
                  label={`As it crossed in ${lens.from}`}
                  marks={marks?.left}
                  first={first ?? 0}
                />
              </figure>
            )}
            {right !== undefined && (
              <figure>
                <figcaption>
                  a client of {lens.to} {isSent(n) ? 'sends' : 'gets'}
                </figcaption>
                <FoldedJson text={right} label={`For a client of ${lens.to}`} marks={marks?.right} first={first ?? 0} />
              </figure>
            )}
          </div>
          <LensChanges changes={lens.changes} />
          <SentHeaders headers={lens.headers} to={lens.to} />
        </>
      )}
      <Trial key={`${n} ${to}`} n={n} to={to} />
    </div>
  );
}

/** A client, with what it gets of a message in two words. */
function ClientRow(props: { readonly n: number; readonly date: string; readonly isChosen: boolean }): JSX.Element {
  const { n, date, isChosen } = props;
  const lens = useAsked<LensView>({ verb: 'lens', body: { n, revision: date }, keys: [n, date] });
  const [words, sign] = lens === undefined ? ['', ''] : verdictOn(lens);
  return (
    <div class="client">
      <button type="button" class="small" aria-pressed={isChosen} onClick={() => (lensRevision.value = date)}>
        {date}
      </button>
      <span class={sign}>{words}</span>
    </div>
  );
}

function verdictOn({ kind, changes }: LensView): readonly [words: string, sign: string] {
  if (kind === 'refused' || kind === 'unknown' || kind === 'wrong') return ['✕ refused', 'bad'];
  if (kind !== 'arrives') return ['not sent', 'muted'];
  const lost = changes.filter((change) => change.kind === 'left-out' || change.kind === 'refused').length;
  if (lost > 0)
    return [`− ${lost} left out${changes.length > lost ? `, ${changes.length - lost} changed` : ''}`, 'bad'];
  return changes.length > 0 ? [`~ ${changes.length} changed`, 'asked'] : ['✓ complete', 'good'];
}

/** Both sides as texts, with what differs, and the line at which it begins. */
function sidesOf(lens: LensView | undefined): {
  readonly left?: string;
  readonly right?: string;
  readonly marks?: ReturnType<typeof marksOf>;
  readonly first?: number | undefined;
} {
  const left = lens?.left === undefined ? undefined : JSON.stringify(lens.left);
  const right = lens?.right === undefined ? undefined : JSON.stringify(lens.right);
  if (left === undefined || right === undefined)
    return { ...(left === undefined ? {} : { left }), ...(right === undefined ? {} : { right }) };
  const marks = marksOf(lens?.left, lens?.right);
  return { left, right, marks, first: firstDiffering(left, right, marks) };
}

/** Tells whether a message is the client's: one of another revision sends it, and does not get it. */
function isSent(n: number): boolean {
  return rowAt(n)?.from === 'client';
}

function headOf({ kind, changes, from, to }: LensView, isSentByClient: boolean): string {
  if (kind === 'refused') return `A client of ${to} cannot be told this: the bridge refuses it.`;
  if (kind === 'wrong') return `It is no message of ${from}: the bridge answers with an error.`;
  if (kind === 'bridge') return 'The bridge does not pass this on as it is.';
  if (kind === 'unknown') return `A client of ${to} has no such message.`;
  if (kind === 'none') return 'Nothing to compare.';
  return changes.length === 0
    ? `A client of ${to} ${isSentByClient ? 'sends' : 'gets'} the same.`
    : `${changes.length} ${changes.length === 1 ? 'difference' : 'differences'} for a client of ${to}.`;
}
