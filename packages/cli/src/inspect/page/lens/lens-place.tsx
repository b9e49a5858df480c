import type { JSX } from 'preact';
import { isTabbed } from '../look/narrow.ts';
import { line, plain } from '../plain.ts';
import { place, row, rowAt, rowsVersion, server, showRow } from '../state.ts';
import { Losses } from '../screens/about.tsx';
import { LensPanel } from './lens.tsx';
import { PairButton } from '../wire/pair-button.tsx';

/** The lens as a part of its own, where there is room for one at a time: over the chosen message, or over the whole server. */
export function LensPlace(): JSX.Element | null {
  void rowsVersion.value;
  if (!isTabbed.value || place.value !== 'lens') return null;
  const one = rowAt(row.value);
  if (one === undefined)
    return (
      <section class="lens-place" aria-label="Lens">
        <p class="empty">
          No message is chosen: choose one in the wire, and what a client of another revision gets of it stands here.
        </p>
        {server.value !== undefined && server.value.state !== 'recording' && (
          <>
            <h2>{plain(server.value.name)}</h2>
            {server.value.state === 'connected' ? (
              <Losses key={server.value.id} />
            ) : (
              <p class="muted">It is not connected, so the losses are not known.</p>
            )}
          </>
        )}
      </section>
    );
  return (
    <section class="lens-place" aria-label="Lens">
      <h2>
        {line(`${one.what} ${one.about ?? ''}`, 60)}
        <button type="button" class="small link" onClick={() => showRow(one.n)}>
          #{one.n}
        </button>
        <PairButton one={one} />
      </h2>
      <LensPanel key={one.n} n={one.n} />
    </section>
  );
}
