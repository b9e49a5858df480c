/** A field of any kind: which one it is, its schema and its value decide. */

import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { ChoiceField } from './choice-field.tsx';
import { useForm, type FieldProps } from './context.ts';
import { FileField } from './file-field.tsx';
import { ListField } from './list-field.tsx';
import { isSeveral, OptionsField, SeveralField } from './options-field.tsx';
import { JsonField, NumberField, TextField } from './text-field.tsx';
import { ObjectField } from './object-field.tsx';
import { misfitOf } from './model/misfit.ts';
import { shapeOf, type FieldShape } from './model/shape.ts';

/** Depth of the deepest field; a value that is deeper is JSON. */
const deepest = 40;

/** Most choices of one place, each within the other. */
const maxTurns = 5;

const booleans = [
  { name: 'true', text: 'true' },
  { name: 'false', text: 'false' },
];

/** A field. */
export function FormField(field: FieldProps): JSX.Element {
  const form = useForm();
  const shape = shapeOf(form.document, field.schema);
  const asJson = useRef(false);
  const within = useRef(false);
  const isDeep = field.path.length > deepest || (field.turns ?? 0) > maxTurns;
  const misfit = isDeep ? 'Too deep for a form: this is JSON.' : misfitOf(form.text, shape, field.node);
  // While it is typed, a field stays of the kind that it is.
  if (!within.current) asJson.current = misfit !== undefined;
  if (!asJson.current) return <Fitting field={field} shape={shape} />;
  return (
    <div
      onFocusIn={() => (within.current = true)}
      onFocusOut={() => {
        within.current = false;
        field.change((text) => text);
      }}
    >
      <JsonField field={field} shape={{ ...shape, kind: 'json', why: misfit }} />
    </div>
  );
}

function Fitting({ field, shape }: { readonly field: FieldProps; readonly shape: FieldShape }): JSX.Element {
  const form = useForm();
  switch (shape.kind) {
    case 'text':
      return <TextField field={field} shape={shape} />;
    case 'number':
      return <NumberField field={field} shape={shape} />;
    case 'file':
      return <FileField field={field} shape={shape} />;
    case 'boolean':
      return <OptionsField field={field} shape={shape} options={booleans} />;
    case 'options':
      return <OptionsField field={field} shape={shape} options={shape.options} />;
    case 'null':
      return (
        <OptionsField field={field} shape={{ ...shape, nullable: false }} options={[{ name: 'null', text: 'null' }]} />
      );
    case 'several':
      return shape.options.length <= maxBoxes && isSeveral(form.text, field.node, shape.options) ? (
        <SeveralField field={field} shape={shape} options={shape.options} />
      ) : (
        <ListField field={field} shape={shape} list={{ first: [], rest: shape.each }} />
      );
    case 'object':
      return <ObjectField field={field} shape={shape} />;
    case 'list':
      return <ListField field={field} shape={shape} list={shape} />;
    case 'choice':
      return <ChoiceField field={field} shape={shape} variants={shape.variants} />;
    case 'json':
      return <JsonField field={field} shape={shape} />;
  }
}

/** Most boxes to check; of more, a list is made. */
const maxBoxes = 50;
