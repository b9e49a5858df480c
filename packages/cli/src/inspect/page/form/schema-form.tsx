/** A form from a JSON Schema, over the one text that is sent. */

import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { FormContext, type TextChange, type Form } from './context.ts';
import { FormField } from './field.tsx';
import { readJson } from './model/json-text.ts';
import { fieldProblems } from './model/problems.ts';
import { shapeOf, type FieldShape } from './model/shape.ts';
import { isRecord, own, schemaDocument, type FormSchema } from './model/schema-document.ts';

/** Properties of a form. */
export interface SchemaFormProps {
  /** The schema, of a stranger: anything may be in it. */
  readonly schema: Readonly<Record<string, unknown>> | boolean;
  /** JSON of the whole value; blank where nothing was typed. */
  readonly text: string;
  /** Called with the whole new text on each edit. */
  readonly onText: (text: string) => void;
  /** Problems by JSON pointer: shown at the field, or at the nearest one around it. */
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
  /** Name of the form, for screen readers. */
  readonly label: string;
  readonly disabled?: boolean;
  /** Texts that could follow what is typed in the field at a JSON pointer. */
  readonly complete?: (pointer: string, typed: string) => Promise<readonly string[]>;
  /** False before the first attempt to send: until then, no field is marked as wrong. True by default. */
  readonly isTried?: boolean;
  /** True to fold the optional fields, if there are many. */
  readonly folds?: boolean;
}

/** Most fields of parts that open by themselves; each further part is opened by a click. */
const maxShown = 500;

/** A form whose fields are parts of a text: each edit changes its own bytes alone. */
export function SchemaForm(props: SchemaFormProps): JSX.Element {
  const { schema, text, onText, problems, label, disabled = false, complete, isTried = true, folds = false } = props;
  const document = useDocument(schema);
  const reading = useMemo(() => readJson(text), [text]);
  const told = useMemo(() => fieldProblems(problems), [problems]);
  const [, draw] = useState(0);
  const shape = shapeOf(document, document.root);
  const latest = useRef(text);
  latest.current = text;
  const kept = useMemo(
    () =>
      ({ drafts: new Map(), chosen: new Map(), room: { left: maxShown } }) satisfies Pick<
        Form,
        'drafts' | 'chosen' | 'room'
      >,
    [document],
  );
  const change = (edit: TextChange): void => {
    const next = edit(latest.current);
    if (next === latest.current) draw((count) => count + 1);
    else onText((latest.current = next));
  };
  const form: Form = { Field: FormField, document, text, disabled, complete, isTried, folds, ...kept };
  if (reading.fault !== undefined) {
    const { line, column, message } = reading.fault;
    return (
      <div class="form" role="group" aria-label={label}>
        <p class="form-broken" role="status">
          This is not JSON, so there is no form for it: line {line}, column {column}, {message}. Fix it in the JSON
          view; it is kept as it is.
        </p>
      </div>
    );
  }
  return (
    <FormContext.Provider value={form}>
      <div class="form" role="group" aria-label={label}>
        {shape.kind === 'object' && shape.properties.size === 0 && shape.others.length === 0 ? (
          <p class="form-legend">No arguments.</p>
        ) : (
          hasRequired(shape) && (
            <p class="form-legend form-required">
              <span class="form-star">*</span> required
            </p>
          )
        )}
        <FormField
          path={[]}
          schema={document.root}
          node={reading.root}
          label={label}
          problems={told}
          change={change}
          bare
        />
      </div>
    </FormContext.Provider>
  );
}

/** The document of a schema: the same as before where the schema is the same but for the object that holds its keywords. */
function useDocument(schema: SchemaFormProps['schema']): FormSchema {
  const kept = useRef<{ readonly schema: unknown; readonly document: FormSchema }>(undefined);
  if (kept.current === undefined || !sameKeywords(kept.current.schema, schema))
    kept.current = { schema, document: schemaDocument(schema) };
  return kept.current.document;
}

function sameKeywords(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => own(one, name) === own(other, name));
}

/** Tells whether a field at the top has to be filled in; deeper ones are marked where they open. */
function hasRequired(shape: FieldShape): boolean {
  return shape.kind !== 'object' || [...shape.properties.values()].some(({ required }) => required);
}
