/** Fields of values that are listed. */

import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Searching } from './combobox.tsx';
import { useForm, type FieldProps } from './context.ts';
import { Frame, FieldGroup } from './frame.tsx';
import { put, remove } from './model/json-edit.ts';
import { valueOf, type JsonNode } from './model/json-text.ts';
import { textOfJson } from './model/schema-document.ts';
import type { FieldOption, FieldShape } from './model/shape.ts';

/** Most values that are shown at once; of more, one is searched. */
export const maxRadios = 6;

/** Most values that are buttons side by side. */
const maxSegments = 5;

interface OptionsProps {
  readonly field: FieldProps;
  readonly shape: FieldShape;
  readonly options: readonly FieldOption[];
}

/** One of several values: radios, or a box that searches. */
export function OptionsField({ field, shape, options }: OptionsProps): JSX.Element {
  return options.length > maxRadios ? (
    <SearchField field={field} shape={shape} options={options} />
  ) : (
    <RadioField field={field} shape={shape} options={options} />
  );
}

function RadioField({ field, shape, options }: OptionsProps): JSX.Element {
  const form = useForm();
  const name = useId();
  const held = spelledAnew(form.text, field.node);
  const all = shape.nullable ? [...options, { name: 'null', text: 'null' }] : options;
  const known = held === undefined || all.some(({ text }) => text === held);
  return (
    <FieldGroup
      field={field}
      shape={{ ...shape, nullable: false }}
      role="radiogroup"
      note={known ? undefined : `${held.slice(0, 60)} is sent, which is none of these.`}
    >
      <div class={all.length > maxSegments ? 'form-options' : 'form-options form-segments'}>
        {all.map((option) => (
          <label key={option.text} class="form-option">
            <input
              type="radio"
              name={name}
              disabled={form.disabled}
              checked={option.text === held}
              onChange={() => field.change((text) => put(text, field.path, option.text))}
            />
            {option.name}
          </label>
        ))}
      </div>
    </FieldGroup>
  );
}

/** A search box. Input that is not listed is sent as text, so that a user can test the server's reaction. */
function SearchField({ field, shape, options }: OptionsProps): JSX.Element {
  const form = useForm();
  const held = spelledAnew(form.text, field.node);
  const chosen = options.find(({ text }) => text === held);
  const unknown = held === undefined || field.node?.kind === 'null' || chosen !== undefined ? undefined : held;
  const value =
    chosen?.name ?? (unknown === undefined || !unknown.startsWith('"') ? (unknown ?? '') : String(JSON.parse(unknown)));
  const onText = (typed: string): void => {
    const found = options.find((option) => option.name === typed)?.text ?? JSON.stringify(typed);
    field.change((text) =>
      typed === '' && field.item !== true ? remove(text, field.path) : put(text, field.path, found),
    );
  };
  const note =
    unknown === undefined
      ? undefined
      : `${unknown.slice(0, 60)} is none of the ${options.length} values that are known.`;
  return (
    <Frame field={field} shape={shape} note={note}>
      {(wiring) => (
        <Searching
          {...wiring}
          label={field.label}
          value={value}
          names={options.map((option) => option.name)}
          onText={onText}
        />
      )}
    </Frame>
  );
}

/** Several of some values, each a box to check. */
export function SeveralField({ field, shape, options }: OptionsProps): JSX.Element {
  const form = useForm();
  const { node, path, change } = field;
  const held = (node?.items ?? []).map((item) => spelledAnew(form.text, item));
  return (
    <FieldGroup field={field} shape={shape} empty={['[]', 'empty list']} role="group">
      <div class="form-options">
        {options.map((option) => {
          const at = held.indexOf(option.text);
          return (
            <label key={option.text} class="form-option">
              <input
                type="checkbox"
                disabled={form.disabled}
                checked={at !== -1}
                onChange={() =>
                  change((text) =>
                    at === -1 ? put(text, [...path, held.length], option.text) : remove(text, [...path, at]),
                  )
                }
              />
              {option.name}
            </label>
          );
        })}
      </div>
    </FieldGroup>
  );
}

/** Says whether every item of a list is one of some values, and none is there twice. */
export function isSeveral(text: string, node: JsonNode | undefined, options: readonly FieldOption[]): boolean {
  const held = (node?.items ?? []).map((item) => spelledAnew(text, item));
  return new Set(held).size === held.length && held.every((one) => options.some((option) => option.text === one));
}

/** A value in the one spelling that all equal values have; members keep their order. */
function spelledAnew(text: string, node: JsonNode | undefined): string | undefined {
  return node === undefined ? undefined : (textOfJson(valueOf(text, node)) ?? text.slice(node.start, node.end));
}
