/** Types of the values that a schema describes: all inference of the public API is here, and it is kept shallow. */

import type { StandardSchema } from './standard.ts';

/**
 * A JSON Schema written as an object. It is sent as it is; `$schema` names its dialect, 2020-12 when absent.
 * The few keywords here only tell it apart from the schema objects of libraries.
 */
export interface JsonSchemaKeywords {
  readonly '~standard'?: undefined;
  readonly $schema?: unknown;
  readonly $ref?: unknown;
  readonly type?: unknown;
  readonly properties?: unknown;
  readonly items?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly allOf?: unknown;
  readonly anyOf?: unknown;
  readonly oneOf?: unknown;
  readonly not?: unknown;
  readonly if?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
}

/** A JSON Schema object, written as a literal, made by a builder such as TypeBox, or of unknown origin. */
export type JsonSchema = JsonSchemaKeywords | { readonly [keyword: string]: unknown };

/** Any schema that the API takes: a standard schema with its JSON Schema side, or plain JSON Schema. */
export type AnySchema = StandardSchema | JsonSchema;

/** The type of a value after a schema checked it: what a handler gets. */
export type InferOutput<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer Output }
    ? Output
    : unknown
  : FromJsonSchema<S>;

/** The type of a value before a schema checked it: what a handler returns. */
export type InferInput<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer Input }
    ? Input
    : unknown
  : FromJsonSchema<S>;

/**
 * A value as somebody may write it who is only read: its arrays and fields may be `readonly`, and what may be missing may be `undefined`,
 * as JSON leaves it out.
 */
export type Written<T> = unknown extends T
  ? T
  : T extends
        | string
        | number
        | boolean
        | bigint
        | symbol
        | null
        | undefined
        | Date
        | URL
        | Uint8Array
        | ((...args: never[]) => unknown)
    ? T
    : T extends readonly unknown[]
      ? { readonly [Place in keyof T]: Written<T[Place]> }
      : { readonly [Name in keyof T]: Written<T[Name]> | MayBeMissing<T, Name> };

/** Value that a field may have besides which may be missing; a record has no such fields. */
type MayBeMissing<T, Name extends keyof T> = string extends Name ? never : {} extends Pick<T, Name> ? undefined : never;

/** The types that need no look inside. */
interface Primitives {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

/**
 * The type that a JSON Schema literal describes: `type`, `properties`, `required`, `items`, `prefixItems`, `enum`,
 * `const`, `anyOf`, `oneOf`. Anything else (`$ref`, `allOf`, conditionals) is `unknown`, which asks for a check by hand.
 */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Member)[] }
    ? Member
    : S extends { readonly anyOf: readonly (infer Member)[] } | { readonly oneOf: readonly (infer Member)[] }
      ? FromJsonSchema<Member>
      : S extends { readonly type: infer Type }
        ? FromType<Type, S>
        : unknown;

type FromType<Type, S> = Type extends keyof Primitives
  ? Primitives[Type]
  : Type extends 'array'
    ? FromArray<S>
    : Type extends 'object'
      ? S extends { readonly properties: infer Properties }
        ? FromProperties<Properties, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
        : Record<string, unknown>
      : Type extends readonly (infer Member)[]
        ? FromType<Member, S>
        : unknown;

type FromArray<S> = S extends { readonly prefixItems: infer Prefix }
  ? Prefix extends readonly unknown[]
    ? [...FromPrefix<Prefix, S>, ...FromItems<S>]
    : unknown
  : FromItems<S>;

type FromItems<S> = S extends { readonly items: infer Items }
  ? Items extends false
    ? []
    : FromJsonSchema<Items>[]
  : unknown[];

/** An array may be shorter than its prefix, unless `minItems` says that it has all of it. */
type FromPrefix<Prefix extends readonly unknown[], S> = S extends { readonly minItems: Prefix['length'] }
  ? { -readonly [Place in keyof Prefix]: FromJsonSchema<Prefix[Place]> }
  : { -readonly [Place in keyof Prefix]?: FromJsonSchema<Prefix[Place]> };

type FromProperties<Properties, Required> = Flat<
  { -readonly [Name in keyof Properties as Name extends Required ? Name : never]: FromJsonSchema<Properties[Name]> } & {
    -readonly [Name in keyof Properties as Name extends Required ? never : Name]?: FromJsonSchema<Properties[Name]>;
  }
>;

type Flat<T> = { [Key in keyof T]: T[Key] };
