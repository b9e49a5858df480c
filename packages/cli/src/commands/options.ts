import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { chosenRevisions, type RevisionDate } from '../../../parley/src/protocol/revision.ts';
import { nearestWords } from '../../../parley/src/options/nearest.ts';
import { UsageError } from './io.ts';

/** The parsed options of a command, and its positional arguments. */
export interface ParsedOptions {
  flag(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  readonly words: readonly string[];
}

/** Finds advice on an option that a command does not have; an empty text is none. */
export type OptionHint = (option: string, argv: readonly string[]) => string;

/**
 * Reads the options of a command.
 *
 * @param hint Advice on an option that the command does not have.
 * @throws UsageError for an option that the command does not have, or one without its value.
 */
export function parseOptions(
  argv: readonly string[],
  options: ParseArgsOptionsConfig,
  hint?: OptionHint,
): ParsedOptions {
  const { values, positionals } = parsed(argv, options, hint);
  return {
    flag: (name) => values[name] === true,
    text: (name) => texts(values[name]).at(-1),
    texts: (name) => texts(values[name]),
    words: positionals,
  };
}

function parsed(
  argv: readonly string[],
  options: ParseArgsOptionsConfig,
  hint: OptionHint = () => '',
): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({ args: withNumbers(argv, options), options, allowPositionals: true, strict: true });
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : '';
    const unknown = /^Unknown option '(--?[^'=]+)/.exec(words)?.[1];
    if (unknown !== undefined) {
      const names = Object.keys(options).map((name) => `--${name}`);
      const near = nearestWords(unknown, names);
      throw new UsageError(`there is no option ${JSON.stringify(unknown)}${near === '' ? hint(unknown, argv) : near}`, {
        cause,
      });
    }
    const bare = /^Option '(?:-\w, )?(--[\w-]+) <value>' argument missing/.exec(words)?.[1];
    if (bare !== undefined) throw new UsageError(`${bare} takes a value, which is missing`, { cause });
    const isAmbiguous = words.includes(' argument is ambiguous');
    const dashed = isAmbiguous ? /^Option '(?:-\w, )?(--[\w-]+)/.exec(words)?.[1] : undefined;
    if (dashed !== undefined)
      throw new UsageError(
        `${dashed} takes a value, and what follows it is an option; one with a dash is written ${dashed}=-…`,
        {
          cause,
        },
      );
    // The first sentence says what is wrong, the others how Node would have it.
    const [first = 'the options make no sense'] = cause instanceof Error ? cause.message.split(/\. |\n/) : [];
    throw new UsageError(first.charAt(0).toLowerCase() + first.slice(1).replace(/\.$/, ''), { cause });
  }
}

/** Moves negative numbers into the options before them. Otherwise a parser could not tell that they are values. */
function withNumbers(argv: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const joined: string[] = [];
  for (const word of argv) {
    const before = joined.at(-1) ?? '';
    const isValue = /^-\d/.test(word) && before.startsWith('--') && options[before.slice(2)]?.type === 'string';
    if (isValue) joined[joined.length - 1] = `${before}=${word}`;
    else joined.push(word);
  }
  return joined;
}

function texts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
}

/**
 * Reads a whole number.
 *
 * @throws UsageError when it is none or is out of bounds.
 */
export function wholeNumber(name: string, text: string, [least, most]: readonly [number, number]): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new UsageError(`${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  return value;
}

/** Milliseconds of each unit of time. */
const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/**
 * Reads a time, such as `500ms`, `5s` or `1.5m`, as milliseconds.
 *
 * @param unit Unit of a plain number.
 * @throws UsageError when it is none or is out of bounds, which are in milliseconds.
 */
export function milliseconds(
  name: string,
  text: string,
  {
    least = 1,
    most = 2 ** 31 - 1,
    unit = 'ms',
  }: { readonly least?: number; readonly most?: number; readonly unit?: 'ms' | 's' } = {},
): number {
  const [, count = '', typed] = /^(\d{1,15}(?:\.\d{1,6})?)(ms|s|m|h)?$/.exec(text) ?? [];
  // One of the units, as the pattern says.
  const value = count === '' ? Number.NaN : Math.round(Number(count) * units[(typed ?? unit) as keyof typeof units]);
  if (value >= least && value <= most) return value;
  throw new UsageError(
    `${name} must be a time such as 5s or 500ms, from ${least} to ${most} ms, not ${JSON.stringify(text)}`,
  );
}

/**
 * Reads an option that takes one of some words.
 *
 * @throws UsageError for another word.
 */
export function oneOption<Word extends string>(
  parsed: ParsedOptions,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = parsed.text(name);
  const word = words.find((one) => one === text);
  if (text !== undefined && word === undefined)
    throw new UsageError(`--${name} takes ${words.join(' or ')}, not ${JSON.stringify(text)}`);
  return word;
}

/**
 * Reads the dates of revisions; an empty list means every revision.
 *
 * @throws UsageError for a date that is not a published revision.
 */
export function revisionDates(dates: readonly string[]): readonly RevisionDate[] | undefined {
  if (dates.length === 0) return undefined;
  try {
    return chosenRevisions(dates).map((revision) => revision.date);
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
