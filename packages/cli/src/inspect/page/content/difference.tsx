import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { CallView } from '../../view.ts';
import { differingPlaces } from '../json/differences.ts';
import { line } from '../plain.ts';
import { loadOutcome, outcomes } from '../state.ts';

/** Most differences that are listed. */
const most = 20;

/** Differences of a result from that of the call before with the same arguments. */
export function ResultDifference(props: { readonly call: CallView; readonly before: CallView }): JSX.Element | null {
  const { call, before } = props;
  useEffect(() => void loadOutcome(before.id), [before.id]);
  const [now, then] = [outcomes.value.get(call.id), outcomes.value.get(before.id)];
  const places = useMemo(
    () => (now === undefined || then === undefined ? undefined : differingPlaces(then, now)),
    [now, then],
  );
  if (places === undefined) return null;
  if (places.length === 0) return <p class="good difference">✓ the same as in the call before</p>;
  return (
    <details class="difference" open>
      <summary>
        {places.length} {places.length === 1 ? 'difference' : 'differences'} from the call before
      </summary>
      <ul class="changes">
        {places.slice(0, most).map((place) => (
          <li key={place.path}>
            <code>{place.path}</code>
            {'one' in place && <span class="bad"> − {shown(place.one)}</span>}
            {'other' in place && <span class="good"> + {shown(place.other)}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

function shown(value: unknown): string {
  return line(JSON.stringify(value) ?? '', 200);
}
