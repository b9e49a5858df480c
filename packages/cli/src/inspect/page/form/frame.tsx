/** The frame of each field: its name, its state, its requirements and its errors. */

import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { useForm, type FieldProps } from './context.ts';
import { shortText } from './model/hints.ts';
import { problemsHere } from './model/problems.ts';
import type { FieldShape } from './model/shape.ts';
import { States } from './states.tsx';

/** Attributes by which one control belongs to its field. */
export interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-required': boolean;
}

interface FrameProps {
  readonly field: FieldProps;
  readonly shape: FieldShape;
  /** An empty value of this kind, as JSON, and its name. */
  readonly empty?: readonly [string, string] | undefined;
  /** A further note about the sent value. */
  readonly note?: string | undefined;
  readonly children: (wiring: Wiring) => ComponentChildren;
}

/** A field of one control, with its label, its description and its problems. */
export function Frame({ field, shape, empty, note, children }: FrameProps): JSX.Element {
  const id = useId();
  const { isTried } = useForm();
  const frame = useRef<HTMLDivElement>(null);
  const messages = problemsHere(field.problems, () => false);
  const wiring: Wiring = {
    id,
    'aria-describedby': `${id}-about ${id}-problems`,
    'aria-invalid': messages.length > 0 && isTried,
    'aria-required': field.required === true,
  };
  return (
    <div class="form-field" ref={frame}>
      <Head field={field} shape={shape} empty={empty} frame={frame}>
        <label class={field.inner === true ? 'form-hidden' : 'form-label'} for={id}>
          <Name field={field} shape={shape} />
        </label>
      </Head>
      {children(wiring)}
      <FieldExplanation id={`${id}-about`} shape={shape} note={note} />
      <Messages id={`${id}-problems`} messages={messages} waits={field.node === undefined} />
    </div>
  );
}

interface GroupProps extends Omit<FrameProps, 'children'> {
  readonly role: 'group' | 'radiogroup';
  readonly children: ComponentChildren;
}

/** A field of several controls. */
export function FieldGroup({ field, shape, empty, note, role, children }: GroupProps): JSX.Element {
  const id = useId();
  const { isTried } = useForm();
  const frame = useRef<HTMLDivElement>(null);
  const messages = problemsHere(field.problems, () => false);
  const absent = field.node === undefined;
  const radios =
    role === 'radiogroup'
      ? { 'aria-required': field.required === true, 'aria-invalid': messages.length > 0 && isTried }
      : {};
  return (
    <div
      class="form-field"
      ref={frame}
      role={role}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-about ${id}-problems`}
      {...radios}
    >
      <Head field={field} shape={shape} empty={empty} frame={frame}>
        <span class={field.inner === true ? 'form-hidden' : 'form-label'} id={`${id}-label`}>
          <Name field={field} shape={shape} />
        </span>
      </Head>
      {children}
      <FieldExplanation id={`${id}-about`} shape={shape} note={note} />
      <Messages id={`${id}-problems`} messages={messages} waits={absent} />
    </div>
  );
}

interface HeadProps extends Pick<FrameProps, 'field' | 'shape' | 'empty'> {
  readonly frame: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}

/** The line above a field: its name, and whether it is sent. */
export function Head({ field, shape, empty, frame, children }: HeadProps): JSX.Element {
  return (
    <div class={field.inner === true ? 'form-head form-inner' : 'form-head'}>
      {children}
      <States field={field} shape={shape} empty={empty} frame={frame} />
    </div>
  );
}

/** The title of a field, or its name, and the name where both differ. */
export function Name({ field, shape }: { readonly field: FieldProps; readonly shape: FieldShape }): JSX.Element {
  const label = shortText(field.label, 120);
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

interface ExplanationProps {
  readonly id?: string;
  readonly shape: FieldShape;
  readonly note?: string | undefined;
}

/** The description of a field, and what it wants, in words. */
export function FieldExplanation({ id, shape, note }: ExplanationProps): JSX.Element {
  const examples = shape.examples.map((example) => shortText(example, 60));
  const hints = [...shape.hints, ...(examples.length > 0 ? [`for example ${examples.join(', ')}`] : [])];
  return (
    <div class="form-about" id={id}>
      {note !== undefined && <p class="form-note">{note}</p>}
      {shape.description !== undefined && <p class="form-description">{shortText(shape.description, 2000)}</p>}
      {hints.length > 0 && <p class="form-hint">{hints.join(' · ')}</p>}
    </div>
  );
}

interface MessagesProps {
  readonly id?: string;
  readonly messages: readonly string[];
  /** Nothing was typed yet, so a missing value is no error of the user. */
  readonly waits?: boolean;
}

/** Most messages that are shown at one place. */
const maxMessages = 20;

/** Error messages, each in a line and once. Before the first attempt, a missing value has none, and the others are not red. */
export function Messages({ id, messages: all, waits = false }: MessagesProps): JSX.Element {
  const { isTried } = useForm();
  const messages = waits && !isTried ? [] : [...new Set(all)];
  return (
    <ul class={isTried ? 'form-problems' : 'form-problems form-waits'} id={id}>
      {messages.slice(0, maxMessages).map((message, index) => (
        <li key={index}>
          {isTried && <span aria-hidden="true">⚠ </span>}
          {shortText(message, 500)}
        </li>
      ))}
      {messages.length > maxMessages && <li>{messages.length - maxMessages} more</li>}
    </ul>
  );
}
