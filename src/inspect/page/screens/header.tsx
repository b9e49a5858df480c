import type { JSX } from 'preact';
import { Choice } from '../parts.tsx';
import { dialog, hello, place, questions, rowCount, rowsVersion, servers, showRow } from '../state.ts';

/** The bar on top: how many servers, how much was recorded, what waits. */
export function Header(): JSX.Element {
  void rowsVersion.value;
  const waiting = questions.value.size;
  const [first] = questions.value.values();
  return (
    <header class="top">
      <h1>Parley</h1>
      <span class="muted wide">
        {servers.value.size} {servers.value.size === 1 ? 'server' : 'servers'}
      </span>
      <span class="narrow">
        <Choice
          label="Part of the page"
          of={[
            ['servers', 'Servers'],
            ['use', 'Use'],
            ['wire', 'Wire'],
          ]}
          value={place.value}
          onChoose={(chosen) => (place.value = chosen)}
        />
      </span>
      <span class="space" />
      {hello.value?.isReadOnly === true && <span class="badge">read only</span>}
      {waiting > 0 && (
        <button
          type="button"
          class="badge asks"
          onClick={() => {
            place.value = 'use';
            document.querySelector<HTMLElement>('.question')?.scrollIntoView({ block: 'nearest' });
            if (first?.row !== undefined && place.value !== 'use') showRow(first.row);
          }}
        >
          {waiting} {waiting === 1 ? 'question waits' : 'questions wait'}
        </button>
      )}
      <span class="muted wide">
        <span aria-hidden="true">● </span>
        {rowCount().toLocaleString('en')} recorded
      </span>
      <button type="button" class="small" onClick={() => (dialog.value = 'palette')}>
        <span class="wide">Search </span>
        <kbd>Ctrl K</kbd>
      </button>
      <button type="button" class="small" aria-label="Keys" onClick={() => (dialog.value = 'help')}>
        ?
      </button>
    </header>
  );
}
