import { compileSchema, type CompiledSchema } from '../../../../parley/src/schema/json-schema.ts';
import { VerbError } from '../http/body.ts';
import type { Verb } from '../http/listen.ts';

/** Types of the fields of a body; one that ends with `?` may be left out. */
export type FieldType = 'text' | 'number' | 'flag' | 'list' | 'object';

type Named<Type extends string> = Type extends `${infer Bare}?` ? Bare : Type;
type ValueOf<Type extends string> =
  Named<Type> extends 'text'
    ? string
    : Named<Type> extends 'number'
      ? number
      : Named<Type> extends 'flag'
        ? boolean
        : Named<Type> extends 'list'
          ? readonly unknown[]
          : Readonly<Record<string, unknown>>;

/** BodyFields of a body, by their types. */
export type BodyFields = Readonly<Record<string, FieldType | `${FieldType}?`>>;

/** A body as its fields say. */
export type BodyOf<F extends BodyFields> = {
  readonly [Name in keyof F as F[Name] extends `${string}?` ? never : Name]: ValueOf<F[Name]>;
} & {
  readonly [Name in keyof F as F[Name] extends `${string}?` ? Name : never]?: ValueOf<F[Name]> | undefined;
};

const types: Readonly<Record<FieldType, string>> = {
  text: 'string',
  number: 'number',
  flag: 'boolean',
  list: 'array',
  object: 'object',
};

/** Makes a verb whose body has the fields that it names, and no others. */
export function verb<const F extends BodyFields>(
  fields: F,
  run: (body: BodyOf<F>, reply: Parameters<Verb>[1]) => Promise<object | undefined> | object | undefined,
): Verb {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(fields).filter((name) => fields[name]?.endsWith('?') !== true),
    properties: Object.fromEntries(
      // A type without its sign is one of the table.
      Object.entries(fields).map(([name, type]) => [name, { type: types[type.replace('?', '') as FieldType] }]),
    ),
  };
  let compiled: Promise<CompiledSchema> | undefined;
  return async (body, reply) => {
    compiled ??= compileSchema(schema, { origin: 'own' });
    const [problem] = (await compiled).check(body);
    if (problem !== undefined)
      throw new VerbError(400, `${problem.path === '' ? 'the body' : problem.path}: ${problem.message}`);
    // The schema has the same fields with the same types.
    return await run(body as BodyOf<F>, reply);
  };
}
