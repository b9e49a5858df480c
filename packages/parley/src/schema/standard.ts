/** The interface that schema libraries agree on (Standard Schema v1 and Standard JSON Schema v1): types only. */

/**
 * A schema of any library that follows the standards: zod and arktype as they are, valibot through
 * `toStandardJsonSchema` of `@valibot/to-json-schema`.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The properties that Standard Schema defines. */
  readonly '~standard': StandardProperties<Input, Output>;
}

/** Properties that a standard schema offers. */
export interface StandardProperties<Input = unknown, Output = Input> {
  readonly version: 1;
  /** The name of the library. */
  readonly vendor: string;
  /** Checks a value and gives what the schema makes of it: defaults filled in, transforms applied. */
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** The schema as JSON Schema, before (`input`) and after (`output`) transforms. */
  readonly jsonSchema: StandardConverter;
  /** Only for inference; absent at run time. */
  readonly types?: StandardTypes<Input, Output> | undefined;
}

/** The types of a standard schema. */
export interface StandardTypes<Input = unknown, Output = Input> {
  readonly input: Input;
  readonly output: Output;
}

/** Outcome of a check: a value when `issues` is absent. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One reason why a value does not fit. */
export interface StandardIssue {
  readonly message: string;
  /** The keys that lead to the part that does not fit. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The JSON Schema side of a standard schema; both throw when a schema cannot be expressed. */
export interface StandardConverter {
  readonly input: (options: StandardConverterOptions) => Record<string, unknown>;
  readonly output: (options: StandardConverterOptions) => Record<string, unknown>;
}

/** Choice of the JSON Schema to write. */
export interface StandardConverterOptions {
  readonly target: 'draft-2020-12' | 'draft-07';
}
