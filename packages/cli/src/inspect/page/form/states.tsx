/** The states of a field: absent, null, empty or set. */

import type { JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useForm, type FieldProps } from './context.ts';
import { shortText } from './model/hints.ts';
import { pointerOf, put, remove } from './model/json-edit.ts';
import type { FieldShape } from './model/shape.ts';

interface StatesProps {
  readonly field: FieldProps;
  readonly shape: FieldShape;
  /** An empty value of this kind, as JSON, and its name. */
  readonly empty?: readonly [string, string] | undefined;
  readonly frame: RefObject<HTMLElement | null>;
}

/**
 * State of a field, sent or not, with buttons for other states: null, an empty value, the default, nothing, and the
 * previous value.
 */
export function States({ field, shape, empty, frame }: StatesProps): JSX.Element {
  const form = useForm();
  const refocus = useRef(false);
  const before = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (!refocus.current) return;
    refocus.current = false;
    // The button that was pressed may be gone: the focus stays at its field.
    frame.current?.querySelector<HTMLElement>('textarea, input:not([tabindex]), select, .form-toggle')?.focus();
  });
  const { node, path, change, item, inner } = field;
  const held = node === undefined || node.kind === 'null' ? undefined : form.text.slice(node.start, node.end);
  const offer = (text: string | undefined, words: string): JSX.Element => (
    <button
      type="button"
      class="form-state"
      disabled={form.disabled}
      onClick={() => {
        refocus.current = true;
        before.current = held === undefined || held === empty?.[0] ? undefined : held;
        form.drafts.delete(pointerOf(path));
        change((whole) => (text === undefined ? remove(whole, path) : put(whole, path, text)));
      }}
    >
      {words}
      <span class="form-hidden"> {shortText(field.label, 60)}</span>
    </button>
  );
  const { fallback } = shape;
  const whole = inner !== true;
  return (
    <span class="form-states">
      <span class="form-sent">{sentOf(form.text, field, { empty, fallback: shape.fallback })}</span>
      {held === undefined && before.current !== undefined && offer(before.current, 'bring back')}
      {whole && node === undefined && fallback !== undefined && offer(fallback, `default ${shortText(fallback, 30)}`)}
      {node === undefined && empty !== undefined && offer(empty[0], empty[1])}
      {shape.nullable && node?.kind !== 'null' && offer('null', 'null')}
      {whole && node !== undefined && item !== true && offer(undefined, 'leave out')}
    </span>
  );
}

function sentOf(
  text: string,
  { node, inner }: FieldProps,
  { empty, fallback }: { readonly empty: readonly [string, string] | undefined; readonly fallback: string | undefined },
): string {
  if (node === undefined) return inner === true ? '' : 'not sent';
  if (node.kind === 'null') return 'null is sent';
  if (empty !== undefined && text.slice(node.start, node.end) === empty[0]) return `${empty[1]} is sent`;
  return text.slice(node.start, node.end) === fallback ? 'default' : '';
}
