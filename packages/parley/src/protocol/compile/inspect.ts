/** Compiles the tables, once per revision and kind, into functions that find what a revision would not accept. */

import { plainNumber } from '../../json/exact-number.ts';
import { fitting } from './fit.ts';
import { isAlive } from '../lifetime.ts';
import type { Revision } from '../revision.ts';
import { isShape, type Kind, type Row, type Shape, type Type } from '../shape.ts';
import { isFields } from './value.ts';

/** One thing that is wrong with a value. */
export interface WireProblem {
  /** Path of the place, as keys joined by dots and indexes in brackets; empty for the value itself. */
  readonly path: string;
  /** Message, such as `must be a string`. */
  readonly message: string;
}

/**
 * Finds what is wrong with a value; most values are fine, and cost no more than the look. Paths lead on from the value:
 * `.name[0]`.
 */
export type Inspect = (value: unknown) => readonly WireProblem[];

const fine: readonly WireProblem[] = [];

/** Strictness of a check, with what was compiled for it. */
interface Strictness {
  readonly revision: Revision;
  /** True when the value is still to be projected, which fills fields in. */
  readonly written: boolean;
  readonly kinds: Map<Kind, Inspect>;
  readonly shapes: Map<Shape, Inspect>;
}

const onTheWire = new Map<Revision, Strictness>();
const asWritten = new Map<Revision, Strictness>();

function strictness(revision: Revision, written: boolean): Strictness {
  const known = written ? asWritten : onTheWire;
  let by = known.get(revision);
  if (by === undefined) known.set(revision, (by = { revision, written, kinds: new Map(), shapes: new Map() }));
  return by;
}

/** The inspection of a type in a revision. */
export function inspection(revision: Revision, type: Type): Inspect {
  return inspected(strictness(revision, false), type);
}

/** The inspection of what a program wrote, before it becomes what a revision says: what is filled in then may be absent. */
export function inspectionOfWritten(revision: Revision, type: Type): Inspect {
  return inspected(strictness(revision, true), type);
}

function inspected(by: Strictness, type: Type): Inspect {
  if (isShape(type)) return forShape(by, type);
  const { kind } = type;
  let inspect = by.kinds.get(kind);
  if (inspect === undefined) by.kinds.set(kind, (inspect = compile(by, kind)));
  return inspect;
}

function compile(by: Strictness, kind: Kind): Inspect {
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
      return forArray(inspected(by, kind.of));
    case 'map':
      return forMap(inspected(by, kind.of));
    case 'ref':
      return forShape(by, kind.shape);
    case 'tagged':
      return forTagged(by, kind);
    case 'choice':
      return forChoice(by, kind.cases);
    case 'oneOf':
      return forOneOf(kind.of.map((row) => inspected(by, row)));
    case 'widened':
      return inspected(by, isAlive(kind.life, by.revision) ? kind.newer : kind.older);
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
    let problems: WireProblem[] | undefined;
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
    let problems: WireProblem[] | undefined;
    for (const key of Object.keys(value)) {
      const within = each(value[key]);
      if (within.length > 0) problems = adding(problems, `.${key}`, within);
    }
    return problems ?? fine;
  };
}

function forTagged(by: Strictness, kind: Extract<Kind, { kind: 'tagged' }>): Inspect {
  const alive = [...kind.cases].filter(([, shape]) => isAlive(shape.life, by.revision));
  const cases = new Map(alive.map(([tag, shape]) => [tag, forShape(by, shape)]));
  const unknown = [{ path: `.${kind.by}`, message: `must be one of ${[...cases.keys()].join(', ')}` }];
  return (value) => {
    if (!isFields(value)) return mustBeObject(value);
    const inspect = cases.get(value[kind.by] ?? kind.absent);
    return inspect === undefined ? unknown : inspect(value);
  };
}

function forChoice(by: Strictness, shapes: readonly Shape[]): Inspect {
  const alive = shapes.filter((shape) => isAlive(shape.life, by.revision));
  const cases = new Map(alive.map((shape) => [shape, forShape(by, shape)]));
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

/** Depth in the value at which the first complaint lies: the deeper, the likelier that this kind was meant. */
function depth(problems: readonly WireProblem[]): number {
  return problems[0]?.path.length ?? Infinity;
}

function forShape(by: Strictness, shape: Shape): Inspect {
  let inspect = by.shapes.get(shape);
  if (inspect === undefined) by.shapes.set(shape, (inspect = compileShape(by, shape)));
  return inspect;
}

function compileShape(by: Strictness, shape: Shape): Inspect {
  if (!isAlive(shape.life, by.revision)) {
    const absent = [{ path: '', message: `${shape.name} does not exist in ${by.revision.date}` }];
    return () => absent;
  }
  const fields = Object.entries(shape.rows)
    .filter(([, row]) => isAlive(row.life, by.revision))
    .map(([key, row]) => ({
      key,
      step: `.${key}`,
      missing: isMissed(row, by) ? [{ path: '', message: 'is required' }] : fine,
      inspect: inspected(by, row),
    }));
  return (value) => {
    if (!isFields(value)) return mustBeObject(value);
    let problems: WireProblem[] | undefined;
    for (const { key, step, missing, inspect } of fields) {
      const field = value[key];
      problems = adding(problems, step, field === undefined ? missing : inspect(field));
    }
    return problems ?? fine;
  };
}

function isMissed(row: Row, { revision, written }: Strictness): boolean {
  return isRequired(row, revision) && !(written && row.fill !== undefined);
}

/** Tells whether a revision requires a field that it has. */
export function isRequired(row: Row, revision: Revision): boolean {
  return row.presence === 'required' || row.requiredIn.some((life) => isAlive(life, revision));
}

/** Puts what was found within a field or an item, one step further, to what was found so far. */
function adding(
  found: WireProblem[] | undefined,
  step: string,
  within: readonly WireProblem[],
): WireProblem[] | undefined {
  if (within.length === 0) return found;
  const problems = found ?? [];
  for (const { path, message } of within) problems.push({ path: step + path, message });
  return problems;
}
