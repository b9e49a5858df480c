/** The vocabulary in which every type of the protocol is written once, with the revisions in which it lives. */

import { always, from, until, within, type Lifetime } from './lifetime.ts';
import type { RevisionDate } from './revision.ts';

/** Kind of value that a field holds, as data; the compilers in `project`, `read` and `inspect` give it meaning. */
export type Kind =
  | { readonly kind: 'boolean' | 'null' | 'object' | 'any' }
  /** `loose`: what is no string from a peer counts as absent. */
  | { readonly kind: 'string'; readonly loose: boolean }
  /** Bounds of a number: less or more is found by a check, and understood all the same. */
  | { readonly kind: 'number' | 'integer'; readonly least?: number; readonly most?: number }
  /** An object whose being there is the message; a peer's `true` or other junk reads as an empty one. */
  | { readonly kind: 'presence' }
  /** `loose`: an unknown value from a peer counts as absent. */
  | { readonly kind: 'literal'; readonly values: readonly string[]; readonly loose: boolean }
  /** `loose`: an entry of a peer that does not fit may be left out. */
  | { readonly kind: 'array'; readonly of: Row; readonly loose: boolean }
  /** `presence`: whatever a peer sends in place of the object reads as an empty one. `loose`: so does an entry that does not fit as none. */
  | { readonly kind: 'map'; readonly of: Row; readonly presence: boolean; readonly loose: boolean }
  | { readonly kind: 'ref'; readonly shape: Shape; readonly presence: boolean }
  /** One of several shapes, told apart by a field; an unknown tag passes untouched. */
  | {
      readonly kind: 'tagged';
      readonly name: string;
      readonly by: string;
      readonly cases: ReadonlyMap<unknown, Shape>;
      /** The tag that an absent field stands for. */
      readonly absent: string | undefined;
    }
  /** The first shape whose required fields are there. `open`: an object of none of them is kept as it came. */
  | { readonly kind: 'choice'; readonly name: string; readonly cases: readonly Shape[]; readonly open: boolean }
  /** One of several kinds, told apart by their JSON type. */
  | { readonly kind: 'oneOf'; readonly of: readonly Row[] }
  /** More was allowed from some revision on; a peer of an older one is understood as if it were newer. */
  | { readonly kind: 'widened'; readonly life: Lifetime; readonly older: Row; readonly newer: Row };

/** Presence of a field in an interface, required or optional. */
export type Presence = 'required' | 'optional';

/** One field: what it holds, whether it must be there, and in which revisions it lives. */
export interface Row<out T = unknown, out P extends Presence = Presence> {
  readonly kind: Kind;
  readonly presence: P;
  /** The revisions that know the field; within the life of the type that has it. */
  readonly life: Lifetime;
  /** For an optional field: the revisions in which it must be sent all the same. */
  readonly requiredIn: readonly Lifetime[];
  /** The value that is sent where the field must be and is absent. */
  readonly fill?: string | number | null;
  /** For a required field: its value where a peer leaves it out of an object; none by default. */
  readonly absent?: (object: Readonly<Record<string, unknown>>) => unknown;
  /** True when it is read by itself, before what holds it, which leaves it as it came. */
  readonly readApart?: true;
  /** Never there: ties the row to the type of the field. */
  readonly type?: T;
}

type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: true };

/** A row for every named field of an interface, no more, no fewer, optional exactly where the interface is. */
export type RowsOf<T> = {
  readonly [K in KnownKeys<T> & keyof T]-?: object extends Pick<T, K>
    ? Row<Exclude<T[K], undefined>, 'optional'>
    : Row<T[K], 'required'>;
};

/** An interface of the protocol as the compilers see it. */
export interface Shape<out T = unknown> {
  readonly name: string;
  readonly life: Lifetime;
  readonly rows: Readonly<Record<string, Row>>;
  /** Never there: ties the shape to its interface. */
  readonly type?: T;
}

/** The shape of an interface; the compiler keeps the two together. */
export interface ShapeOf<T> extends Shape<T> {
  readonly rows: RowsOf<T> & Readonly<Record<string, Row>>;
  /** Never there: a shape is that of its interface, and not of one with fewer fields. */
  readonly exactly?: (value: T) => T;
}

/** A type of the protocol: the shape of an interface, or a row where it is one of several. */
export type Type<T = unknown> = Shape<T> | Row<T>;

/** The type that is `T`, no more and no less. */
export type TypeOf<T> = ShapeOf<T> | Row<T, 'required'>;

/** Tells whether a type is the shape of an interface. */
export function isShape<T>(type: Type<T>): type is Shape<T> {
  return 'rows' in type;
}

/** Kind of value that a type holds. */
export function kindOf(type: Type): Kind {
  return isShape(type) ? { kind: 'ref', shape: type, presence: false } : type.kind;
}

/** The name of a type, by which adaptations and messages speak of it. */
export function nameOf(type: Type): string {
  if (isShape(type)) return type.name;
  const { kind } = type;
  if (kind.kind === 'ref') return kind.shape.name;
  return kind.kind === 'tagged' || kind.kind === 'choice' ? kind.name : kind.kind;
}

/** Writes the shape of an interface; without a lifetime it lives in every revision. */
export function shape<T>(name: string, rows: RowsOf<NoInfer<T>>, life: Lifetime = always): ShapeOf<T> {
  // RowsOf holds rows alone, under string keys; the mapped type is only too general for the compiler to see it.
  return { name, life, rows: rows as RowsOf<T> & Readonly<Record<string, Row>> };
}

function row<T>(kind: Kind): Row<T, 'required'> {
  return { kind, presence: 'required', life: always, requiredIn: [] };
}

/** Any string. */
export const string: Row<string, 'required'> = row({ kind: 'string', loose: false });
/** Any string; anything else from a peer counts as absent. */
export const looseString: Row<string, 'required'> = row({ kind: 'string', loose: true });
/** Any number. */
export const number: Row<number, 'required'> = row({ kind: 'number' });
/** A number without a fraction: what has one is found by a check, and understood all the same. */
export const integer: Row<number, 'required'> = row({ kind: 'integer' });
/** An integer that is not negative; likewise. */
export const natural: Row<number, 'required'> = row({ kind: 'integer', least: 0 });
/** A number from 0 to 1; likewise. */
export const share: Row<number, 'required'> = row({ kind: 'number', least: 0, most: 1 });
/** True or false. */
export const boolean: Row<boolean, 'required'> = row({ kind: 'boolean' });
/** The value null. */
export const nil: Row<null, 'required'> = row({ kind: 'null' });
/** Any JSON object. */
export const object: Row<Readonly<Record<string, unknown>>, 'required'> = row({ kind: 'object' });
/** Any JSON value. */
export const any: Row<unknown, 'required'> = row({ kind: 'any' });
/** An object whose being there is the message. */
export const presence: Row<Readonly<Record<string, unknown>>, 'required'> = row({ kind: 'presence' });

/** One of a few strings. */
export function literal<const V extends string>(...values: readonly V[]): Row<V, 'required'> {
  return row({ kind: 'literal', values, loose: false });
}

/** One of a few strings; any other from a peer counts as absent. */
export function hint<const V extends string>(...values: readonly V[]): Row<V, 'required'> {
  return row({ kind: 'literal', values, loose: true });
}

/** A list of one kind. */
export function array<T>(of: Row<T>): Row<readonly T[], 'required'> {
  return row({ kind: 'array', of, loose: false });
}

/** A list of which a peer's entries may be left out that do not fit; see `Lenience`. */
export function looseArray<T>(of: Row<T>): Row<readonly T[], 'required'> {
  return row({ kind: 'array', of, loose: true });
}

/** An object with free keys and values of one kind. */
export function map<T>(of: Row<T>): Row<Readonly<Record<string, T>>, 'required'> {
  return row({ kind: 'map', of, presence: false, loose: false });
}

/** A map of which a peer's entries are ignored that do not fit. */
export function looseMap<T>(of: Row<T>): Row<Readonly<Record<string, T>>, 'required'> {
  return row({ kind: 'map', of, presence: false, loose: true });
}

/** Capabilities by a free key. */
export const capabilities: Row<Readonly<Record<string, Readonly<Record<string, unknown>>>>, 'required'> = row({
  kind: 'map',
  of: presence,
  presence: true,
  loose: false,
});

/** An object of another shape. */
export function ref<T>(of: ShapeOf<T>): Row<T, 'required'> {
  return row({ kind: 'ref', shape: of, presence: false });
}

/** A capability: an object of another shape, whose being there already says something. */
export function capability<T>(of: ShapeOf<T>): Row<T, 'required'> {
  return row({ kind: 'ref', shape: of, presence: true });
}

/** One of several kinds that differ in their JSON type. */
export function oneOf<T extends readonly Row[]>(
  ...of: T
): Row<NonNullable<T[number]['type']> | (null extends T[number]['type'] ? null : never), 'required'> {
  return row({ kind: 'oneOf', of });
}

/** One of several shapes, told apart by the value of a field. */
export function tagged<T>(
  name: string,
  by: string,
  cases: Readonly<Record<string, Shape>>,
  absent?: string,
): Row<T, 'required'> {
  return row({ kind: 'tagged', name, by, cases: new Map(Object.entries(cases)), absent });
}

/** One of several shapes: the first whose required fields are there. */
export function choice<T>(
  name: string,
  ...cases: readonly ShapeOf<T & object>[] | readonly Shape[]
): Row<T, 'required'> {
  return row({ kind: 'choice', name, cases, open: false });
}

/** The same, where a peer may have further ones. */
export function openChoice<T>(name: string, ...cases: readonly Shape[]): Row<T, 'required'> {
  return row({ kind: 'choice', name, cases, open: true });
}

/** Pair of types: the one allowed until a revision, and the wider choice since. */
export function widened<T>(first: RevisionDate, older: Row<NoInfer<T>>, newer: Row<T>): Row<T, 'required'> {
  return row({ kind: 'widened', life: from(first), older, newer });
}

/** Makes a field optional. */
export function optional<T>(of: Row<T>): Row<T, 'optional'> {
  return { ...of, presence: 'optional' };
}

/** An optional field that must be sent in some revisions; a peer that leaves it out is understood. */
export function requiredIn<T>(of: Row<T>, ...lives: readonly Lifetime[]): Row<T, 'optional'> {
  return { ...of, presence: 'optional', requiredIn: lives };
}

/** A field that must be sent throughout its life, and gets a value where it is absent. */
export function filled<T extends string | number | null>(of: Row<T>, fill: T): Row<T, 'optional'> {
  return { ...of, presence: 'optional', requiredIn: [of.life], fill };
}

/** A required field that has a value where a peer leaves it out. */
export function otherwise<T>(
  of: Row<T, 'required'>,
  absent: (object: Readonly<Record<string, unknown>>) => T | undefined,
): Row<T, 'required'> {
  return { ...of, absent };
}

/** A field that is read by itself, before what holds it. */
export function readApart<T, P extends Presence>(of: Row<T, P>): Row<T, P> {
  return { ...of, readApart: true };
}

/** A field that begins with a revision. */
export function since<T, P extends Presence>(first: RevisionDate, of: Row<T, P>): Row<T, P> {
  return { ...of, life: from(first) };
}

/** A field that ends before a revision. */
export function before<T, P extends Presence>(end: RevisionDate, of: Row<T, P>): Row<T, P> {
  return { ...of, life: until(end) };
}

/** A field that lives from one revision up to, not including, another. */
export function between<T, P extends Presence>(first: RevisionDate, end: RevisionDate, of: Row<T, P>): Row<T, P> {
  return { ...of, life: within(first, end) };
}
