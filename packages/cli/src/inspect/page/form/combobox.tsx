/** A text field with proposals beneath it. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useForm } from './context.ts';
import type { Wiring } from './frame.tsx';
import { shortText } from './model/hints.ts';

/** Most proposals that are shown at once. */
const maxShown = 100;

interface ComboboxProps extends Wiring {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly proposals: readonly string[];
  /** Count of those that are not among the proposals. */
  readonly more?: number;
  /** Asked for when the list opens. */
  readonly onOpen?: () => void;
}

/** A field that takes any text, and shows a list to choose from. */
export function Combobox({ label, value, onText, proposals, more = 0, onOpen, ...wiring }: ComboboxProps): JSX.Element {
  const form = useForm();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const list = `${wiring.id}-list`;
  const shown = open && proposals.length > 0;
  const current = Math.min(active, proposals.length - 1);
  const show = (): void => {
    if (!open) onOpen?.();
    setOpen(true);
  };
  const close = (): void => {
    setOpen(false);
    setActive(-1);
  };
  const pick = (text: string): void => {
    onText(text);
    close();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const picked = proposals[current];
    if (step !== 0) {
      show();
      setActive(shown ? Math.max(0, Math.min(proposals.length - 1, current + step)) : 0);
    } else if (event.key === 'Enter' && shown && picked !== undefined && !event.ctrlKey && !event.metaKey) pick(picked);
    else if (event.key === 'Escape' && shown) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span class="form-combobox">
      <input
        {...wiring}
        class="form-input"
        type="text"
        role="combobox"
        aria-expanded={shown}
        aria-controls={shown ? list : undefined}
        aria-autocomplete="list"
        aria-activedescendant={shown && current >= 0 ? `${list}-${current}` : undefined}
        autocomplete="off"
        spellcheck={false}
        disabled={form.disabled}
        value={value}
        onKeyDown={onKeyDown}
        onClick={show}
        onBlur={close}
        onInput={({ currentTarget }) => {
          onText(currentTarget.value);
          setActive(-1);
          setOpen(true);
        }}
      />
      {shown && <Popup id={list} label={label} proposals={proposals} current={current} more={more} onPick={pick} />}
    </span>
  );
}

interface PopupProps {
  readonly id: string;
  readonly label: string;
  readonly proposals: readonly string[];
  readonly current: number;
  readonly more: number;
  readonly onPick: (text: string) => void;
}

function Popup({ id, label, proposals, current, more, onPick }: PopupProps): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children.item(current)?.scrollIntoView({ block: 'nearest' }), [current]);
  return (
    // The field keeps the focus.
    <div class="form-popup" onMouseDown={(event) => event.preventDefault()}>
      <ul role="listbox" id={id} aria-label={`Proposals for ${shortText(label, 60)}`} ref={list}>
        {proposals.map((text, index) => (
          <li
            key={index}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => onPick(text)}
          >
            {text}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="form-hint">{more.toLocaleString('en')} more: type to find them</p>}
    </div>
  );
}

interface SearchingProps extends Wiring {
  readonly label: string;
  readonly value: string;
  readonly names: readonly string[];
  readonly onText: (text: string) => void;
}

/** A combobox over a fixed list of names. */
export function Searching({ names, value, onText, ...props }: SearchingProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const found = matching(names, typed);
  return (
    <Combobox
      {...props}
      value={value}
      proposals={found.slice(0, maxShown)}
      more={Math.max(0, found.length - maxShown)}
      onOpen={() => setTyped('')}
      onText={(text) => {
        setTyped(text);
        onText(text);
      }}
    />
  );
}

/** Names with a text in them, those first that begin with it. */
function matching(names: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  if (wanted === '') return names;
  const found = names.filter((name) => name.toLowerCase().includes(wanted));
  return [
    ...found.filter((name) => name.toLowerCase().startsWith(wanted)),
    ...found.filter((name) => !name.toLowerCase().startsWith(wanted)),
  ];
}

interface CompletingProps extends Wiring {
  readonly label: string;
  readonly pointer: string;
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** A combobox whose proposals are asked for as one types: one question at a time, and the last text is asked last. */
export function Completing({ pointer, value, onText, ...props }: CompletingProps): JSX.Element {
  const { complete } = useForm();
  const [proposals, setProposals] = useState<readonly string[]>([]);
  const asking = useRef<{ wanted: string | undefined; busy: boolean }>({ wanted: undefined, busy: false });
  const ask = async (typed: string): Promise<void> => {
    const state = asking.current;
    state.wanted = typed;
    if (state.busy || complete === undefined) return;
    state.busy = true;
    while (state.wanted !== undefined) {
      const now: string = state.wanted;
      state.wanted = undefined;
      // A question that fails has no proposals; what failed is in the wire.
      const found: readonly string[] = await complete(pointer, now).catch(() => []);
      if (state.wanted === undefined) setProposals(found.slice(0, maxShown));
    }
    state.busy = false;
  };
  return (
    <Combobox
      {...props}
      value={value}
      proposals={proposals}
      onOpen={() => void ask(value)}
      onText={(text) => {
        onText(text);
        void ask(text);
      }}
    />
  );
}
