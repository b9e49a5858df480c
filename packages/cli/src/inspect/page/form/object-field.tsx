/** Fields of objects: their properties, and others that a person names. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useForm, type TextChange, type FieldProps } from './context.ts';
import { Fold } from './fold.tsx';
import { FieldExplanation, Messages } from './frame.tsx';
import { PairsField } from './pairs.tsx';
import { plural } from './model/hints.ts';
import { childOf, nodeAt, put } from './model/json-edit.ts';
import { readJson, type JsonNode } from './model/json-text.ts';
import { problemsHere, problemsIn } from './model/problems.ts';
import type { ObjectKind, Property, FieldShape } from './model/shape.ts';
import { constantOf } from './model/variants.ts';

/** Most optional fields that are shown without a click, where many are folded. */
const maxOptional = 8;

/** Count of properties that are shown at first, and with each "more". */
const step = 100;

interface ObjectProps {
  readonly field: FieldProps;
  readonly shape: FieldShape & ObjectKind;
}

/** An object. A nested one opens and closes. Closed parts are not rendered: a schema may be infinite. */
export function ObjectField({ field, shape }: ObjectProps): JSX.Element {
  const { node } = field;
  const own = problemsHere(field.problems, (name) => shape.properties.has(name) || childOf(node, name) !== undefined);
  const words = wordsOf(shape.properties.size, node);
  const size = Math.min(Math.max(shape.properties.size, node?.members.length ?? 0), step);
  if (field.bare === true)
    return (
      <div class="form-bare">
        <FieldExplanation shape={shape} />
        <Messages messages={own} />
        <Properties field={field} shape={shape} />
      </div>
    );
  return (
    <Fold field={field} shape={shape} empty={['{}', 'empty object']} words={words} size={size} own={own}>
      {() => <Properties field={field} shape={shape} />}
    </Fold>
  );
}

/** Size of an object: how many properties are named, and how many are there. */
function wordsOf(named: number, node: JsonNode | undefined): string {
  if (node === undefined) return named === 0 ? 'object' : `object, ${plural(named, 'field')}`;
  const set = node.members.length;
  return named === 0 ? `object, ${plural(set, 'property')}` : `object, ${set} of ${named} set`;
}

function Properties({ field, shape }: ObjectProps): JSX.Element {
  const [wanted, setWanted] = useState('');
  const [most, setMost] = useState(step);
  const id = useId();
  const form = useForm();
  const [isOpen, setOpen] = useState(false);
  const all = [...shape.properties.values()];
  const found = wanted === '' ? all : all.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  const optional = found.filter(({ required }) => !required);
  const isFolding = form.folds && field.path.length === 0 && optional.length > maxOptional;
  const folded = isFolding ? optional.slice(found.length === optional.length ? maxOptional : 0) : [];
  // A problem in a folded field has to be seen.
  const isShown = isOpen || (form.isTried && folded.some(({ name }) => problemsIn(field.problems, name).length > 0));
  const shown = isShown ? found : found.filter((one) => !folded.includes(one));
  return (
    <div class="form-properties">
      {all.length > step && (
        <div class="form-field">
          <label class="form-label" for={id}>
            Find one of {plural(all.length, 'field')}
          </label>
          <input
            id={id}
            class="form-input"
            type="search"
            value={wanted}
            onInput={({ currentTarget }) => setWanted(currentTarget.value)}
          />
        </div>
      )}
      {shown.slice(0, most).map((property) => (
        <PropertyField key={property.name} field={field} shape={shape} property={property} />
      ))}
      {folded.length > 0 && (
        <p class="form-wide">
          <button type="button" class="form-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Fewer' : `More (${folded.length})`}
          </button>
        </p>
      )}
      {found.length > most && (
        <p class="form-more">
          {most} of {plural(found.length, 'field')} are shown.{' '}
          <button type="button" class="form-button" onClick={() => setMost(most + step)}>
            Show {Math.min(step, found.length - most)} more
          </button>
        </p>
      )}
      <PairsField field={field} shape={shape} />
    </div>
  );
}

function PropertyField({ field, shape, property }: ObjectProps & { readonly property: Property }): JSX.Element {
  const { name, schema, required } = property;
  const { Field } = useForm();
  return (
    <Field
      path={[...field.path, name]}
      schema={schema}
      node={childOf(field.node, name)}
      label={name}
      required={required}
      problems={problemsIn(field.problems, name)}
      change={changeWithin(field, shape)}
    />
  );
}

/** A change in an object: with the first property that is set come those that have one value alone, and have to be there. */
export function changeWithin(field: FieldProps, shape: ObjectKind): (change: TextChange) => void {
  return (change) =>
    field.change((text) => {
      const members = (whole: string): number => nodeAt(readJson(whole).root, field.path)?.members.length ?? 0;
      const changed = change(text);
      if (members(text) > 0 || members(changed) === 0) return changed;
      let complete = changed;
      // Each one is parsed and written again.
      for (const [name, constant] of constantsIn(shape).slice(0, maxConstants)) {
        const path = [...field.path, name];
        if (nodeAt(readJson(complete).root, path) === undefined) complete = put(complete, path, constant);
      }
      return complete;
    });
}

/** Limit of constant properties that are filled in. Further ones are shown as missing. */
const maxConstants = 100;

/** Properties that have to be there and have one value alone, with that. */
function constantsIn({ properties }: ObjectKind): readonly (readonly [string, string])[] {
  return [...properties.values()].flatMap(({ name, schema, required }) => {
    const constant = required ? constantOf(schema) : undefined;
    return constant === undefined ? [] : [[name, constant] as const];
  });
}
