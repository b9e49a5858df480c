import type { Finding, CheckReport, Severity } from '../report.ts';

const signs: Readonly<Record<Severity, string>> = { error: '✗', warning: '!', note: '·' };

/** A report as a person reads it: findings first, then counts. */
export function textReport(report: CheckReport, { verbose = false }: { readonly verbose?: boolean } = {}): string {
  const { target, transport, side, revisions, findings, uncalled, counts, rows, cut, missing = [] } = report;
  const spoken = revisions
    .filter((one) => one.spoken)
    .map(({ revision, over }) => (over === undefined ? revision : `${revision} (by HTTP+SSE)`));
  const lines = [
    `${target}, over ${transport}`,
    `speaks ${spoken.length === 0 ? 'no revision' : spoken.join(', ')}`,
    ...revisions
      .filter((one) => !one.spoken && side !== 'client')
      .map(({ revision, why }) => `  not ${revision}: ${oneLine(why ?? '')}`),
    ...(revisions.some(({ isClosed }) => isClosed)
      ? ['  --token-env <name> takes a token from a variable; parley login <url> signs in, and is used then']
      : []),
    '',
    ...findings.flatMap((finding) => findingLines(finding, side === 'client' ? 'after   ' : 'came    ')),
    ...uncalledLines(uncalled),
    `${counts.judged} rows judged with ${counts.messages} messages: ${counts.broken} broken, ${counts.differing} that differ from what should be; ${side === 'client' ? '' : `${counts.notAllowed} need --calls or more tokens, `}${counts.notJudged} could not be judged, ${counts.notSeen} were not seen, ${counts.notApplicable} do not apply`,
    ...missing.map((words) => `not done: ${words}`),
    ...(cut === undefined ? [] : [`It was cut short: ${cut}`]),
  ];
  if (verbose)
    lines.push(
      '',
      ...rows.map(
        ({ id, revision, verdict, why }) =>
          `${id.padEnd(24)} ${revision}  ${verdict}${why === undefined ? '' : `: ${oneLine(why)}`}`,
      ),
    );
  return `${lines.join('\n')}\n`;
}

/** A line for each tool and reason, with its revisions. */
function uncalledLines(uncalled: CheckReport['uncalled']): readonly string[] {
  const lines = new Map<string, string[]>();
  for (const { name, revision, why } of uncalled) {
    const line = oneLine(`${name} was not called: ${why}`);
    lines.set(line, [...(lines.get(line) ?? []), revision]);
  }
  return [...lines].map(([line, revisions]) => `${line} (${revisions.join(', ')})`);
}

function findingLines(
  { severity, id, level, words, why, where, sent, came, mend, revisions, source, known, disputed }: Finding,
  heard: string,
): readonly string[] {
  const [first = '', ...rest] = sent.split('\n');
  return [
    `${signs[severity]} ${id} ${level}${known === true ? ' (known)' : ''}: ${words}`,
    `    ${oneLine(`${where === undefined ? '' : `${where}: `}${why}`)} (${revisions.join(', ')})`,
    ...(sent === ''
      ? []
      : [`    sent    ${first}`, ...rest.filter((line) => line !== '').map((line) => `            ${line}`)]),
    `    ${heard}${came}`,
    `    mend    ${mend}`,
    ...(disputed === undefined ? [] : [`    but     ${disputed}`]),
    ...(source === undefined ? [] : [`    source  ${source}`]),
    '',
  ];
}

/** Words that a server may have made up: they begin no lines of their own. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
