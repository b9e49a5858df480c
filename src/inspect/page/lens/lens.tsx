import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LensView } from '../../view.ts';
import { useAsked } from '../asked.ts';
import { JsonView } from '../json/json-view.tsx';
import { marksOf } from '../json/marks.ts';
import { Choice } from '../parts.tsx';
import { plain } from '../plain.ts';
import { hello, lensRevision } from '../state.ts';
import { Changes } from './changes.tsx';
import { Trial } from './trial.tsx';

/** The same message for a client of another revision, side by side, with every change and its reason. */
export function Lens({ n }: { readonly n: number }): JSX.Element {
  const revisions = hello.value?.revisions ?? [];
  const to = lensRevision.value === '' ? (revisions[0] ?? '') : lensRevision.value;
  const lens = useAsked<LensView>(to === '' ? undefined : { verb: 'lens', body: { n, revision: to }, keys: [n, to] });
  const marks = useMemo(
    () => (lens?.left === undefined || lens.right === undefined ? undefined : marksOf(lens.left, lens.right)),
    [lens],
  );
  return (
    <div class="lens">
      <Choice
        label="Revision of the client"
        of={revisions.map((date) => [date, date] as const)}
        value={to}
        onChoose={(date) => (lensRevision.value = date)}
      />
      {lens !== undefined && (
        <>
          <p>{headOf(lens)}</p>
          {lens.why !== undefined && (
            <p class={lens.kind === 'none' || lens.kind === 'bridge' ? 'muted' : 'bad'}>{plain(lens.why)}</p>
          )}
          <Changes changes={lens.changes} />
          <div class="sides">
            {lens.left !== undefined && (
              <figure>
                <figcaption>as it crossed, in {lens.from}</figcaption>
                <JsonView
                  text={JSON.stringify(lens.left)}
                  label={`As it crossed in ${lens.from}`}
                  marks={marks?.left}
                />
              </figure>
            )}
            {lens.right !== undefined && (
              <figure>
                <figcaption>a client of {lens.to} gets</figcaption>
                <JsonView text={JSON.stringify(lens.right)} label={`For a client of ${lens.to}`} marks={marks?.right} />
              </figure>
            )}
          </div>
        </>
      )}
      <Trial key={`${n} ${to}`} n={n} to={to} />
    </div>
  );
}

function headOf({ kind, changes, from, to }: LensView): string {
  if (kind === 'refused') return `A client of ${to} cannot be told this: the bridge refuses it.`;
  if (kind === 'wrong') return `It is no message of ${from}: the bridge answers with an error.`;
  if (kind === 'bridge') return 'The bridge does not pass this on as it is.';
  if (kind === 'unknown') return `A client of ${to} has no such message.`;
  if (kind === 'none') return 'Nothing to compare.';
  return changes.length === 0
    ? `A client of ${to} gets the same.`
    : `${changes.length} ${changes.length === 1 ? 'difference' : 'differences'} for a client of ${to}.`;
}
