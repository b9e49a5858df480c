/** Fields that are typed: texts, numbers, dates, and JSON where there is no other field. */

import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { Completing } from './combobox.tsx';
import { useForm, type FieldProps } from './context.ts';
import { Frame, type Wiring } from './frame.tsx';
import { pointerOf, put, remove } from './model/json-edit.ts';
import { isJsonNumber, readJson, valueOf } from './model/json-text.ts';
import { pickerOf, pickedOf } from './model/pickers.ts';
import type { FieldKind, FieldShape } from './model/shape.ts';

interface Typed<K extends FieldKind['kind']> {
  readonly field: FieldProps;
  readonly shape: FieldShape & Extract<FieldKind, { kind: K }>;
}

const keyboards: Readonly<Record<string, 'email' | 'url'>> = {
  email: 'email',
  'idn-email': 'email',
  uri: 'url',
  'uri-reference': 'url',
};

/** A text. Emptied, it is left out; an empty text is sent by its button. */
export function TextField({ field, shape }: Typed<'text'>): JSX.Element {
  const form = useForm();
  const { node, path, change, item } = field;
  const value = node?.kind === 'string' ? String(valueOf(form.text, node)) : '';
  const onText = (typed: string): void =>
    change((text) => (typed === '' && item !== true ? remove(text, path) : put(text, path, JSON.stringify(typed))));
  const plain = shape.format === undefined && !shape.secret && form.complete === undefined;
  return (
    <Frame field={field} shape={shape} empty={['""', 'empty text']}>
      {(wiring) => {
        if (form.complete !== undefined)
          return <Completing {...wiring} pointer={pointerOf(path)} value={value} onText={onText} label={field.label} />;
        if (plain || value.includes('\n'))
          return <Lines wiring={wiring} value={value} long={shape.long} onText={onText} />;
        return (
          <span class="form-line">
            <Line {...wiring} secret={shape.secret} format={shape.format} value={value} onText={onText} />
            <Picker format={shape.format} value={value} onText={onText} label={field.label} />
          </span>
        );
      }}
    </Frame>
  );
}

interface LineProps extends Wiring {
  readonly secret: boolean;
  readonly format: string | undefined;
  readonly value: string;
  readonly onText: (text: string) => void;
}

function Line({ secret, format, value, onText, ...wiring }: LineProps): JSX.Element {
  const form = useForm();
  const shared = {
    ...wiring,
    class: 'form-input',
    spellcheck: false,
    disabled: form.disabled,
    value,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => onText(currentTarget.value),
  };
  const keyboard = format !== undefined && Object.hasOwn(keyboards, format) ? keyboards[format] : undefined;
  return secret ? (
    <input type="password" autocomplete="new-password" {...shared} />
  ) : (
    <input type="text" autocomplete="off" inputMode={keyboard ?? 'text'} {...shared} />
  );
}

interface LinesProps {
  readonly wiring: Wiring;
  readonly value: string;
  readonly long: boolean;
  readonly onText: (text: string) => void;
}

/** A text of one or more lines: a single-line input would drop pasted line breaks. */
function Lines({ wiring, value, long, onText }: LinesProps): JSX.Element {
  const form = useForm();
  return (
    <textarea
      {...wiring}
      class="form-input"
      rows={long ? 4 : 1}
      spellcheck={false}
      disabled={form.disabled}
      value={value}
      onKeyDown={(event) => {
        // Enter in a short text is rarely meant as a line break; with Shift it is.
        const bare = !event.shiftKey && !event.ctrlKey && !event.metaKey;
        if (event.key === 'Enter' && bare && !long && !value.includes('\n')) event.preventDefault();
      }}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
    />
  );
}

interface PickerProps {
  readonly format: string | undefined;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly label: string;
}

/** The browser's own calendar or clock, beside a field that takes any text. */
function Picker({ format, value, onText, label }: PickerProps): JSX.Element | null {
  const form = useForm();
  const input = useRef<HTMLInputElement>(null);
  const picker = pickerOf(format, value);
  if (picker === undefined) return null;
  return (
    <span class="form-picker">
      <input
        ref={input}
        type={picker.type}
        step="1"
        tabIndex={-1}
        aria-hidden="true"
        value={picker.value}
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== '') onText(pickedOf(picker.type, currentTarget.value));
        }}
      />
      <button type="button" class="form-button" disabled={form.disabled} onClick={() => input.current?.showPicker()}>
        Pick<span class="form-hidden"> a value for {label}</span>
      </button>
    </span>
  );
}

/** A number. Incomplete input is stored as text, so that it is neither lost nor taken for the previous number. */
export function NumberField({ field, shape }: Typed<'number'>): JSX.Element {
  const form = useForm();
  const { node, path, change, item } = field;
  const spelled = node === undefined ? '' : form.text.slice(node.start, node.end);
  const value = node?.kind === 'string' ? String(valueOf(form.text, node)) : node?.kind === 'null' ? '' : spelled;
  return (
    <Frame
      field={field}
      shape={shape}
      note={
        node?.kind === 'string'
          ? `This is no number as JSON writes it: the text ${spelled.slice(0, 60)} is sent.`
          : undefined
      }
    >
      {(wiring) => (
        <input
          {...wiring}
          class="form-input form-number"
          type="text"
          inputMode="decimal"
          autocomplete="off"
          disabled={form.disabled}
          value={value}
          onInput={({ currentTarget }) => {
            const typed = currentTarget.value;
            const literal = isJsonNumber(typed.trim()) ? typed.trim() : JSON.stringify(typed);
            change((text) => (typed === '' && item !== true ? remove(text, path) : put(text, path, literal)));
          }}
        />
      )}
    </Frame>
  );
}

/** Any value, as JSON. Invalid JSON stays in the field, with an error. */
export function JsonField({ field, shape }: { readonly field: FieldProps; readonly shape: FieldShape }): JSX.Element {
  const form = useForm();
  const { node, path, change, item } = field;
  const pointer = pointerOf(path);
  const held = node === undefined ? undefined : form.text.slice(node.start, node.end);
  const draft = form.drafts.get(pointer);
  const current = draft !== undefined && draft.over === held ? draft.text : undefined;
  const fault = current === undefined ? undefined : readJson(current).fault;
  const note =
    fault === undefined
      ? undefined
      : `Not JSON yet (line ${fault.line}, column ${fault.column}: ${fault.message}). Until it is, ${held === undefined ? 'nothing' : 'the previous value'} is sent.`;
  const problems = note === undefined ? field.problems : [...field.problems, { steps: [], message: note }];
  const value = current ?? held ?? '';
  return (
    <Frame
      field={{ ...field, problems }}
      shape={shape}
      note={shape.kind === 'json' ? (shape.why ?? 'Any value, as JSON.') : undefined}
    >
      {(wiring) => (
        <textarea
          {...wiring}
          class="form-input form-json"
          rows={Math.min(12, value.split('\n', 12).length)}
          spellcheck={false}
          disabled={form.disabled}
          value={value}
          onInput={({ currentTarget }) => {
            const typed = currentTarget.value;
            const reading = readJson(typed);
            const absent = typed.trim() === '' && item !== true;
            const whole = reading.root !== undefined;
            // Without a change of the text the draft is what shows; an edit of nothing makes the form show it.
            const next = absent ? undefined : whole ? typed.trim() : held;
            if (!absent) form.drafts.set(pointer, { over: next, text: typed });
            else form.drafts.delete(pointer);
            change((text) => (absent ? remove(text, path) : whole ? put(text, path, typed.trim()) : text));
          }}
        />
      )}
    </Frame>
  );
}
