import type { HelpExample, HelpGroup, HelpOption, HelpTopic } from './topic.ts';

/** Columns of the help. */
const width = 100;
/** Columns of an option; the text of a longer one begins on the next line. */
const flagWidth = 30;

/** Meanings of exit codes that a command has if it says nothing else. */
const usualCodes = '0 success, 1 failure, 2 wrong command line, 3 the server was not reached or went away.';

/** The help on a command as text. Options that are rarely needed and details are left out unless all is wanted. */
export function layOut(topic: HelpTopic, isAll: boolean): string {
  const { name, summary, examples, usage, about = [], groups, details = [], exitCodes } = topic;
  const shown = isAll ? groups : groups.map(common).filter(({ options }) => options.length > 0);
  const hidden = count(groups) - count(shown);
  const hasMore = hidden > 0 || (!isAll && details.length > 0);
  const blocks = [
    [`parley ${name}: ${summary}`],
    ['Examples', ...exampleLines(examples)],
    ['Usage', ...usage.map((form) => `  parley ${name}${form === '' ? '' : ` ${form}`}`)],
    ...about.map((paragraph) => wrapped(paragraph, 0)),
    ...shown.map(({ title, options }) => [title, ...options.flatMap(optionLines)]),
    ...(isAll ? details.map((paragraph) => wrapped(paragraph, 0)) : []),
    wrapped(`Exit codes: ${exitCodes ?? usualCodes}`, 0),
    ...(hasMore && !isAll ? [[`parley ${name} --help-all shows ${more(hidden)}.`]] : []),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Lines with two columns. */
export function exampleLines(examples: readonly HelpExample[]): readonly string[] {
  const longest = Math.max(0, ...examples.map(([line]) => line.length));
  const isWide = examples.some(([, purpose]) => 2 + longest + 3 + purpose.length > width);
  return examples.flatMap(([line, purpose]) => {
    if (purpose === '') return [`  ${line}`];
    return isWide ? [`  # ${purpose}`, `  ${line}`] : [`  ${line.padEnd(longest)}   ${purpose}`];
  });
}

function common(group: HelpGroup): HelpGroup {
  return { ...group, options: group.options.filter(({ isRare }) => isRare === undefined) };
}

function count(groups: readonly HelpGroup[]): number {
  return groups.reduce((sum, { options }) => sum + options.length, 0);
}

function more(hidden: number): string {
  if (hidden === 0) return 'more details';
  return `${hidden} more ${hidden === 1 ? 'option' : 'options'}`;
}

function optionLines({ flag, text }: HelpOption): readonly string[] {
  const lines = wrapped(text, flagWidth);
  if (flag.length + 2 + 2 > flagWidth) return [`  ${flag}`, ...lines];
  const [first = '', ...rest] = lines;
  return [`  ${flag}`.padEnd(flagWidth) + first.trimStart(), ...rest];
}

/** Breaks a text between words, so that each line has an indent and fits. */
function wrapped(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (indent + longer.length <= width || line === '') line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((one) => ' '.repeat(indent) + one);
}
