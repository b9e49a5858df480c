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
  readonly type: 'string';
  readonly title?: string;
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: 'email' | 'uri' | 'date' | 'date-time';
  /** Since 2025-11-25. */
  readonly default?: string;
}

/** A number field. */
export interface NumberSchema {
  readonly type: 'number' | 'integer';
  readonly title?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Since 2025-11-25. */
  readonly default?: number;
}

/** A yes-or-no field. */
export interface BooleanSchema {
  readonly type: 'boolean';
  readonly title?: string;
  readonly description?: string;
  readonly default?: boolean;
}

/** A choice of one. Before 2025-11-25 the same as `LegacyTitledEnumSchema` without names. */
export interface UntitledSingleSelectEnumSchema {
  readonly type: 'string';
  readonly title?: string;
  readonly description?: string;
  readonly enum: readonly string[];
  readonly default?: string;
}

/** An option with a name for people. */
export interface TitledOption {
  readonly const: string;
  readonly title: string;
}

/** A choice of one, with names for people. Since 2025-11-25. */
export interface TitledSingleSelectEnumSchema {
  readonly type: 'string';
  readonly title?: string;
  readonly description?: string;
  readonly oneOf: readonly TitledOption[];
  readonly default?: string;
}

/** The options of a choice of several. */
export interface UntitledOptions {
  readonly type: 'string';
  readonly enum: readonly string[];
}

/** The options of a choice of several, with names for people. */
export interface TitledOptions {
  readonly anyOf: readonly TitledOption[];
}

/** A choice of several. Since 2025-11-25. */
export interface UntitledMultiSelectEnumSchema {
  readonly type: 'array';
  readonly title?: string;
  readonly description?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items: UntitledOptions;
  readonly default?: readonly string[];
}

/** A choice of several, with names for people. Since 2025-11-25. */
export interface TitledMultiSelectEnumSchema {
  readonly type: 'array';
  readonly title?: string;
  readonly description?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items: TitledOptions;
  readonly default?: readonly string[];
}

/** A choice of one, with names for people beside it. Use `TitledSingleSelectEnumSchema`, which replaced it. */
export interface LegacyTitledEnumSchema {
  readonly type: 'string';
  readonly title?: string;
  readonly description?: string;
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
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PrimitiveSchemaDefinition>>;
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

export const titledOptionShape: ShapeOf<TitledOption> = shape(
  'TitledOption',
  { const: string, title: string },
  richEnums,
);

export const untitledOptionsShape: ShapeOf<UntitledOptions> = shape(
  'UntitledOptions',
  { type: literal('string'), enum: array(string) },
  richEnums,
);

export const titledOptionsShape: ShapeOf<TitledOptions> = shape(
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
