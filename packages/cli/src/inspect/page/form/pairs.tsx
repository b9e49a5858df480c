/** Properties that a schema does not name: pairs of a name and a value. */

import type { JSX } from 'preact';
import { useLayoutEffect, useId, useRef, useState } from 'preact/hooks';
import { useForm, type FieldProps } from './context.ts';
import { shortText, plural } from './model/hints.ts';
import { childOf, remove, rename } from './model/json-edit.ts';
import { schemaForName } from './model/names.ts';
import { problemsIn } from './model/problems.ts';
import type { ObjectKind, FieldShape } from './model/shape.ts';

/** Count of pairs that are shown at first, and with each "more". */
const step = 50;

interface PairsProps {
  readonly field: FieldProps;
  readonly shape: FieldShape & ObjectKind;
}

/** Pairs, and a way to add one where the schema admits it. Those that it does not admit are shown as well: they are sent. */
export function PairsField({ field, shape }: PairsProps): JSX.Element | null {
  const [pending, setPending] = useState<string>();
  const [most, setMost] = useState(step);
  const part = useRef<HTMLDivElement>(null);
  const refocus = useRef<'value' | 'add' | undefined>(undefined);
  const names = [...new Set(field.node?.members.map(({ name }) => name))].filter((name) => !shape.properties.has(name));
  const taken = (name: string): boolean => names.includes(name) || shape.properties.has(name);
  const waits = pending === undefined || taken(pending) ? [] : [pending];
  useLayoutEffect(() => {
    focusOn(part.current, refocus.current);
    refocus.current = undefined;
  });
  if (shape.others.length === 0 && names.length === 0) return null;
  return (
    <div
      class="form-pairs"
      role="group"
      aria-label={`Other properties of ${shortText(field.label, 60) || 'the value'}`}
      ref={part}
    >
      {shape.properties.size > 0 && <p class="form-word">other properties</p>}
      {[...names.slice(0, most), ...waits].map((name, index) => (
        <Pair
          key={index}
          field={field}
          shape={shape}
          name={name}
          taken={taken}
          onName={(other) => {
            if (!names.includes(name)) setPending(other);
            else field.change((text) => rename(text, [...field.path, name], other));
          }}
          onRemove={() => {
            refocus.current = 'add';
            setPending(undefined);
            field.change((text) => remove(text, [...field.path, name]));
          }}
        />
      ))}
      {names.length > most && (
        <p class="form-more">
          {most} of {plural(names.length, 'property')} are shown.{' '}
          <button type="button" class="form-button" onClick={() => setMost(most + step)}>
            Show more
          </button>
        </p>
      )}
      {shape.others.length > 0 && (
        <AddPair
          others={shape.others}
          taken={taken}
          onAdd={(name) => {
            refocus.current = 'value';
            setPending(name);
          }}
        />
      )}
    </div>
  );
}

/** Puts the focus on the value of the last pair, or where another is added. */
function focusOn(part: HTMLElement | null, wanted: 'value' | 'add' | undefined): void {
  if (wanted === undefined) return;
  const pairs = part?.querySelectorAll(':scope > .form-pair');
  const target = wanted === 'value' ? pairs?.item(pairs.length - 1) : part?.querySelector(':scope > .form-add');
  const controls = target?.querySelectorAll<HTMLElement>('textarea, input, select, summary');
  controls?.item(wanted === 'value' ? 1 : 0)?.focus();
}

interface PairProps extends PairsProps, PairNameProps {
  readonly onRemove: () => void;
}

function Pair({ field, shape, onRemove, ...naming }: PairProps): JSX.Element {
  const { Field, disabled } = useForm();
  const { name } = naming;
  return (
    <div class="form-pair">
      <PairName {...naming} />
      <Field
        path={[...field.path, name]}
        schema={schemaForName(shape.others, name)}
        node={childOf(field.node, name)}
        label={name}
        problems={problemsIn(field.problems, name)}
        change={field.change}
        item
        inner
      />
      <button type="button" class="form-button" disabled={disabled} onClick={onRemove}>
        Remove<span class="form-hidden"> {shortText(name, 60)}</span>
      </button>
    </div>
  );
}

interface PairNameProps {
  readonly name: string;
  readonly taken: (name: string) => boolean;
  readonly onName: (name: string) => void;
}

/** The name of a pair, which changes when its field is left: on the way to a name others may be passed. */
function PairName({ name, taken, onName }: PairNameProps): JSX.Element {
  const form = useForm();
  const id = useId();
  const [draft, setDraft] = useState<string>();
  const typed = draft ?? name;
  const wrong = typed !== name && taken(typed);
  const settle = (): void => {
    if (wrong) return;
    setDraft(undefined);
    if (typed !== name) onName(typed);
  };
  return (
    <div class="form-field">
      <label class="form-hidden" for={id}>
        name
      </label>
      <input
        id={id}
        class="form-input"
        type="text"
        spellcheck={false}
        autocomplete="off"
        disabled={form.disabled}
        aria-invalid={wrong}
        value={typed.length > 1000 ? shortText(typed) : typed}
        readOnly={typed.length > 1000}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        onBlur={settle}
        onKeyDown={(event) => {
          if (event.key === 'Enter') settle();
        }}
      />
      {wrong && <p class="form-problems">There is a property of that name.</p>}
    </div>
  );
}

interface AddPairProps {
  readonly others: ObjectKind['others'];
  readonly taken: (name: string) => boolean;
  readonly onAdd: (name: string) => void;
}

function AddPair({ others, taken, onAdd }: AddPairProps): JSX.Element {
  const form = useForm();
  const id = useId();
  const [name, setName] = useState('');
  const patterns = others.flatMap(({ pattern }) => pattern ?? []);
  const add = (): void => {
    if (taken(name)) return;
    onAdd(name);
    setName('');
  };
  return (
    <div class="form-field form-add">
      <label class="form-label" for={id}>
        another property
      </label>
      <span class="form-line">
        <input
          id={id}
          class="form-input"
          type="text"
          placeholder="name"
          spellcheck={false}
          autocomplete="off"
          disabled={form.disabled}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) add();
          }}
        />
        <button type="button" class="form-button" disabled={form.disabled || taken(name)} onClick={add}>
          Add
        </button>
      </span>
      {patterns.length > 0 && (
        <p class="form-hint">names that match {patterns.map((pattern) => shortText(pattern, 60)).join(' or ')}</p>
      )}
      {taken(name) && <p class="form-problems">There is a property of that name.</p>}
    </div>
  );
}
