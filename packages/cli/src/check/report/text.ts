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
    ...(side === 'client' ? [] : unspokenLines(revisions)),
    ...(revisions.some(({ isClosed }) => isClosed)
      ? ['  --token-env <name> takes a token from a variable; parley login <url> signs in, and is used then']
      : []),
    '',
    ...groupsOf(findings.filter(({ trait }) => trait === undefined)).flatMap(([affects, group]) => [
      ...(affects === '' ? [] : [affects, '']),
      ...group.flatMap((finding) => findingLines(finding, side === 'client' ? 'after   ' : 'came    ')),
    ]),
    ...traitLines(findings),
    ...uncalledLines(uncalled),
    `${counts.judged} rows judged with ${counts.messages} messages: ${counts.broken} broken, ${counts.differing} that differ from what should be; ${side === 'client' ? '' : `${counts.notAllowed} need --calls or more tokens, `}${counts.notJudged} could not be judged, ${counts.notSeen} were not seen, ${counts.notApplicable} do not apply`,
    ...unjudgedLines(report),
    ...startLines(counts.starts),
    ...missing.map((words) => `not done: ${words}`),
    ...(cut === undefined ? [] : [`It was cut short: ${cut.split('\n').map(oneLine).join('\n    ')}`]),
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

/** Findings in their order, under headings that say who notices them, if the report has that. */
function groupsOf(findings: readonly Finding[]): readonly (readonly [heading: string, findings: readonly Finding[]])[] {
  const groups = new Map<string, Finding[]>();
  const isGrouped = findings.some(({ affects }) => affects !== undefined);
  for (const finding of findings) {
    const { affects, severity } = finding;
    const wish = severity === 'warning' ? 'Recommended for ' : 'Affects ';
    const heading = affects === undefined ? (isGrouped ? 'Notes, which fail nothing' : '') : `${wish}${affects}`;
    groups.set(heading, [...(groups.get(heading) ?? []), finding]);
  }
  return [...groups];
}

/** A line for the known traits of an SDK, which its users cannot change. */
function traitLines(findings: readonly Finding[]): readonly string[] {
  const sdks = new Map<string, string[]>();
  for (const { id, trait } of findings)
    if (trait !== undefined) sdks.set(trait, [...new Set([...(sdks.get(trait) ?? []), id])]);
  return [...sdks].flatMap(([sdk, ids]) => [
    `· ${ids.length} known trait${ids.length === 1 ? '' : 's'} of ${sdk} (${ids.join(', ')}): --strict shows each`,
    '',
  ]);
}

/** A line that says how often a command was started. */
function startLines(starts: number | undefined): readonly string[] {
  if (starts === undefined) return [];
  return [`the command was started ${starts === 1 ? 'once' : `${starts} times`}`];
}

/** A line for each reason, with the revisions that are not spoken for it. */
function unspokenLines(revisions: CheckReport['revisions']): readonly string[] {
  const unspoken = revisions.filter(({ spoken }) => !spoken);
  const reasons = [...new Set(unspoken.map(({ why = '' }) => why))];
  return reasons.map((reason) => {
    const dates = unspoken.filter(({ why = '' }) => why === reason).map(({ revision }) => revision);
    return `  not ${dates.join(', ')}: ${oneLine(reason)}`;
  });
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

/** Most reasons that are shown for unchecked rows. */
const maxReasons = 8;

/** Reasons for which rows were not judged, that of most of them first. */
function unjudgedLines({ rows }: CheckReport): readonly string[] {
  const judged = new Set(
    rows.flatMap(({ id, verdict }) => (['breaks', 'differs', 'disputed', 'holds'].includes(verdict) ? [id] : [])),
  );
  const reasons = new Map<string, Set<string>>();
  for (const { id, verdict, why = '' } of rows) {
    if (verdict !== 'not-judged' || judged.has(id)) continue;
    const reason = reasonOf(why);
    reasons.set(reason, (reasons.get(reason) ?? new Set()).add(id));
  }
  const sorted = [...reasons].toSorted(([, a], [, b]) => b.size - a.size);
  const left = sorted.length - maxReasons;
  return [
    ...sorted.slice(0, maxReasons).map(([reason, ids]) => `  not judged: ${idsOf([...ids])}: ${reason}`),
    ...(left > 0 ? [`  and for ${left} more reasons: --verbose tells each`] : []),
  ];
}

function idsOf(ids: readonly string[]): string {
  return ids.length <= 3 ? ids.join(', ') : `${ids.length} rows, ${ids.slice(0, 2).join(', ')} and others`;
}

/** A reason without what differs from row to row. */
function reasonOf(why: string): string {
  const method = /^a right (\S+) gave no result/.exec(why)?.[1];
  if (method === undefined) return oneLine(why).slice(0, 200);
  return `they need a right ${oneLine(method)} to be answered with a result${method === 'ping' ? ' (ping-001)' : ''}: fix it, and run again`;
}

function findingLines(finding: Finding, heard: string): readonly string[] {
  const { severity, id, level, message: words, why, where, sent, came, fix, revisions } = finding;
  const { source, known, disputed, also, unused } = finding;
  if (unused !== undefined) return [`${signs[severity]} ${id} is not kept (${revisions.join(', ')}): ${unused}`, ''];
  const [first = '', ...rest] = sent.split('\n');
  return [
    `${signs[severity]} ${id} ${level}${known === true ? ' (known)' : ''}: ${words}`,
    `    ${oneLine(`${where === undefined ? '' : `${where}: `}${why}`)} (${revisions.join(', ')})`,
    ...(sent === ''
      ? []
      : [`    sent    ${first}`, ...rest.filter((line) => line !== '').map((line) => `            ${line}`)]),
    `    ${heard}${came}`,
    `    fix     ${fix}`,
    ...(also === undefined ? [] : [`    also    ${also.join(', ')}: the same fault`]),
    ...(disputed === undefined ? [] : [`    but     ${disputed}`]),
    ...(source === undefined ? [] : [`    source  ${source}`]),
    '',
  ];
}

/** Words that a server may have made up: they begin no lines of their own. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
