/** Compiles the tables, once per revision and kind, into functions that check and lift what a peer sent. */

import { adaptationsOf } from '../adapt/adapt.ts';
import { fitting } from './fit.ts';
import { isAlive } from '../lifetime.ts';
import type { Revision } from '../revision.ts';
import { isShape, type Kind, type Row, type Shape, type Type } from '../shape.ts';
import { isFields, isNumber, type ObjectFields, mapFields, mapItems } from './value.ts';

/** Checks a value and lifts it; `undefined` means that it counts as absent. Throws a `Mismatch`. */
export type Read = (value: unknown) => unknown;

/** A value that is not what the table says; the path leads to it from where reading began. */
export class Mismatch extends Error {
  readonly path: (string | number)[] = [];

  /** Keeps the failure while it passes through a field or an item. */
  static within(key: string | number, error: unknown): unknown {
    if (error instanceof Mismatch) error.path.unshift(key);
    return error;
  }
}

const maxKeyLength = 64;

/** A path as people write it. */
export function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const short = key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key;
    return text === '' ? short : `${text}.${short}`;
  }, '');
}

/** Listener to faults of a peer that are put up with. */
export interface Lenience {
  /** An entry of a list does not fit. True keeps it as it came, false leaves it out. */
  entry(value: unknown, why: string): boolean;
  /** A required field is missing, and has its value by default. */
  absent(field: string): void;
}

/** The listener of the value that is read now: reading is synchronous. Without one, no entry is left out. */
let listener: Lenience | undefined;

/** Reads a value, while somebody hears of faults that are put up with. */
export function reading(read: Read, value: unknown, lenience: Lenience | undefined): unknown {
  const before = listener;
  listener = lenience;
  try {
    return read(value);
  } finally {
    listener = before;
  }
}

const compiled = new Map<Revision, Map<Kind, Read>>();

/** The reader of a type in a revision. */
export function reader(revision: Revision, type: Type): Read {
  if (isShape(type)) return forShape(revision, type);
  const { kind } = type;
  let byKind = compiled.get(revision);
  if (byKind === undefined) compiled.set(revision, (byKind = new Map()));
  let read = byKind.get(kind);
  if (read === undefined) byKind.set(kind, (read = compile(revision, kind)));
  return read;
}

function compile(revision: Revision, kind: Kind): Read {
  switch (kind.kind) {
    case 'any':
      return (value) => value;
    case 'null':
      return (value) => (value === null ? value : fail('must be null'));
    case 'string':
      if (kind.loose) return (value) => (typeof value === 'string' ? value : undefined);
      return (value) => (typeof value === 'string' ? value : fail('must be a string'));
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : fail('must be a boolean'));
    case 'number':
    case 'integer':
      // Exact numbers stay: they compare like plain ones, and who passes the value on wants them as they came.
      return (value) => (isNumber(value) ? value : fail('must be a number'));
    case 'object':
      return (value) => (isFields(value) ? value : fail('must be an object'));
    case 'presence':
      return asPresence;
    case 'literal':
      return forLiteral(kind.values, kind.loose);
    case 'array':
      return kind.loose ? forLooseArray(reader(revision, kind.of)) : forArray(reader(revision, kind.of));
    case 'map':
      return kind.presence ? leniently(forMap(revision, kind)) : forMap(revision, kind);
    case 'ref':
      return kind.presence ? leniently(forShape(revision, kind.shape)) : forShape(revision, kind.shape);
    case 'tagged':
      return lifted(revision, kind.name, forTagged(revision, kind));
    case 'choice':
      return lifted(revision, kind.name, forChoice(revision, kind));
    case 'oneOf':
      return forOneOf(revision, kind.of);
    case 'widened':
      return reader(revision, kind.newer);
  }
}

/** Limit of entries that are ignored: each costs far more than its text, since somebody throws for it. */
const maxIgnored = 1000;

function fail(message: string): never {
  throw new Mismatch(message);
}

function asPresence(value: unknown): unknown {
  if (isFields(value)) return value;
  return value === false || value === null ? undefined : {};
}

/** A capability that is no object is there all the same, unless it says no. */
function leniently(read: Read): Read {
  return (value) => {
    const object = asPresence(value);
    return object === undefined ? undefined : read(object);
  };
}

function forLiteral(values: readonly string[], loose: boolean): Read {
  return (value) => {
    if (typeof value !== 'string') return fail('must be a string');
    if (values.includes(value)) return value;
    return loose ? undefined : fail(`must be ${values.length === 1 ? values[0] : `one of ${values.join(', ')}`}`);
  };
}

function forArray(each: Read): Read {
  const item = (value: unknown, index: number): unknown => {
    try {
      return each(value);
    } catch (error) {
      throw Mismatch.within(index, error);
    }
  };
  return (value) => (Array.isArray(value) ? mapItems(value, item) : fail('must be an array'));
}

/** Reads what fits; the listener decides about the rest. */
function forLooseArray(each: Read): Read {
  const strictly = forArray(each);
  return (value) => {
    if (listener === undefined || !Array.isArray(value)) return strictly(value);
    const { entry } = listener;
    const leftOut = new Set<number>();
    const read = mapItems(value, (item, index) => {
      try {
        return each(item);
      } catch (error) {
        if (!(error instanceof Mismatch) || leftOut.size === maxIgnored) throw Mismatch.within(index, error);
        const isKept = entry(item, `${pathText(error.path)} ${error.message}`.trimStart());
        if (!isKept) leftOut.add(index);
        return item;
      }
    });
    return leftOut.size === 0 ? read : read.filter((_, index) => !leftOut.has(index));
  };
}

function forMap(revision: Revision, { of, loose }: Extract<Kind, { kind: 'map' }>): Read {
  const each = reader(revision, of);
  const entry = (value: unknown, key: string): unknown => {
    try {
      return each(value);
    } catch (error) {
      throw Mismatch.within(key, error);
    }
  };
  if (loose) return (value) => (isFields(value) ? mapFields(value, fittingOf(each)) : fail('must be an object'));
  return (value) => (isFields(value) ? mapFields(value, entry) : fail('must be an object'));
}

/** Reads the entries of one map, of which those count as absent that do not fit. */
function fittingOf(each: Read): Read {
  let ignored = 0;
  return (value) => {
    try {
      return each(value);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      if (++ignored > maxIgnored) throw new Mismatch(`has more than ${maxIgnored} entries that do not fit`);
      return undefined;
    }
  };
}

/** A tag that the revision does not know is kept as it came: newer peers have more kinds of content. */
function forTagged(revision: Revision, kind: Extract<Kind, { kind: 'tagged' }>): Read {
  const alive = [...kind.cases].filter(([, shape]) => isAlive(shape.life, revision));
  const cases = new Map(alive.map(([tag, shape]) => [tag, forShape(revision, shape)]));
  return (value) => {
    if (!isFields(value)) return fail('must be an object');
    const tag = value[kind.by] ?? kind.absent;
    if (typeof tag !== 'string')
      throw Mismatch.within(kind.by, new Mismatch(tag === undefined ? 'is required' : 'must be a string'));
    const read = cases.get(tag);
    return read === undefined ? value : read(value);
  };
}

function forChoice(revision: Revision, { cases: shapes, open }: Extract<Kind, { kind: 'choice' }>): Read {
  const cases = new Map(shapes.map((shape) => [shape, forShape(revision, shape)]));
  const names = shapes.map((shape) => shape.name).join(', ');
  return (value) => {
    const shape = fitting(shapes, value);
    const read = shape === undefined ? undefined : cases.get(shape);
    if (read === undefined && open && isFields(value)) return value;
    return read === undefined ? fail(`must be one of ${names}`) : read(value);
  };
}

function forOneOf(revision: Revision, rows: readonly Row[]): Read {
  const readers = new Map<string, Read>();
  for (const row of rows) readers.set(jsonTypeOf(row.kind), reader(revision, row));
  const names = [...readers.keys()].join(' or ');
  return (value) => {
    const read = readers.get(jsonType(value));
    return read === undefined ? fail(`must be ${names}`) : read(value);
  };
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (isNumber(value)) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

function jsonTypeOf({ kind }: Kind): string {
  if (kind === 'integer') return 'number';
  return kind === 'ref' || kind === 'tagged' || kind === 'map' ? 'object' : kind;
}

interface Field {
  readonly key: string;
  readonly read: Read;
  readonly required: boolean;
  readonly absent: Row['absent'];
  /** True when null counts as left out. */
  readonly nullIsAbsent: boolean;
}

const shapesCompiled = new Map<Revision, Map<Shape, Read>>();

function forShape(revision: Revision, shape: Shape): Read {
  let byShape = shapesCompiled.get(revision);
  if (byShape === undefined) shapesCompiled.set(revision, (byShape = new Map()));
  let read = byShape.get(shape);
  if (read === undefined) byShape.set(shape, (read = lifted(revision, shape.name, compileShape(revision, shape))));
  return read;
}

function compileShape(revision: Revision, shape: Shape): Read {
  const rows = Object.entries(shape.rows);
  const foreign = rows.filter(([, row]) => !isAlive(row.life, revision)).map(([key]) => key);
  const fields = rows
    .filter(([, row]) => isAlive(row.life, revision) && row.readApart !== true)
    .map(([key, row]): Field => {
      const { absent } = row;
      const required = row.presence === 'required';
      const nullIsAbsent = (!required || absent !== undefined) && !takesNull(revision, row.kind);
      return { key, read: reader(revision, row), required, absent, nullIsAbsent };
    });
  return (value) => {
    if (!isFields(value)) return fail('must be an object');
    let out: Record<string, unknown> | undefined;
    for (const key of foreign) {
      if (Object.hasOwn(value, key)) delete (out ??= { ...value })[key];
    }
    // The keys are those of the table, never a peer's, so assignment is safe.
    for (const field of fields) {
      const before = value[field.key];
      const after = readField(field, before, value);
      if (after === before) continue;
      out ??= { ...value };
      if (after === undefined) delete out[field.key];
      else out[field.key] = after;
    }
    return out ?? value;
  };
}

function readField(
  { key, read, required, absent, nullIsAbsent }: Field,
  value: unknown,
  object: ObjectFields,
): unknown {
  if (value === undefined || (value === null && nullIsAbsent)) {
    if (!required) return undefined;
    const otherwise = absent?.(object);
    if (otherwise === undefined) throw Mismatch.within(key, new Mismatch('is required'));
    listener?.absent(key);
    return otherwise;
  }
  try {
    return read(value);
  } catch (error) {
    throw Mismatch.within(key, error);
  }
}

/** Tells whether null is one of the values of a kind in a revision. */
function takesNull(revision: Revision, kind: Kind): boolean {
  if (kind.kind === 'oneOf') return kind.of.some((row) => takesNull(revision, row.kind));
  if (kind.kind !== 'widened') return kind.kind === 'any' || kind.kind === 'null';
  return takesNull(revision, (isAlive(kind.life, revision) ? kind.newer : kind.older).kind);
}

/** Puts the named adaptations of a type after the reading of its fields. */
function lifted(revision: Revision, name: string, read: Read): Read {
  const rules = adaptationsOf(name).flatMap((rule) =>
    rule.fromWire !== undefined && isAlive(rule.life, revision) ? [rule.fromWire] : [],
  );
  if (rules.length === 0) return read;
  return (value) =>
    rules.reduce((fields: unknown, rule) => (isFields(fields) ? rule(fields, revision) : fields), read(value));
}
