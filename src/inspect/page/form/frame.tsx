/** The frame of each field: its name, what is sent for it, what it wants and what is wrong. */

import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useForm, type FieldProps } from './context.ts';
import { cut } from './model/hints.ts';
import { put, remove } from './model/json-edit.ts';
import { problemsHere } from './model/problems.ts';
import type { Shape } from './model/shape.ts';

/** Attributes by which one control belongs to its field. */
export interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-required': boolean;
}

interface FrameProps {
  readonly field: FieldProps;
  readonly shape: Shape;
  /** An empty value of this kind, as JSON, and its name. */
  readonly empty?: readonly [string, string] | undefined;
  /** Something else to know of what is sent. */
  readonly note?: string | undefined;
  /** Several controls stand together. */
  readonly group?: boolean;
  readonly role?: 'group' | 'radiogroup';
  readonly children: (wiring: Wiring) => ComponentChildren;
}

/** A field with its label, what it says of itself, and its problems. */
export function Frame({ field, shape, empty, note, group = false, role = 'group', children }: FrameProps): JSX.Element {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const messages = problemsHere(field.problems, () => false);
  const wiring: Wiring = {
    id,
    'aria-describedby': `${id}-about ${id}-problems`,
    'aria-invalid': messages.length > 0,
    'aria-required': field.required === true,
  };
  const name = <Name field={field} shape={shape} />;
  const states = <States field={field} shape={shape} empty={empty} frame={frame} />;
  const inner = (
    <>
      <div class="form-head">
        {group ? (
          <span class="form-label" id={`${id}-label`}>
            {name}
          </span>
        ) : (
          <label class="form-label" for={id}>
            {name}
          </label>
        )}
        {states}
      </div>
      {children(wiring)}
      <Explanation id={`${id}-about`} shape={shape} note={note} />
      <Messages id={`${id}-problems`} messages={messages} />
    </>
  );
  if (!group)
    return (
      <div class="form-field" ref={frame}>
        {inner}
      </div>
    );
  const { id: _, 'aria-required': required, 'aria-invalid': invalid, ...described } = wiring;
  const radios = role === 'radiogroup' ? { 'aria-required': required, 'aria-invalid': invalid } : {};
  return (
    <div class="form-field" ref={frame} role={role} aria-labelledby={`${id}-label`} {...described} {...radios}>
      {inner}
    </div>
  );
}

/** The title of a field, or its name, and the name where both differ. */
export function Name({ field, shape }: { readonly field: FieldProps; readonly shape: Shape }): JSX.Element {
  const label = cut(field.label, 120);
  return (
    <>
      <span class="form-title">{shape.title ?? (label === '' ? '(no name)' : label)}</span>
      {field.required === true && <Star />}
      {shape.title !== undefined && shape.title !== label && label !== '' && <code class="form-name">{label}</code>}
      {shape.deprecated && <span class="form-word">deprecated</span>}
      {shape.readOnly && <span class="form-word">read-only</span>}
    </>
  );
}

function Star(): JSX.Element {
  return (
    <>
      <span class="form-star" aria-hidden="true">
        *
      </span>
      <span class="form-hidden"> (required)</span>
    </>
  );
}

interface StatesProps {
  readonly field: FieldProps;
  readonly shape: Shape;
  readonly empty?: readonly [string, string] | undefined;
  readonly frame: RefObject<HTMLElement | null>;
}

/** State of a field: sent or not; and buttons for null, an empty value, the default, or nothing. */
export function States({ field, shape, empty, frame }: StatesProps): JSX.Element {
  const form = useForm();
  const refocus = useRef(false);
  useEffect(() => {
    if (!refocus.current) return;
    refocus.current = false;
    frame.current?.querySelector<HTMLElement>('textarea, input, select, summary, button')?.focus();
  });
  const { node, path, change, item } = field;
  const offer = (text: string | undefined, words: string): JSX.Element => (
    <button
      type="button"
      class="form-state"
      disabled={form.disabled}
      onClick={() => {
        refocus.current = true;
        form.drafts.clear();
        change((whole) => (text === undefined ? remove(whole, path) : put(whole, path, text)));
      }}
    >
      {words}
      <span class="form-hidden"> {cut(field.label, 60)}</span>
    </button>
  );
  const { fallback } = shape;
  return (
    <span class="form-states">
      <span class="form-sent">{sentOf(form.text, field, empty)}</span>
      {node === undefined && fallback !== undefined && offer(fallback, `default ${cut(fallback, 30)}`)}
      {node === undefined && empty !== undefined && offer(empty[0], empty[1])}
      {shape.nullable && node?.kind !== 'null' && offer('null', 'null')}
      {node !== undefined && item !== true && offer(undefined, 'leave out')}
    </span>
  );
}

function sentOf(text: string, { node }: FieldProps, empty: readonly [string, string] | undefined): string {
  if (node === undefined) return 'not sent';
  if (node.kind === 'null') return 'null is sent';
  if (empty !== undefined && text.slice(node.start, node.end) === empty[0]) return `${empty[1]} is sent`;
  return '';
}

interface ExplanationProps {
  readonly id?: string;
  readonly shape: Shape;
  readonly note?: string | undefined;
}

/** The description of a field, and what it wants, in words. */
export function Explanation({ id, shape, note }: ExplanationProps): JSX.Element {
  const hints = [
    ...shape.hints,
    ...(shape.examples.length > 0
      ? [`for example ${shape.examples.map((example) => cut(example, 60)).join(', ')}`]
      : []),
  ];
  return (
    <div class="form-about" id={id}>
      {note !== undefined && <p class="form-note">{note}</p>}
      {shape.description !== undefined && <p class="form-description">{cut(shape.description, 2000)}</p>}
      {hints.length > 0 && <p class="form-hint">{hints.join(' · ')}</p>}
    </div>
  );
}

/** Messages of what is wrong, each in a line. */
export function Messages({
  id,
  messages,
}: {
  readonly id?: string;
  readonly messages: readonly string[];
}): JSX.Element {
  return (
    <ul class="form-problems" id={id}>
      {messages.slice(0, 20).map((message, index) => (
        <li key={index}>
          <span aria-hidden="true">⚠ </span>
          {cut(message, 500)}
        </li>
      ))}
      {messages.length > 20 && <li>{messages.length - 20} more</li>}
    </ul>
  );
}
