/** One check of one value: its budget, its problems, and what it has looked at. */

import { toPointer, type Problem } from './problem.ts';

/** A schema with an identity of its own: the document, or what has an `$id` in it. */
export interface Resource {
  readonly base: string;
  readonly root: unknown;
  readonly anchors: Map<string, unknown>;
  readonly dynamicAnchors: Map<string, unknown>;
}

/** One subschema. */
export interface SchemaNode {
  readonly raw: boolean | Keywords;
  readonly resource: Resource;
  /** Where it stands in the document, as a JSON Pointer, for messages. */
  readonly location: string;
  /** What it checks, filled in once all nodes are known. */
  parts: readonly Part[];
}

/** An object of keywords. */
export type Keywords = Readonly<Record<string, unknown>>;

/** How many problems a check reports. */
export const maxProblems = 20;

/** Where a check is, as a chain from the inside out; not kept while nothing is reported. */
export interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
}

/** The properties and items that subschemas looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Seen {
  readonly keys: Set<string>;
  readonly items: Set<number>;
}

/** The state of a check. */
export interface Run {
  /** How many steps are left before the check gives up. */
  steps: number;
  /** Collects what is wrong; without it the check ends at the first problem. */
  problems: Problem[] | undefined;
  /** The resources entered, outermost first: what `$dynamicRef` searches. */
  readonly scope: Resource[];
  /** Whether some keyword of the document needs to know what others looked at. */
  readonly tracks: boolean;
}

/** One keyword, ready to check values; true when the value fits. */
export type Part = (value: unknown, at: Path | undefined, run: Run, seen: Seen | undefined) => boolean;

/** A check that took more steps than it may: a hostile schema, or a value made for a costly one. */
export class OverBudget extends Error {}

/** Takes steps out of the budget. */
export function spend(run: Run, steps: number): void {
  run.steps -= steps;
  if (run.steps < 0) throw new OverBudget('out of steps');
}

/**
 * Checks a value against a node.
 *
 * @param into Learns what the node looked at, when the value fits; left out where the node looks at another value.
 */
export function evaluate(node: SchemaNode, value: unknown, at: Path | undefined, run: Run, into?: Seen): boolean {
  spend(run, 1);
  const entered = run.scope.at(-1) !== node.resource;
  if (entered) run.scope.push(node.resource);
  const seen: Seen | undefined = run.tracks ? { keys: new Set(), items: new Set() } : undefined;
  let fits = true;
  for (const part of node.parts) {
    if (part(value, at, run, seen)) continue;
    fits = false;
    if (run.problems === undefined) break;
  }
  if (entered) run.scope.pop();
  if (fits && seen !== undefined && into !== undefined) {
    spend(run, seen.keys.size + seen.items.size);
    for (const key of seen.keys) into.keys.add(key);
    for (const item of seen.items) into.items.add(item);
  }
  return fits;
}

/** Like `evaluate`, without a word about what does not fit. */
export function quietly(run: Run, check: () => boolean): boolean {
  const { problems } = run;
  run.problems = undefined;
  const fits = check();
  run.problems = problems;
  return fits;
}

/** Notes a problem; always false. */
export function fail(run: Run, at: Path | undefined, message: string): false {
  if (run.problems !== undefined && run.problems.length < maxProblems)
    run.problems.push({ path: pointer(at), message });
  return false;
}

/** The path of a property or item. */
export function below(run: Run, at: Path | undefined, key: string | number): Path | undefined {
  return run.problems === undefined ? undefined : { parent: at, key };
}

function pointer(at: Path | undefined): string {
  const keys: (string | number)[] = [];
  for (let path = at; path !== undefined; path = path.parent) keys.unshift(path.key);
  return toPointer(keys);
}
