import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { VirtualList } from '../list.tsx';
import { chosenPlaces, focusSoon } from '../look/focus.ts';
import { isNarrow } from '../look/narrow.ts';
import { Splitter } from '../look/splitter.tsx';
import { line } from '../plain.ts';
import { chosen, chosenServer, lists, server, tab, type Tab } from '../state.ts';

/** Thing of a list that can be chosen. */
export interface Pickable {
  readonly key: string;
  readonly name: string;
  /** Shown beside the name. */
  readonly title?: string | undefined;
  readonly words: string;
  readonly marks: readonly string[];
}

/** A list with a filter, and the chosen item next to it. */
export function Picker(props: {
  readonly of: Tab;
  readonly items: readonly Pickable[];
  readonly empty: string;
  readonly more?: ComponentChildren;
  readonly show: (key: string) => JSX.Element | null;
}): JSX.Element {
  const { of, items, empty, more, show } = props;
  const [typed, setTyped] = useState('');
  const seen = matching(items, typed.toLowerCase());
  // A server may give a thing no name, which is chosen as any other.
  const key = chosen.value[of];
  const at = seen.findIndex((item) => item.key === key);
  const known = items.find((item) => item.key === key);
  // If the chosen item replaces the list, moving through the list chooses nothing.
  const [cursor, setCursor] = useState(0);
  const choose = (index: number): void => {
    const item = seen[index];
    if (item !== undefined) chosen.value = { ...chosen.value, [of]: item.key };
  };
  const open = (index: number): void => {
    choose(index);
    focusSoon(...chosenPlaces);
  };
  return (
    <div class={`picker ${known === undefined ? '' : 'picked'}`} data-hides={at < 0}>
      <div class="pick">
        <input
          type="search"
          class="filter"
          aria-label={`Filter of ${of}`}
          placeholder={`Filter ${items.length} (/)`}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => void (isBareEnter(event) && open(0))}
        />
        {seen.length === 0 ? (
          <p class={`empty ${items.length === 0 && isUnread(of) ? 'bad' : ''}`}>
            {items.length === 0 ? empty : `No matches. ${items.length} are hidden.`}
          </p>
        ) : (
          <VirtualList
            label={of}
            count={seen.length}
            height={44}
            at={isNarrow.value ? Math.min(cursor, seen.length - 1) : at}
            // Names are long, or the same, as a server likes it.
            keyOf={(index) => index}
            onChoose={isNarrow.value ? setCursor : choose}
            {...(isNarrow.value ? { onOpen: open } : { onFold: open })}
            cells={(index) => <Cells item={seen[index]} />}
          />
        )}
        {more}
      </div>
      <Splitter pane="list" />
      <ChosenOne of={of} count={items.length} known={known} show={show} />
    </div>
  );
}

/** Items that match a text: an item with a title is also found by its name, which programs and the wire use. */
function matching(items: readonly Pickable[], wanted: string): readonly Pickable[] {
  return items.filter(
    ({ key, name, title = '', words }) =>
      wanted === '' || `${name} ${title} ${key} ${words}`.toLowerCase().includes(wanted),
  );
}

/** Tells whether Enter alone was pressed: with Ctrl it calls what is chosen. */
function isBareEnter({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === 'Enter' && !ctrlKey && !metaKey;
}

/** Tells whether a list of the chosen server could not be read, or not whole. */
function isUnread(of: Tab): boolean {
  const problems = lists.value.get(chosenServer.value)?.problems ?? {};
  return Object.entries(problems).some(([name, words]) => name === of && words !== undefined);
}

/** Reason why a list of the chosen server has nothing in it. */
export function whyEmpty(of: 'tools' | 'prompts' | 'resources'): string {
  const own = lists.value.get(chosenServer.value);
  if (own !== undefined)
    return isUnread(of) ? `✕ ${own.problems[of]}. The answer stands in the wire.` : `This server has no ${of}.`;
  const state = server.value?.state;
  if (state === 'connected') return `Reading its ${of} …`;
  return state === 'connecting' ? 'Connecting …' : `It is not connected: its ${of} are not known.`;
}

/** Invitations to choose. */
const selectWords: Readonly<Record<Tab, string>> = {
  tools: 'Select a tool.',
  prompts: 'Select a prompt.',
  resources: 'Select a resource.',
  tasks: 'Select a task.',
  calls: 'Select a call.',
  log: '',
  about: '',
};

function ChosenOne(props: {
  readonly of: Tab;
  readonly count: number;
  readonly known: Pickable | undefined;
  readonly show: (key: string) => JSX.Element | null;
}): JSX.Element {
  const { of, count, known, show } = props;
  return (
    <div class="chosen-one">
      {known === undefined ? (
        <p class="empty wide">{count === 0 ? '' : selectWords[of]}</p>
      ) : (
        <>
          <button
            type="button"
            class="small back narrow"
            onClick={() => {
              const { [tab.value]: _, ...others } = chosen.value;
              chosen.value = others;
              // The list, and not its filter: it stands where it stood.
              setTimeout(() => document.querySelector<HTMLElement>('.pick [role=grid]')?.focus(), 0);
            }}
          >
            ‹ all {of}
          </button>
          {show(known.key)}
        </>
      )}
    </div>
  );
}

function Cells({ item }: { readonly item: Pickable | undefined }): JSX.Element {
  return (
    <span role="gridcell" class="item">
      <span class="item-name">
        {line(item?.name ?? '', 80)}
        {item?.title !== undefined && item.title !== item.name && (
          <span class="muted title-beside"> {line(item.title, 60)}</span>
        )}
        {item?.marks.map((mark) => (
          <span key={mark} class="mark">
            {mark}
          </span>
        ))}
      </span>
      <span class="muted item-words">{line(item?.words ?? '', 120)}</span>
    </span>
  );
}
