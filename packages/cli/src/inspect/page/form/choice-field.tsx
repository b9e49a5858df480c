/** Fields that are one of several kinds. */

import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { useForm, type FieldProps, type Form } from './context.ts';
import { FieldGroup } from './frame.tsx';
import { converted } from './model/conversion.ts';
import { shortText } from './model/hints.ts';
import { pointerOf } from './model/json-edit.ts';
import type { FieldShape, Variant } from './model/shape.ts';
import { variantOf } from './model/variants.ts';

/** Most kinds that are shown as radios, and in a list. */
const maxRadios = 4;
const maxListed = 500;

interface ChoiceProps {
  readonly field: FieldProps;
  readonly shape: FieldShape;
  readonly variants: readonly Variant[];
}

/** A choice between kinds, and the field of the chosen one. Input for another kind comes back with it. */
export function ChoiceField({ field, shape, variants }: ChoiceProps): JSX.Element {
  const form = useForm();
  const { Field } = form;
  const [, draw] = useState(0);
  const typed = useRef(new Map<number, string>());
  const within = useRef(false);
  const pointer = pointerOf(field.path);
  const remembered = form.chosen.get(pointer);
  const chosen = within.current && remembered !== undefined ? remembered : preferred(form, field, variants);
  const variant = variants[chosen];
  const choose = (index: number): void => {
    const { node, path, item = false } = field;
    if (node !== undefined) typed.current.set(chosen, form.text.slice(node.start, node.end));
    form.chosen.set(pointer, index);
    const [from, to] = [variant?.schema ?? true, variants[index]?.schema ?? true];
    const before = typed.current.get(index);
    field.change((text) => converted(form.document, text, { path, from, to, before, item }));
  };
  const note =
    variants.length > maxListed
      ? `${maxListed} of ${variants.length} kinds are listed; the others can be written as JSON.`
      : undefined;
  return (
    <FieldGroup field={field} shape={{ ...shape, hints: [] }} role="group" note={note}>
      <div
        onFocusIn={() => {
          within.current = true;
          form.chosen.set(pointer, chosen);
        }}
        onFocusOut={({ currentTarget, relatedTarget }) => {
          if (relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) return;
          within.current = false;
          draw((count) => count + 1);
        }}
      >
        <Kinds label={field.label} variants={variants.slice(0, maxListed)} chosen={chosen} onChoose={choose} />
        {variant !== undefined && (
          <div class="form-variant">
            <Field
              {...field}
              key={chosen}
              schema={variant.schema}
              // Null is a state of the whole.
              node={field.node?.kind === 'null' && shape.nullable ? undefined : field.node}
              label={variant.name}
              required={false}
              bare
              inner
              turns={(field.turns ?? 0) + 1}
            />
          </div>
        )}
      </div>
    </FieldGroup>
  );
}

interface KindsProps {
  readonly label: string;
  readonly variants: readonly Variant[];
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
}

/** The kinds to choose from: a few as radios, more as a list. */
function Kinds({ label, variants, chosen, onChoose }: KindsProps): JSX.Element {
  const form = useForm();
  const name = useId();
  const words = `Kind of ${shortText(label, 60)}`;
  if (variants.length > maxRadios)
    return (
      <select
        class="form-input"
        aria-label={words}
        disabled={form.disabled}
        value={String(chosen)}
        onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}
      >
        {variants.map((one, index) => (
          <option key={index} value={String(index)}>
            {one.name}
          </option>
        ))}
      </select>
    );
  return (
    <div class="form-options" role="radiogroup" aria-label={words}>
      {variants.map((one, index) => (
        <label key={index} class="form-option">
          <input
            type="radio"
            name={name}
            disabled={form.disabled}
            checked={index === chosen}
            onChange={() => onChoose(index)}
          />
          {one.name}
        </label>
      ))}
    </div>
  );
}

/** The chosen kind, if the value matches it at all; otherwise the matching kind. */
function preferred(form: Form, { path, node }: FieldProps, variants: readonly Variant[]): number {
  const remembered = form.chosen.get(pointerOf(path));
  const schema = remembered === undefined ? undefined : variants[remembered]?.schema;
  if (node === undefined) return schema === undefined ? 0 : (remembered ?? 0);
  const value = { text: form.text, node };
  if (schema !== undefined && remembered !== undefined && variantOf(form.document, [schema], value) === 0)
    return remembered;
  const schemas = variants.map((variant) => variant.schema);
  const found = variantOf(form.document, schemas, value);
  return found === -1 ? (remembered ?? 0) : found;
}
