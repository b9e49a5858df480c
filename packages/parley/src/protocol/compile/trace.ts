/** Compiles the tables, once per revision and kind, into functions that say what the projection of a value changes, and why. */

import { placeIn } from '../../json/place.ts';
import { adaptationsOf } from '../adapt/adapt.ts';
import type { Adaptation } from '../adapt/adaptation.ts';
import { McpError } from '../error.ts';
import { fitting } from './fit.ts';
import { isAlive } from '../lifetime.ts';
import type { Revision } from '../revision.ts';
import { isShape, type Kind, type Row, type Shape, type Type } from '../shape.ts';
import { isFields, type ObjectFields } from './value.ts';

/** One thing that a projection changes. */
export interface WireChange {
  /** Path of the place, as `placeIn` writes it; empty for the value itself. */
  readonly path: string;
  /**
   * Kind of the change: a field that the revision lacks, one that it must have, what an adaptation made, or what it has no way to
   * say, so that there is no projection.
   */
  readonly kind: 'left-out' | 'filled' | 'adapted' | 'refused';
  /** Cause of it: the field with its type (`Tool.title`), the adaptation, or the type. */
  readonly feature: string;
}

/** Finds what the projection of a value changes; paths lead on from the value: `.name[0]`. */
type Trace = (value: unknown) => readonly WireChange[];

const nothing: readonly WireChange[] = [];
const same: Trace = () => nothing;

/**
 * Lists what `toWire` changes in a value. It has nothing to say exactly where `toWire` returns the same object, and says `refused`
 * where that throws; every place that differs lies at or below a path of the list.
 */
export function traceOf(revision: Revision, type: Type, value: unknown): readonly WireChange[] {
  return tracing(revision, type)(value);
}

const compiled = new Map<Revision, Map<Kind, Trace>>();

function tracing(revision: Revision, type: Type): Trace {
  if (isShape(type)) return forShape(revision, type);
  const { kind } = type;
  let byKind = compiled.get(revision);
  if (byKind === undefined) compiled.set(revision, (byKind = new Map()));
  let trace = byKind.get(kind);
  if (trace === undefined) byKind.set(kind, (trace = compile(revision, kind)));
  return trace;
}

function compile(revision: Revision, kind: Kind): Trace {
  switch (kind.kind) {
    case 'array':
      return forArray(tracing(revision, kind.of));
    case 'map':
      return forMap(tracing(revision, kind.of));
    case 'ref':
      return forShape(revision, kind.shape);
    case 'tagged':
      return adapted(revision, kind.name, forTagged(revision, kind));
    case 'choice':
      return adapted(revision, kind.name, forChoice(revision, kind.cases));
    case 'oneOf':
      return forOneOf(revision, kind.of);
    case 'widened':
      return tracing(revision, isAlive(kind.life, revision) ? kind.newer : kind.older);
    default:
      return same;
  }
}

function forArray(each: Trace): Trace {
  if (each === same) return same;
  return (value) => (Array.isArray(value) ? value.flatMap((item, at) => within(`[${at}]`, each(item))) : nothing);
}

function forMap(each: Trace): Trace {
  if (each === same) return same;
  return (value) =>
    isFields(value) ? Object.entries(value).flatMap(([key, item]) => within(placeIn('', key), each(item))) : nothing;
}

function forTagged(revision: Revision, kind: Extract<Kind, { kind: 'tagged' }>): Trace {
  const cases = new Map([...kind.cases].map(([tag, shape]) => [tag, forShape(revision, shape)]));
  if ([...cases.values()].every((trace) => trace === same)) return same;
  return (value) => (isFields(value) ? (cases.get(value[kind.by] ?? kind.absent)?.(value) ?? nothing) : nothing);
}

function forChoice(revision: Revision, shapes: readonly Shape[]): Trace {
  const cases = new Map(shapes.map((shape) => [shape, forShape(revision, shape)]));
  if ([...cases.values()].every((trace) => trace === same)) return same;
  return (value) => {
    const shape = fitting(shapes, value);
    return (shape === undefined ? undefined : cases.get(shape))?.(value) ?? nothing;
  };
}

function forOneOf(revision: Revision, rows: readonly Row[]): Trace {
  const list = rows.find((row) => row.kind.kind === 'array');
  const rest = rows.find((row) => row.kind.kind === 'ref' || row.kind.kind === 'tagged');
  const forList = list === undefined ? same : tracing(revision, list);
  const forRest = rest === undefined ? same : tracing(revision, rest);
  if (forList === same && forRest === same) return same;
  return (value) => (Array.isArray(value) ? forList(value) : forRest(value));
}

const shapesCompiled = new Map<Revision, Map<Shape, Trace>>();

function forShape(revision: Revision, shape: Shape): Trace {
  let byShape = shapesCompiled.get(revision);
  if (byShape === undefined) shapesCompiled.set(revision, (byShape = new Map()));
  let trace = byShape.get(shape);
  if (trace === undefined) byShape.set(shape, (trace = adapted(revision, shape.name, compileShape(revision, shape))));
  return trace;
}

function compileShape(revision: Revision, shape: Shape): Trace {
  if (!isAlive(shape.life, revision)) {
    const refused = [{ path: '', kind: 'refused', feature: shape.name }] as const;
    return () => refused;
  }
  const fields = Object.entries(shape.rows).flatMap(([key, row]) => {
    const trace = forField(revision, { key, row, feature: `${shape.name}.${key}` });
    return trace === undefined ? [] : [trace];
  });
  if (fields.length === 0) return same;
  return (value) => (isFields(value) ? fields.flatMap((field) => field(value)) : nothing);
}

interface Field {
  readonly key: string;
  readonly row: Row;
  readonly feature: string;
}

/** Trace of one field in the object that has it; `undefined` where nothing can happen to it. */
function forField(
  revision: Revision,
  { key, row, feature }: Field,
): ((fields: ObjectFields) => readonly WireChange[]) | undefined {
  const path = placeIn('', key);
  if (!isAlive(row.life, revision)) {
    const leftOut = [{ path, kind: 'left-out', feature }] as const;
    return (fields) => (Object.hasOwn(fields, key) ? leftOut : nothing);
  }
  const trace = tracing(revision, row);
  const isFilled = row.fill !== undefined && row.requiredIn.some((life) => isAlive(life, revision));
  if (trace === same && !isFilled) return undefined;
  const filled = isFilled ? ([{ path, kind: 'filled', feature }] as const) : nothing;
  const emptied = [{ path, kind: 'left-out', feature }] as const;
  return (fields) => {
    if (fields[key] === undefined) return filled;
    const changes = within(path, trace(fields[key]));
    return key === '_meta' && isEmptied(fields[key], changes) ? [...changes, ...emptied] : changes;
  };
}

/** Tells whether nothing of an object stays, so that it is left out itself. */
function isEmptied(value: unknown, changes: readonly WireChange[]): boolean {
  if (!isFields(value) || changes.some(({ kind }) => kind !== 'left-out')) return false;
  const keys = Object.keys(value);
  const gone = new Set(changes.map(({ path }) => path));
  return keys.length > 0 && keys.every((key) => gone.has(placeIn('._meta', key)));
}

/** Puts what the named adaptations of a type change before what its fields lose. */
function adapted(revision: Revision, name: string, trace: Trace): Trace {
  const rules = adaptationsOf(name).filter((rule) => isAlive(rule.life, revision));
  if (rules.length === 0) return trace;
  return (value) => {
    const changes: WireChange[] = [];
    let fields = value;
    for (const rule of rules) {
      if (!isFields(fields)) continue;
      const next = after(rule, fields, revision);
      if (next === undefined) return [...changes, { path: '', kind: 'refused', feature: rule.name }];
      changes.push(...differing(fields, next, rule.name));
      fields = next;
    }
    return [...changes, ...trace(fields)];
  };
}

/** Fields after an adaptation; `undefined` where it refuses them. */
function after(rule: Adaptation, fields: ObjectFields, revision: Revision): ObjectFields | undefined {
  try {
    // An adaptation makes an object of JSON of another.
    return rule.toWire(fields, revision) as ObjectFields;
  } catch (error) {
    if (error instanceof McpError) return undefined;
    throw error;
  }
}

function differing(before: ObjectFields, next: ObjectFields, feature: string): readonly WireChange[] {
  if (next === before) return nothing;
  const keys = new Set([...Object.keys(before), ...Object.keys(next)]);
  const changed = [...keys].filter((key) => before[key] !== next[key] || !Object.hasOwn(next, key));
  const paths = changed.length === 0 ? [''] : changed.map((key) => placeIn('', key));
  return paths.map((path) => ({ path, kind: 'adapted', feature }));
}

/** Puts what was found within a field or an item one step further. */
function within(step: string, changes: readonly WireChange[]): readonly WireChange[] {
  return changes.length === 0 ? nothing : changes.map((change) => ({ ...change, path: step + change.path }));
}
