/** Compiles the tables, once per revision and kind, into functions that find what a revision would not accept. */

import { plainNumber } from '../json/exact-number.ts';
import { fitting } from './fit.ts';
import { isAlive } from './lifetime.ts';
import type { Revision } from './revision.ts';
import type { Kind, Row, Shape } from './shape.ts';
import { isFields } from './value.ts';

/** One thing that is wrong with a value. */
export interface Problem {
  /** Where, as keys joined by dots and indexes in brackets; empty for the value itself. */
  readonly path: string;
  /** What, such as `must be a string`. */
  readonly message: string;
}

/** Adds what is wrong with a value to a list. */
export type Inspect = (value: unknown, path: string, problems: Problem[]) => void;

const compiled = new Map<Revision, Map<Kind, Inspect>>();

/** The inspection of what a row holds in a revision. */
export function inspection(revision: Revision, row: Row): Inspect {
  let byKind = compiled.get(revision);
  if (byKind === undefined) compiled.set(revision, (byKind = new Map()));
  let inspect = byKind.get(row.kind);
  if (inspect === undefined) byKind.set(row.kind, (inspect = compile(revision, row.kind)));
  return inspect;
}

function compile(revision: Revision, kind: Kind): Inspect {
  switch (kind.kind) {
    case 'any':
      return () => {};
    case 'null':
      return must('be null', (value) => value === null);
    case 'string':
      return must('be a string', (value) => typeof value === 'string');
    case 'boolean':
      return must('be a boolean', (value) => typeof value === 'boolean');
    case 'number':
      return must('be a number', (value) => Number.isFinite(plainNumber(value)));
    case 'integer':
      return must('be an integer', (value) => Number.isInteger(plainNumber(value)));
    case 'object':
    case 'presence':
      return must('be an object', isFields);
    case 'literal':
      return must(
        `be one of ${kind.values.join(', ')}`,
        (value) => typeof value === 'string' && kind.values.includes(value),
      );
    case 'array':
      return forArray(inspection(revision, kind.of));
    case 'map':
      return forMap(inspection(revision, kind.of));
    case 'ref':
      return forShape(revision, kind.shape);
    case 'tagged':
      return forTagged(revision, kind);
    case 'choice':
      return forChoice(revision, kind.cases);
    case 'oneOf':
      return forOneOf(kind.of.map((row) => inspection(revision, row)));
    case 'widened':
      return inspection(revision, isAlive(kind.life, revision) ? kind.newer : kind.older);
  }
}

function must(message: string, holds: (value: unknown) => boolean): Inspect {
  return (value, path, problems) => {
    if (!holds(value)) problems.push({ path, message: `must ${message}` });
  };
}

function forArray(each: Inspect): Inspect {
  return (value, path, problems) => {
    if (!Array.isArray(value)) problems.push({ path, message: 'must be an array' });
    else for (const [index, item] of value.entries()) each(item, `${path}[${index}]`, problems);
  };
}

function forMap(each: Inspect): Inspect {
  return (value, path, problems) => {
    if (!isFields(value)) problems.push({ path, message: 'must be an object' });
    else for (const [key, item] of Object.entries(value)) each(item, join(path, key), problems);
  };
}

function forTagged(revision: Revision, kind: Extract<Kind, { kind: 'tagged' }>): Inspect {
  const alive = [...kind.cases].filter(([, shape]) => isAlive(shape.life, revision));
  const cases = new Map(alive.map(([tag, shape]) => [tag, forShape(revision, shape)]));
  const tags = [...cases.keys()].join(', ');
  return (value, path, problems) => {
    if (!isFields(value)) {
      problems.push({ path, message: 'must be an object' });
      return;
    }
    const inspect = cases.get(value[kind.by] ?? kind.absent);
    if (inspect === undefined) problems.push({ path: join(path, kind.by), message: `must be one of ${tags}` });
    else inspect(value, path, problems);
  };
}

function forChoice(revision: Revision, shapes: readonly Shape[]): Inspect {
  const alive = shapes.filter((shape) => isAlive(shape.life, revision));
  const cases = new Map(alive.map((shape) => [shape, forShape(revision, shape)]));
  const names = alive.map((shape) => shape.name).join(', ');
  return (value, path, problems) => {
    const shape = fitting(alive, value);
    const inspect = shape === undefined ? undefined : cases.get(shape);
    if (inspect === undefined) problems.push({ path, message: `must be one of ${names}` });
    else inspect(value, path, problems);
  };
}

/** Fine when one kind has nothing to say against the value; else the complaints of the one that has the fewest. */
function forOneOf(inspects: readonly Inspect[]): Inspect {
  return (value, path, problems) => {
    const complaints = inspects.map((inspect) => {
      const own: Problem[] = [];
      inspect(value, path, own);
      return own;
    });
    const closest = complaints.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
    if (complaints.every((own) => own.length > 0)) problems.push(...(closest[0] ?? []));
  };
}

/** How far into the value the first complaint lies: the deeper, the likelier that this kind was meant. */
function depth(problems: readonly Problem[]): number {
  return problems[0]?.path.length ?? Infinity;
}

const shapesCompiled = new Map<Revision, Map<Shape, Inspect>>();

function forShape(revision: Revision, shape: Shape): Inspect {
  let byShape = shapesCompiled.get(revision);
  if (byShape === undefined) shapesCompiled.set(revision, (byShape = new Map()));
  let inspect = byShape.get(shape);
  if (inspect === undefined) byShape.set(shape, (inspect = compileShape(revision, shape)));
  return inspect;
}

function compileShape(revision: Revision, shape: Shape): Inspect {
  if (!isAlive(shape.life, revision)) {
    const message = `${shape.name} does not exist in ${revision.date}`;
    return (_value, path, problems) => void problems.push({ path, message });
  }
  const fields = Object.entries(shape.rows)
    .filter(([, row]) => isAlive(row.life, revision))
    .map(([key, row]) => ({ key, required: isRequired(row, revision), inspect: inspection(revision, row) }));
  return (value, path, problems) => {
    if (!isFields(value)) {
      problems.push({ path, message: 'must be an object' });
      return;
    }
    for (const { key, required, inspect } of fields) {
      const field = value[key];
      if (field !== undefined) inspect(field, join(path, key), problems);
      else if (required) problems.push({ path: join(path, key), message: 'is required' });
    }
  };
}

/** Whether a revision requires a field that it has. */
export function isRequired(row: Row, revision: Revision): boolean {
  return row.presence === 'required' || row.requiredIn.some((life) => isAlive(life, revision));
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
