import { formProblem } from '../../../../parley/src/client/input/elicitation-form.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { PrimitiveSchemaDefinition } from '../../../../parley/src/protocol/features/elicitation-schema.ts';
import type { ElicitValue } from '../../../../parley/src/protocol/features/elicitation.ts';
import { printed } from '../shown.ts';

/** Value that may be chosen in a field, and its name for people. */
interface Option {
  readonly value: string;
  readonly title: string;
}

/** A line that a person typed into a field, as its value; left out of the form, or wrong. */
export type TypedEntry = { readonly value: ElicitValue | undefined } | { readonly problem: string };

/** Lines that describe a field of a form, up to where its value is typed. */
export function fieldPrompt(key: string, schema: PrimitiveSchemaDefinition, isRequired: boolean): string {
  const { title, description, default: given } = schema;
  const options = optionsOf(schema).map(
    ({ value, title: name }, at) =>
      `    ${at + 1}  ${printed(name === value ? value : `${name} (${value})`, 'line')}\n`,
  );
  const about = [kindOf(schema), ...(isRequired ? [] : ['may be left out'])].join(', ');
  const words = description === undefined ? '' : `: ${description}`;
  const preset = given === undefined ? '' : ` [${JSON.stringify(given)}]`;
  return `${printed(`${title ?? key} (${about})${words}`, 'line')}\n${options.join('')}${printed(`  ${key}${preset} =`, 'line')} `;
}

/** Reads what was typed into a field. */
export function typedEntry(
  key: string,
  line: string,
  { schema, isRequired }: { readonly schema: PrimitiveSchemaDefinition; readonly isRequired: boolean },
): TypedEntry {
  const typed = line.trim();
  // Defaults are filled in where the answer is made.
  if (typed === '')
    return isRequired && schema.default === undefined ? { problem: 'it is required' } : { value: undefined };
  const value = valueOf(schema, typed);
  const problem = formProblem({ type: 'object', properties: { [key]: schema } }, { [key]: value });
  return problem === undefined ? { value } : { problem };
}

function valueOf(schema: PrimitiveSchemaDefinition, typed: string): ElicitValue {
  const options = optionsOf(schema);
  const chosen = (text: string): string => {
    const byNumber = /^\d{1,4}$/.test(text) ? options[Number(text) - 1] : undefined;
    const named = options.find(({ value }) => value === text) ?? byNumber;
    return (named ?? options.find(({ title }) => title.toLowerCase() === text.toLowerCase()))?.value ?? text;
  };
  switch (schema.type) {
    case 'array':
      return typed.split(',').map((part) => chosen(part.trim()));
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(typed) ? true : /^(?:n|no|false)$/i.test(typed) ? false : typed;
    case 'number':
    case 'integer':
      return Number.isNaN(Number(typed)) ? typed : Number(typed);
    default:
      return options.length === 0 ? typed : chosen(typed);
  }
}

function kindOf(schema: PrimitiveSchemaDefinition): string {
  if (schema.type === 'array') return 'some of these, with commas between';
  if (optionsOf(schema).length > 0) return 'one of these';
  if (schema.type === 'boolean') return 'y or n';
  if (schema.type === 'string' && 'format' in schema && schema.format !== undefined) return schema.format;
  return schema.type === 'string' ? 'text' : schema.type;
}

/** A peer may write anything where options stand. */
function optionsOf(schema: PrimitiveSchemaDefinition): readonly Option[] {
  const {
    enum: plain,
    oneOf,
    anyOf,
    enumNames,
  } = (schema.type === 'array' ? (isObject(schema.items) ? schema.items : {}) : schema) as Readonly<
    Record<string, unknown>
  >;
  if (Array.isArray(plain)) {
    const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return plain.map((value, at) => ({ value: String(value), title: String(names[at] ?? value) }));
  }
  const titled: unknown = oneOf ?? anyOf;
  if (!Array.isArray(titled)) return [];
  return titled
    .filter(isObject)
    .map(({ const: value, title }) => ({ value: String(value), title: String(title ?? value) }));
}
