import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SilenceView } from '../../view.ts';
import { clock, line, plain } from '../plain.ts';
import { act, showRow } from '../state.ts';

/** Silence of a connected server: its beginning, its reason, and the possible actions. */
export function Silence(props: {
  readonly id: string;
  readonly name: string;
  readonly silent: SilenceView;
}): JSX.Element {
  const { id, name, silent } = props;
  const [isAsking, setAsking] = useState(false);
  const ask = async (): Promise<void> => {
    setAsking(true);
    await act('ping', { server: id });
    setAsking(false);
  };
  return (
    <section class="failure" aria-label="Silence">
      <h2>{line(name, 60)} does not answer</h2>
      <p>
        Since {clock(silent.t)}: {plain(silent.why)}{' '}
        <button type="button" class="small link" onClick={() => showRow(silent.row)}>
          #{silent.row}
        </button>
      </p>
      <p>Its next answer, to whatever is asked, says that it is back.</p>
      <p class="doing">
        <button type="button" class="small" aria-disabled={isAsking} onClick={() => void (isAsking || ask())}>
          {isAsking ? 'Asking…' : 'Ask it now'}
        </button>
      </p>
    </section>
  );
}
