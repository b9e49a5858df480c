/** The fields of a form that asks the user: a small part of JSON Schema. */

import { from, type Lifetime } from '../lifetime.ts';
import {
  array,
  boolean,
  hint,
  integer,
  literal,
  map,
  number,
  openChoice,
  optional,
  ref,
  shape,
  since,
  string,
  type Row,
  type ShapeOf,
} from '../shape.ts';

/** A text field. */
export interface StringSchema {
  /** The field is a text. */
  readonly type: 'string';
  /** The name to show. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The fewest characters. */
  readonly minLength?: number;
  /** The most characters. */
  readonly maxLength?: number;
  /** The format of the text. */
  readonly format?: 'email' | 'uri' | 'date' | 'date-time';
  /** Since 2025-11-25. */
  readonly default?: string;
}

/** A number field. */
export interface NumberSchema {
  /** The field is a number, or a whole number. */
  readonly type: 'number' | 'integer';
  /** The name to show. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The least value. */
  readonly minimum?: number;
  /** The greatest value. */
  readonly maximum?: number;
  /** Since 2025-11-25. */
  readonly default?: number;
}

/** A yes-or-no field. */
export interface BooleanSchema {
  /** The field is true or false. */
  readonly type: 'boolean';
  /** The name to show. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The value at first. */
  readonly default?: boolean;
}

/** A choice of one. Before 2025-11-25 the same as `LegacyTitledEnumSchema` without names. */
export interface UntitledSingleSelectEnumSchema {
  /** The field is one of the values. */
  readonly type: 'string';
  /** The name to show. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The values to choose from. */
  readonly enum: readonly string[];
  /** The value at first. */
  readonly default?: string;
}

/** A choice of one, with names for people. Since 2025-11-25. */
export interface TitledSingleSelectEnumSchema {
  /** The field is one of the values. */
  readonly type: 'string';
  /** The name to show. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The options, each with its value and its name for people. */
  readonly oneOf: readonly { readonly const: string; readonly title: string }[];
  /** The value at first. */
  readonly default?: string;
}

/** A choice of several. Since 2025-11-25. */
export interface UntitledMultiSelectEnumSchema {
  /** The field is a list of values. */
  readonly type: 'array';
  /** The name to show. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The fewest items. */
  readonly minItems?: number;
  /** The most items. */
  readonly maxItems?: number;
  /** The options. */
  readonly items: { readonly type: 'string'; readonly enum: readonly string[] };
  /** The values at first. */
  readonly default?: readonly string[];
}

/** A choice of several, with names for people. Since 2025-11-25. */
export interface TitledMultiSelectEnumSchema {
  /** The field is a list of values. */
  readonly type: 'array';
  /** The name to show. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The fewest items. */
  readonly minItems?: number;
  /** The most items. */
  readonly maxItems?: number;
  /** The options, each with its value and its name for people. */
  readonly items: { readonly anyOf: readonly { readonly const: string; readonly title: string }[] };
  /** The values at first. */
  readonly default?: readonly string[];
}

/** A choice of one, with names for people beside it. Use `TitledSingleSelectEnumSchema`, which replaced it. */
export interface LegacyTitledEnumSchema {
  /** The field is one of the values. */
  readonly type: 'string';
  /** The name to show. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The values to choose from. */
  readonly enum: readonly string[];
  /** The name of each option, in the same order. */
  readonly enumNames?: readonly string[];
  /** Since 2025-11-25. */
  readonly default?: string;
}

/** A field with one choice of several. */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;
/** A field with any number of choices. */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;
/** A field with choices, of any form. */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;

/** One field of a form. */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** A form: a flat object of fields. */
export interface RequestedSchema {
  /** Since 2025-11-25. */
  readonly $schema?: string;
  /** A form is an object. */
  readonly type: 'object';
  /** The fields of the form, by name. */
  readonly properties: Readonly<Record<string, PrimitiveSchemaDefinition>>;
  /** The names of the fields that must be filled in. */
  readonly required?: readonly string[];
}

const elicitation: Lifetime = from('2025-06-18');
const richEnums: Lifetime = from('2025-11-25');
const titles: { readonly title: Row<string, 'optional'>; readonly description: Row<string, 'optional'> } = {
  title: optional(string),
  description: optional(string),
};

export const stringSchemaShape: ShapeOf<StringSchema> = shape(
  'StringSchema',
  {
    type: literal('string'),
    ...titles,
    minLength: optional(integer),
    maxLength: optional(integer),
    format: optional(hint('email', 'uri', 'date', 'date-time')),
    default: since('2025-11-25', optional(string)),
  },
  elicitation,
);

export const numberSchemaShape: ShapeOf<NumberSchema> = shape(
  'NumberSchema',
  {
    type: literal('number', 'integer'),
    ...titles,
    minimum: optional(number),
    maximum: optional(number),
    default: since('2025-11-25', optional(number)),
  },
  elicitation,
);

export const booleanSchemaShape: ShapeOf<BooleanSchema> = shape(
  'BooleanSchema',
  { type: literal('boolean'), ...titles, default: optional(boolean) },
  elicitation,
);

export const titledOptionShape: ShapeOf<TitledSingleSelectEnumSchema['oneOf'][number]> = shape(
  'TitledOption',
  { const: string, title: string },
  richEnums,
);

export const untitledOptionsShape: ShapeOf<UntitledMultiSelectEnumSchema['items']> = shape(
  'UntitledOptions',
  { type: literal('string'), enum: array(string) },
  richEnums,
);

export const titledOptionsShape: ShapeOf<TitledMultiSelectEnumSchema['items']> = shape(
  'TitledOptions',
  { anyOf: array(ref(titledOptionShape)) },
  richEnums,
);

export const untitledSingleSelectShape: ShapeOf<UntitledSingleSelectEnumSchema> = shape(
  'UntitledSingleSelectEnumSchema',
  { type: literal('string'), ...titles, enum: array(string), default: optional(string) },
  richEnums,
);

export const titledSingleSelectShape: ShapeOf<TitledSingleSelectEnumSchema> = shape(
  'TitledSingleSelectEnumSchema',
  { type: literal('string'), ...titles, oneOf: array(ref(titledOptionShape)), default: optional(string) },
  richEnums,
);

export const untitledMultiSelectShape: ShapeOf<UntitledMultiSelectEnumSchema> = shape(
  'UntitledMultiSelectEnumSchema',
  {
    type: literal('array'),
    ...titles,
    minItems: optional(integer),
    maxItems: optional(integer),
    items: ref(untitledOptionsShape),
    default: optional(array(string)),
  },
  richEnums,
);

export const titledMultiSelectShape: ShapeOf<TitledMultiSelectEnumSchema> = shape(
  'TitledMultiSelectEnumSchema',
  {
    type: literal('array'),
    ...titles,
    minItems: optional(integer),
    maxItems: optional(integer),
    items: ref(titledOptionsShape),
    default: optional(array(string)),
  },
  richEnums,
);

export const legacyTitledEnumShape: ShapeOf<LegacyTitledEnumSchema> = shape(
  'LegacyTitledEnumSchema',
  {
    type: literal('string'),
    ...titles,
    enum: array(string),
    enumNames: optional(array(string)),
    default: since('2025-11-25', optional(string)),
  },
  elicitation,
);

// The legacy form comes first: with `enum` alone it is the untitled one, and it is what 2025-06-18 has. Many servers write
// fields that no revision has (a union with null, a reference), which their clients show all the same.
export const primitiveSchema: Row<PrimitiveSchemaDefinition, 'required'> = openChoice(
  'PrimitiveSchemaDefinition',
  legacyTitledEnumShape,
  titledSingleSelectShape,
  untitledMultiSelectShape,
  titledMultiSelectShape,
  booleanSchemaShape,
  numberSchemaShape,
  stringSchemaShape,
);

export const requestedSchemaShape: ShapeOf<RequestedSchema> = shape(
  'RequestedSchema',
  {
    $schema: since('2025-11-25', optional(string)),
    type: literal('object'),
    properties: map(primitiveSchema),
    required: optional(array(string)),
  },
  elicitation,
);
