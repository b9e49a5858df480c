import type { JSX } from 'preact';
import { SignIcon } from '../look/icon.tsx';
import { isTabbed } from '../look/narrow.ts';
import { panes, showPane } from '../look/panes.ts';
import { line, plain } from '../plain.ts';
import { place, row, rowAt, rowsVersion, server, showRow } from '../state.ts';
import { Losses } from '../screens/about.tsx';
import { LensPanel } from './lens.tsx';
import { PairButton } from '../wire/pair-button.tsx';

/** The side panel, and a part of its own in a narrow page: the lens over the chosen message, or over the whole server. */
export function LensPlace(): JSX.Element | null {
  void rowsVersion.value;
  if (isTabbed.value ? place.value !== 'lens' : !panes.value.side.isOpen) return null;
  const one = rowAt(row.value);
  if (one === undefined)
    return (
      <section class="lens-place" aria-label="Lens">
        <SideHead />
        <p class="empty">
          No message is chosen. Choose one in the wire to see what clients of other protocol versions get.
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
      <SideHead />
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

function SideHead(): JSX.Element {
  return (
    <p class="pane-head">
      <span>What a client gets</span>
      <button
        type="button"
        class="small icon tabbed-not"
        aria-label="Close the side panel"
        title="Close the side panel"
        onClick={() => showPane('side', false)}
      >
        <SignIcon name="close" />
      </button>
    </p>
  );
}
