/** Compiles the tables, once per revision and kind, into functions that make a value what the revision can say. */

import { adaptationsOf, inexpressible } from '../adapt/adapt.ts';
import { fitting } from './fit.ts';
import { isAlive } from '../lifetime.ts';
import type { Revision } from '../revision.ts';
import { isShape, type Kind, type Row, type Shape, type Type } from '../shape.ts';
import { isFields, mapFields, mapItems } from './value.ts';

/** Makes a value what a revision can say; the same value where it is that already. */
export type Project = (value: unknown) => unknown;

const same: Project = (value) => value;

const compiled = new Map<Revision, Map<Kind, Project>>();

/** The projection of a type onto a revision; it throws an `McpError` for what cannot be said there. */
export function projection(revision: Revision, type: Type): Project {
  if (isShape(type)) return forShape(revision, type);
  const { kind } = type;
  let byKind = compiled.get(revision);
  if (byKind === undefined) compiled.set(revision, (byKind = new Map()));
  let project = byKind.get(kind);
  if (project === undefined) byKind.set(kind, (project = compile(revision, kind)));
  return project;
}

function compile(revision: Revision, kind: Kind): Project {
  switch (kind.kind) {
    case 'array':
      return forArray(projection(revision, kind.of));
    case 'map':
      return forMap(projection(revision, kind.of));
    case 'ref':
      return forShape(revision, kind.shape);
    case 'tagged':
      return adapted(revision, kind.name, forTagged(revision, kind));
    case 'choice':
      return adapted(revision, kind.name, forChoice(revision, kind.cases));
    case 'oneOf':
      return forOneOf(revision, kind.of);
    case 'widened':
      return projection(revision, isAlive(kind.life, revision) ? kind.newer : kind.older);
    default:
      return same;
  }
}

function forArray(each: Project): Project {
  if (each === same) return same;
  return (value) => (Array.isArray(value) ? mapItems(value, each) : value);
}

function forMap(each: Project): Project {
  if (each === same) return same;
  return (value) => (isFields(value) ? mapFields(value, each) : value);
}

function forTagged(revision: Revision, kind: Extract<Kind, { kind: 'tagged' }>): Project {
  const cases = new Map([...kind.cases].map(([tag, shape]) => [tag, forShape(revision, shape)]));
  if ([...cases.values()].every((project) => project === same)) return same;
  return (value) => {
    if (!isFields(value)) return value;
    const project = cases.get(value[kind.by] ?? kind.absent);
    return project === undefined ? value : project(value);
  };
}

function forChoice(revision: Revision, shapes: readonly Shape[]): Project {
  const cases = new Map(shapes.map((shape) => [shape, forShape(revision, shape)]));
  if ([...cases.values()].every((project) => project === same)) return same;
  return (value) => {
    const shape = fitting(shapes, value);
    return (shape === undefined ? undefined : cases.get(shape))?.(value) ?? value;
  };
}

function forOneOf(revision: Revision, rows: readonly Row[]): Project {
  const list = rows.find((row) => row.kind.kind === 'array');
  const rest = rows.find((row) => row.kind.kind === 'ref' || row.kind.kind === 'tagged');
  const forList = list === undefined ? same : projection(revision, list);
  const forRest = rest === undefined ? same : projection(revision, rest);
  if (forList === same && forRest === same) return same;
  return (value) => (Array.isArray(value) ? forList(value) : forRest(value));
}

const shapesCompiled = new Map<Revision, Map<Shape, Project>>();

function forShape(revision: Revision, shape: Shape): Project {
  let byShape = shapesCompiled.get(revision);
  if (byShape === undefined) shapesCompiled.set(revision, (byShape = new Map()));
  let project = byShape.get(shape);
  if (project === undefined)
    byShape.set(shape, (project = adapted(revision, shape.name, compileShape(revision, shape))));
  return project;
}

/** Changes that the fields of a shape need; most shapes have little of it in most revisions. */
interface Plan {
  /** Fields that the revision does not have. */
  readonly foreign: readonly string[];
  readonly nested: readonly (readonly [string, Project])[];
  /** Fields that must be there, with the value that they get where they are not. */
  readonly fills: readonly (readonly [string, unknown])[];
}

function compileShape(revision: Revision, shape: Shape): Project {
  if (!isAlive(shape.life, revision)) {
    return () => {
      throw inexpressible(shape.name, revision);
    };
  }
  const { foreign, nested, fills } = plan(revision, shape);
  if (foreign.length === 0 && nested.length === 0 && fills.length === 0) return same;
  return (value) => {
    if (!isFields(value)) return value;
    let out: Record<string, unknown> | undefined;
    for (const key of foreign) {
      if (Object.hasOwn(value, key)) delete (out ??= { ...value })[key];
    }
    // The keys below are those of the table, never a peer's, so assignment is safe.
    for (const [key, project] of nested) {
      const before = value[key];
      if (before === undefined) continue;
      const after = project(before);
      if (after === before) continue;
      out ??= { ...value };
      if (after === undefined) delete out[key];
      else out[key] = after;
    }
    for (const [key, fill] of fills) {
      if (value[key] === undefined) (out ??= { ...value })[key] = fill;
    }
    return out ?? value;
  };
}

/** Leaves `_meta` out that has nothing but what the revision does not know; one that was empty before stays. */
function unlessEmptied(project: Project): Project {
  return (value) => {
    const after = project(value);
    return after !== value && isFields(after) && Object.keys(after).length === 0 ? undefined : after;
  };
}

function plan(revision: Revision, shape: Shape): Plan {
  const foreign: string[] = [];
  const nested: [string, Project][] = [];
  const fills: [string, unknown][] = [];
  for (const [key, row] of Object.entries(shape.rows)) {
    if (!isAlive(row.life, revision)) {
      foreign.push(key);
      continue;
    }
    const project = projection(revision, row);
    if (project !== same) nested.push([key, key === '_meta' ? unlessEmptied(project) : project]);
    if (row.fill !== undefined && row.requiredIn.some((life) => isAlive(life, revision))) fills.push([key, row.fill]);
  }
  return { foreign, nested, fills };
}

/** Puts the named adaptations of a type before the projection of its fields. */
function adapted(revision: Revision, name: string, project: Project): Project {
  const rules = adaptationsOf(name).filter((rule) => isAlive(rule.life, revision));
  if (rules.length === 0) return project;
  return (value) => {
    let fields = value;
    for (const rule of rules) {
      if (isFields(fields)) fields = rule.toWire(fields, revision);
    }
    return project(fields);
  };
}
