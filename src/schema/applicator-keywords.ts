/** Keywords that apply other schemas to the same value. */

import { listOf, textOf, type Keyword, type Surroundings } from './keyword.ts';
import type { Problem } from './problem.ts';
import { evaluate, fail, quietly, type Part, type Run, type SchemaNode } from './run.ts';

/** The keywords by name. */
export const applicatorKeywords: Readonly<Record<string, Keyword>> = {
  $ref(value, schema) {
    const { node } = schema.resolve(textOf(value, schema));
    return applied(node);
  },
  $dynamicRef(value, schema) {
    const { node, dynamicAnchor } = schema.resolve(textOf(value, schema));
    if (dynamicAnchor === undefined) return applied(node);
    return (instance, at, run, seen) => {
      // 2020-12, core 8.2.3.2: the outermost resource on the way here that has the anchor.
      const outermost = run.scope.find((resource) => resource.dynamicAnchors.has(dynamicAnchor));
      const target = outermost === undefined ? node : schema.nodeIn(outermost, dynamicAnchor);
      return evaluate(target, instance, at, run, seen);
    };
  },
  allOf(value, schema) {
    const nodes = nodesOf(value, schema);
    return (instance, at, run, seen) => {
      let fits = true;
      for (const node of nodes) {
        if (evaluate(node, instance, at, run, seen)) continue;
        fits = false;
        if (run.problems === undefined) break;
      }
      return fits;
    };
  },
  anyOf(value, schema) {
    const nodes = nodesOf(value, schema);
    return (instance, at, run, seen) => {
      let fits = false;
      for (const node of nodes) {
        if (!quietly(run, () => evaluate(node, instance, at, run, seen))) continue;
        fits = true;
        // Where it matters what was looked at, every alternative counts.
        if (!run.tracks) break;
      }
      return fits || failAlternatives(nodes, instance, at, run);
    };
  },
  oneOf(value, schema) {
    const nodes = nodesOf(value, schema);
    return (instance, at, run, seen) => {
      const fitting = nodes.filter((node) => quietly(run, () => evaluate(node, instance, at, run, seen)));
      if (fitting.length === 1) return true;
      if (fitting.length === 0) return failAlternatives(nodes, instance, at, run);
      return fail(run, at, `must fit exactly one of ${nodes.length} alternatives, and fits ${fitting.length}`);
    };
  },
  not(value, schema) {
    const node = schema.node(value);
    return (instance, at, run) =>
      !quietly(run, () => evaluate(node, instance, at, run)) || fail(run, at, 'must not fit the schema in "not"');
  },
  if(value, schema) {
    const condition = schema.node(value);
    const { then, else: otherwise } = schema.keywords;
    const thenNode = then === undefined ? undefined : schema.node(then);
    const elseNode = otherwise === undefined ? undefined : schema.node(otherwise);
    return (instance, at, run, seen) => {
      const branch = quietly(run, () => evaluate(condition, instance, at, run, seen)) ? thenNode : elseNode;
      return branch === undefined || evaluate(branch, instance, at, run, seen);
    };
  },
};

function nodesOf(value: unknown, schema: Surroundings): readonly SchemaNode[] {
  return listOf(value, schema).map((raw) => schema.node(raw));
}

function applied(node: SchemaNode): Part {
  return (value, at, run, seen) => evaluate(node, value, at, run, seen);
}

/** Says that no alternative fits, and what the nearest of them misses. */
function failAlternatives(nodes: readonly SchemaNode[], value: unknown, at: Parameters<Part>[1], run: Run): false {
  const { problems } = run;
  if (problems === undefined) return false;
  let nearest: readonly Problem[] | undefined;
  for (const node of nodes) {
    run.problems = [];
    evaluate(node, value, at, run);
    if (nearest === undefined || run.problems.length < nearest.length) nearest = run.problems;
  }
  run.problems = problems;
  fail(run, at, `must fit one of ${nodes.length} alternatives`);
  for (const problem of nearest ?? []) problems.push(problem);
  return false;
}
