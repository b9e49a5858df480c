/** Compiles the tables, once per revision and kind, into functions that find what a revision would not accept. */

import { plainNumber } from '../../json/exact-number.ts';
import { fitting } from './fit.ts';
import { isAlive } from '../lifetime.ts';
import type { Revision } from '../revision.ts';
import { isShape, type Kind, type Row, type Shape, type Type } from '../shape.ts';
import { isFields } from './value.ts';

/** One thing that is wrong with a value. */
export interface Problem {
  /** Where, as keys joined by dots and indexes in brackets; empty for the value itself. */
  readonly path: string;
  /** What, such as `must be a string`. */
  readonly message: string;
}

/**
 * Finds what is wrong with a value; most values are fine, and cost no more than the look. Paths lead on from the value:
 * `.name[0]`.
 */
export type Inspect = (value: unknown) => readonly Problem[];

const fine: readonly Problem[] = [];

const compiled = new Map<Revision, Map<Kind, Inspect>>();

/** The inspection of a type in a revision. */
export function inspection(revision: Revision, type: Type): Inspect {
  if (isShape(type)) return forShape(revision, type);
  const { kind } = type;
  let byKind = compiled.get(revision);
  if (byKind === undefined) compiled.set(revision, (byKind = new Map()));
  let inspect = byKind.get(kind);
  if (inspect === undefined) byKind.set(kind, (inspect = compile(revision, kind)));
  return inspect;
}

function compile(revision: Revision, kind: Kind): Inspect {
  switch (kind.kind) {
    case 'any':
      return () => fine;
    case 'null':
      return must('be null', (value) => value === null);
    case 'string':
      return must('be a string', (value) => typeof value === 'string');
    case 'boolean':
      return must('be a boolean', (value) => typeof value === 'boolean');
    case 'number':
      return inRange('a number', Number.isFinite, kind);
    case 'integer':
      return inRange('an integer', Number.isInteger, kind);
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
  const wrong = [{ path: '', message: `must ${message}` }];
  return (value) => (holds(value) ? fine : wrong);
}

function inRange(
  what: string,
  holds: (value: unknown) => boolean,
  { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }: Extract<Kind, { kind: 'number' | 'integer' }>,
): Inspect {
  const from = least === Number.NEGATIVE_INFINITY ? '' : ` of at least ${least}`;
  const to = most === Number.POSITIVE_INFINITY ? '' : ` and at most ${most}`;
  return must(`be ${what}${from}${to}`, (value) => {
    const plain = plainNumber(value);
    return holds(plain) && Number(plain) >= least && Number(plain) <= most;
  });
}

const mustBeObject = must('be an object', isFields);

function forArray(each: Inspect): Inspect {
  return (value) => {
    if (!Array.isArray(value)) return [{ path: '', message: 'must be an array' }];
    let problems: Problem[] | undefined;
    for (let at = 0; at < value.length; at++) {
      const within = each(value[at]);
      if (within.length > 0) problems = adding(problems, `[${at}]`, within);
    }
    return problems ?? fine;
  };
}

function forMap(each: Inspect): Inspect {
  return (value) => {
    if (!isFields(value)) return mustBeObject(value);
    let problems: Problem[] | undefined;
    for (const key of Object.keys(value)) {
      const within = each(value[key]);
      if (within.length > 0) problems = adding(problems, `.${key}`, within);
    }
    return problems ?? fine;
  };
}

function forTagged(revision: Revision, kind: Extract<Kind, { kind: 'tagged' }>): Inspect {
  const alive = [...kind.cases].filter(([, shape]) => isAlive(shape.life, revision));
  const cases = new Map(alive.map(([tag, shape]) => [tag, forShape(revision, shape)]));
  const unknown = [{ path: `.${kind.by}`, message: `must be one of ${[...cases.keys()].join(', ')}` }];
  return (value) => {
    if (!isFields(value)) return mustBeObject(value);
    const inspect = cases.get(value[kind.by] ?? kind.absent);
    return inspect === undefined ? unknown : inspect(value);
  };
}

function forChoice(revision: Revision, shapes: readonly Shape[]): Inspect {
  const alive = shapes.filter((shape) => isAlive(shape.life, revision));
  const cases = new Map(alive.map((shape) => [shape, forShape(revision, shape)]));
  const unknown = [{ path: '', message: `must be one of ${alive.map((shape) => shape.name).join(', ')}` }];
  return (value) => {
    const shape = fitting(alive, value);
    const inspect = shape === undefined ? undefined : cases.get(shape);
    return inspect === undefined ? unknown : inspect(value);
  };
}

/** Fine when one kind has nothing to say against the value; else the complaints of the one that has the fewest. */
function forOneOf(inspects: readonly Inspect[]): Inspect {
  return (value) => {
    const complaints = inspects.map((inspect) => inspect(value));
    if (complaints.some((own) => own.length === 0)) return fine;
    const closest = complaints.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length);
    return closest[0] ?? fine;
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
    const absent = [{ path: '', message: `${shape.name} does not exist in ${revision.date}` }];
    return () => absent;
  }
  const fields = Object.entries(shape.rows)
    .filter(([, row]) => isAlive(row.life, revision))
    .map(([key, row]) => ({
      key,
      step: `.${key}`,
      missing: isRequired(row, revision) ? [{ path: '', message: 'is required' }] : fine,
      inspect: inspection(revision, row),
    }));
  return (value) => {
    if (!isFields(value)) return mustBeObject(value);
    let problems: Problem[] | undefined;
    for (const { key, step, missing, inspect } of fields) {
      const field = value[key];
      problems = adding(problems, step, field === undefined ? missing : inspect(field));
    }
    return problems ?? fine;
  };
}

/** Whether a revision requires a field that it has. */
export function isRequired(row: Row, revision: Revision): boolean {
  return row.presence === 'required' || row.requiredIn.some((life) => isAlive(life, revision));
}

/** Puts what was found within a field or an item, one step further, to what was found so far. */
function adding(found: Problem[] | undefined, step: string, within: readonly Problem[]): Problem[] | undefined {
  if (within.length === 0) return found;
  const problems = found ?? [];
  for (const { path, message } of within) problems.push({ path: step + path, message });
  return problems;
}
