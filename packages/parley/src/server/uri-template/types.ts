/** The parts of a URI template, and the variables of a template literal as the type checker reads them. */

/** One `{…}` of a template. */
export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly TemplateVariable[];
}

/** One variable in an expression. */
export interface TemplateVariable {
  readonly name: string;
  /** `{list*}`: every item on its own. */
  readonly explode: boolean;
  /** `{name:3}`: no more than its first characters. */
  readonly prefix: number | undefined;
}

/** Rules of an operator, after the table in RFC 6570, appendix A. */
export interface Operator {
  readonly symbol: string;
  /** Written before the first value. */
  readonly first: string;
  /** Written between values. */
  readonly separator: string;
  /** True when values are written as `name=value`. */
  readonly named: boolean;
  /** Written after the name of an empty value. */
  readonly ifEmpty: string;
  /** True when reserved characters are written as they are. */
  readonly reserved: boolean;
}

/** The values of a template's variables, when its text is not known to the type checker. */
export type TemplateValues = Readonly<Record<string, string | string[]>>;

/**
 * The values that matching a template gives: `{id}` is a string, `{id*}` a list, and variables in `{?…}`, `{&…}` and
 * `{;…}` may be absent.
 *
 * @example type Values = VariablesOf<'user://{id}{?tags*}'>; // { id: string; tags?: string[] }
 */
export type VariablesOf<Template extends string> = string extends Template
  ? TemplateValues
  : Flat<Collect<Template, unknown>>;

/** The names of a template's variables. */
export type VariableNames<Template extends string> = string extends Template
  ? string
  : keyof VariablesOf<Template> & string;

type Flat<T> = { readonly [Name in keyof T]: T[Name] };

type Collect<Template extends string, Found> = Template extends `${string}{${infer Expression}}${infer Rest}`
  ? Collect<Rest, Found & FromExpression<Expression>>
  : Found;

type FromExpression<Expression extends string> = Expression extends `${'?' | '&' | ';'}${infer List}`
  ? Partial<FromList<List>>
  : Expression extends `${'+' | '#' | '.' | '/'}${infer List}`
    ? FromList<List>
    : FromList<Expression>;

type FromList<List extends string> = List extends `${infer Variable},${infer Rest}`
  ? FromVariable<Variable> & FromList<Rest>
  : FromVariable<List>;

type FromVariable<Variable extends string> = Variable extends `${infer Name}*`
  ? { [Key in Name]: string[] }
  : Variable extends `${infer Name}:${string}`
    ? { [Key in Name]: string }
    : { [Key in Variable]: string };
