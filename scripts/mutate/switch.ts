/** Plants many faults in one text. Each is behind a condition, so that one process can try them one after another. */

import type { Mutant, Span } from './mutants.ts';

/** A fault with the number that turns it on. */
export type Numbered = Mutant & { readonly id: number };

/** The text of a module whose faults are chosen by `globalThis.fault`. */
export function switched(source: string, mutants: readonly Numbered[]): string {
  return build(source, { start: 0, end: source.length }, mutants);
}

function build(source: string, { start, end }: Span, mutants: readonly Numbered[]): string {
  const sorted = mutants.toSorted((one, other) => one.unit.start - other.unit.start || other.unit.end - one.unit.end);
  let [text, at] = ['', start];
  for (const { unit } of sorted) {
    if (unit.start < at) continue;
    const inside = sorted.filter((other) => other.unit.start >= unit.start && other.unit.end <= unit.end);
    const own = inside.filter((other) => other.unit.start === unit.start && other.unit.end === unit.end);
    const inner = build(
      source,
      unit,
      inside.filter((other) => !own.includes(other)),
    );
    text += source.slice(at, unit.start) + own.reduce((rest, mutant) => choice(source, mutant, rest), inner);
    at = unit.end;
  }
  return text + source.slice(at, end);
}

function choice(source: string, { id, start, end, text, unit, isStatement, change }: Numbered, rest: string): string {
  const condition = `globalThis.fault === ${id}`;
  if (isStatement) return `{ if (!(${condition})) { ${rest} } }`;
  const value = /^abort: signal\b/.test(change) ? rest.replace(/^signal:?/, '') || 'signal' : undefined;
  if (value !== undefined) return `signal: (${condition} ? undefined : ${value})`;
  return `(${condition} ? (${source.slice(unit.start, start)}${text}${source.slice(end, unit.end)}) : (${rest}))`;
}
