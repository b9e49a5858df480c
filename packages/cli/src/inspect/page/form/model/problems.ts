/** Problems of a value, and the field that shows each. */

import { pointerSteps } from './json-edit.ts';

/** Something wrong at a place, as steps from the field that is asked. */
export interface FieldProblem {
  readonly steps: readonly string[];
  readonly message: string;
}

/** Problems with JSON pointers, as steps from the root. */
export function fieldProblems(
  problems: readonly { readonly path: string; readonly message: string }[] = [],
): readonly FieldProblem[] {
  return withoutRepeats(problems).map(({ path, message }) => ({ steps: pointerSteps(path), message }));
}

const ofChoice = /^must match (?:exactly one schema in oneOf|a schema in anyOf)$/;

/** Leaves one message for a value that matches no schema of several: that of the first of them. */
function withoutRepeats<P extends { readonly path: string; readonly message: string }>(
  problems: readonly P[],
): readonly P[] {
  const choices = new Set(problems.filter(({ message }) => ofChoice.test(message)).map(({ path }) => path));
  const told = new Set<string>();
  return problems.filter(({ path }) => {
    if (!choices.has(path)) return true;
    const isFirst = !told.has(path);
    told.add(path);
    return isFirst;
  });
}

/** The problems of one part of a value, with paths from it. */
export function problemsIn(problems: readonly FieldProblem[], step: string | number): readonly FieldProblem[] {
  const name = String(step);
  return problems
    .filter(({ steps }) => steps[0] === name)
    .map(({ steps, message }) => ({ steps: steps.slice(1), message }));
}

/** Problems that no field of a part shows: they are shown at the whole, with their path. */
export function problemsHere(problems: readonly FieldProblem[], parts: (step: string) => boolean): readonly string[] {
  return problems
    .filter(({ steps }) => steps[0] === undefined || !parts(steps[0]))
    .map(({ steps, message }) => (steps.length === 0 ? message : `${steps.join('/')}: ${message}`));
}
