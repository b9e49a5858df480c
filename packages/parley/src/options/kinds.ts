import { refuseUnknown } from './known-names.ts';
import { refuseNoNumber, refuseOther } from './known-values.ts';
import { shown } from './shown.ts';

/** OptionKind of the value of an option: a type of JavaScript, or one with a rule. */
export type OptionKind = 'function' | 'boolean' | 'string' | 'number' | Ruled;

type Ruled = 'time' | 'life' | 'count' | 'runs';

/** Every name that something may have, with the kind of what is under it, or 1 where somebody else judges that; the compiler sees that none is missing. */
export type Kinds<T> = Readonly<Record<keyof T, OptionKind | 1>>;

const time = 'a number above 0';

const isTime = (value: unknown): boolean => Number.isFinite(value) && Number(value) > 0;

/** Kinds that have a rule. No JSON has a time without an end, but a life may have none; stores count in whole numbers. */
const rules: Readonly<Record<Ruled, readonly [string, (value: unknown) => boolean]>> = {
  time: [time, isTime],
  life: [time, (value) => value === null || isTime(value)],
  count: wholeFrom(0),
  runs: wholeFrom(1),
};

function wholeFrom(least: number): readonly [string, (value: unknown) => boolean] {
  return [`a whole number of at least ${least}`, (value) => Number.isSafeInteger(value) && Number(value) >= least];
}

/**
 * Refuses options that do not exist, and values of another kind.
 *
 * @param what Who has the options, as the error says it.
 * @param given What is left out is fine.
 * @param named How the error names one of them; `what.name` by default.
 * @throws TypeError that says the name, and what was meant or given.
 */
export function refuseMistakes<T extends object>(
  what: string,
  given: T | undefined,
  {
    kinds,
    named = (name) => `${what}.${name}`,
  }: { readonly kinds: Kinds<T>; readonly named?: (name: string) => string },
): void {
  refuseUnknown(what, given, kinds);
  for (const [name, kind] of Object.entries<OptionKind | 1>(kinds))
    if (kind !== 1) refuseKind(kind, named(name), given?.[name as keyof T]);
}

function refuseKind(kind: OptionKind, name: string, value: unknown): void {
  if (kind === 'number') return refuseNoNumber(name, value);
  if (kind === 'function' || kind === 'boolean' || kind === 'string') return refuseOther(kind, name, value);
  const [words, isOne] = rules[kind];
  if (value !== undefined && !isOne(value)) throw new TypeError(`${name} must be ${words}, not ${shown(value)}`);
}
