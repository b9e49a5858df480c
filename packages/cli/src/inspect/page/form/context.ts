/** State that every field of one form shares. */

import { createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import type { Path } from './model/json-edit.ts';
import type { JsonNode } from './model/json-text.ts';
import type { FieldProblem } from './model/problems.ts';
import type { Schema, FormSchema } from './model/schema-document.ts';

/** A form. */
export interface Form {
  /** A field of any kind: those that hold others are made of it. */
  readonly Field: (props: FieldProps) => JSX.Element;
  readonly document: FormSchema;
  readonly text: string;
  readonly disabled: boolean;
  readonly complete: ((pointer: string, typed: string) => Promise<readonly string[]>) | undefined;
  /** Texts that are not JSON yet, and the previous values, by pointer. */
  readonly drafts: Map<string, { readonly over: string | undefined; readonly text: string }>;
  /** Schemas that a person chose, of several, by pointer. */
  readonly chosen: Map<string, number>;
  /** Fields that may still be shown without a click: a schema may wish for more of them than a page can hold. */
  readonly room: { left: number };
  /** True once the values were sent or refused. Before that, no field is marked as wrong. */
  readonly isTried: boolean;
  /** True if many optional fields are folded. */
  readonly folds: boolean;
}

/** A change of the whole text. */
export type TextChange = (text: string) => string;

/** A field: its path in the value, and its schema. */
export interface FieldProps {
  readonly path: Path;
  readonly schema: Schema;
  /** The value, if there is one. */
  readonly node: JsonNode | undefined;
  /** Name of the place, for a schema without a title. */
  readonly label: string;
  readonly required?: boolean;
  readonly problems: readonly FieldProblem[];
  readonly change: (change: TextChange) => void;
  /** An item of a list, which cannot be absent. */
  readonly item?: boolean;
  /** Count of choices around it at its own place: a schema may lead from one to the next forever. */
  readonly turns?: number;
  /** Something around it has its label, and its states but for an empty value. */
  readonly inner?: boolean;
  /** The parts of an object stand for themselves, without a frame. */
  readonly bare?: boolean;
}

/** The form that a field is in. */
export const FormContext = createContext<Form | undefined>(undefined);

/** The form that a field is in. */
export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === undefined) throw new TypeError('a field stands in a form');
  return form;
}
