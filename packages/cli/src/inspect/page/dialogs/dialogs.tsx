import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { keyWords } from '../keys.ts';
import { focusIfLost } from '../look/focus.ts';
import { line } from '../plain.ts';
import { dialog, place, singleKeys } from '../state.ts';
import { CapabilitiesPanel } from './capabilities.tsx';
import { Compare } from './compare.tsx';
import { foundIn, type Goal } from '../palette/find.ts';
import { goals } from '../palette/goals.ts';

const labels = {
  palette: 'Search everything',
  help: 'Keys',
  compare: 'Compare two servers',
  capabilities: 'Capabilities',
} as const;

/** The dialog that is open, where one is. */
export function Dialogs(): JSX.Element | null {
  const box = useRef<HTMLDialogElement>(null);
  const which = dialog.value;
  useEffect(() => {
    if (which !== undefined && box.current?.open === false) box.current.showModal();
  }, [which]);
  if (which === undefined) return null;
  return (
    // Each has its own element: the close event comes a moment later, when another may be open.
    <dialog
      key={which}
      ref={box}
      aria-label={labels[which]}
      onClose={({ target }) => target === box.current && (dialog.value = undefined)}
      onClick={(event) => {
        if (event.target === box.current) box.current?.close();
      }}
    >
      {which === 'palette' && (
        <Palette
          onClose={() => {
            // Closed, and not only taken away: the focus goes back to where it was.
            box.current?.close();
            // The close event comes a moment later, and until then keys would be ignored.
            dialog.value = undefined;
          }}
        />
      )}
      {which === 'help' && <Help />}
      {which === 'capabilities' && <CapabilitiesPanel />}
      {which === 'compare' && <Compare />}
      <p class="doing">
        <button type="button" class="small" onClick={() => box.current?.close()}>
          Close <kbd>Esc</kbd>
        </button>
      </p>
    </dialog>
  );
}

function Palette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const seen = foundIn(goals(typed), typed);
  const go = (goal: Goal | undefined): void => {
    onClose();
    // While the dialog is there, nothing beside it takes the focus.
    setTimeout(() => {
      goal?.go();
      // The element that had the focus may be hidden now.
      focusIfLost(`.${place.value === 'questions' ? 'use' : place.value === 'lens' ? 'lens-place' : place.value}`);
    }, 0);
  };
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: 'nearest' }), [at]);
  return (
    <div class="palette">
      <input
        type="search"
        role="combobox"
        list={undefined}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={seen.length > 0 ? `palette-${at}` : undefined}
        aria-label="Search everything"
        placeholder="Tool, prompt, resource, message or command"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(at + 1, seen.length - 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
          else if (event.key === 'Enter') go(seen[at]);
          // A browser would clear the field first, and close with the second press.
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
        }}
      />
      {seen.length === 0 && <p class="empty">No matches.</p>}
      <ul ref={list} id="palette-list" role="listbox" aria-label="Found">
        {seen.map((goal, index) => (
          <li
            key={index}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            class={index === at ? 'chosen' : ''}
            onClick={() => go(goal)}
          >
            {goal.words}
            {goal.also !== undefined && <span class="muted"> {line(goal.also, 120)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Help(): JSX.Element {
  return (
    <div>
      <h2>Keys</h2>
      <dl class="facts">
        {keyWords.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <label class="again">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => {
            singleKeys.value = event.currentTarget.checked;
            localStorage.setItem('parley-keys', singleKeys.value ? 'on' : 'off');
          }}
        />{' '}
        single keys, outside of fields
      </label>
    </div>
  );
}
