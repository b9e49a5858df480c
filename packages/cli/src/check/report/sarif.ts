import { clientAuthorizationRules } from '../client/authorization/judge-logs.ts';
import { clientRules } from '../client/rules/rules.ts';
import { pageOf, rowOf } from '../register.ts';
import type { CheckReport, Finding, RowVerdict } from '../report.ts';
import type { Stated } from '../rule.ts';
import { checkRules } from '../rules/rules.ts';

/**
 * A report as SARIF 2.1.0 has it, for services that show findings of analyses.
 *
 * @param file The file that findings point at, for services that want one; a path within the repository.
 */
export function sarifReport(report: CheckReport, file?: string): string {
  const { tool, target, findings, rows, side } = report;
  const rules: readonly Stated[] = side === 'client' ? [...clientRules, ...clientAuthorizationRules] : checkRules;
  const ids = [...new Set(rows.map(({ id }) => id))];
  const results = [
    ...findings.map((finding) => failed(finding, report, file)),
    ...rows.filter(({ verdict }) => !failing.has(verdict)).map((row) => passed(row, target)),
  ];
  const driver = {
    name: tool.name,
    version: tool.version,
    informationUri: 'https://www.npmjs.com/package/parley-cli',
    rules: ids.map((id) => ruleOf(id, rules)),
  };
  const run = { tool: { driver }, results, columnKind: 'utf16CodeUnits' };
  return `${JSON.stringify({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }, undefined, 2)}\n`;
}

function ruleOf(id: string, rules: readonly Stated[]): object {
  const rule = rules.find((one) => one.id === id);
  const row = rowOf(id);
  const helpUri = pageOf(row);
  return {
    id,
    shortDescription: { text: rule?.message ?? id },
    help: { text: rule?.fix ?? '' },
    ...(helpUri === undefined ? {} : { helpUri }),
    defaultConfiguration: { level: levelOf(row.level) },
    properties: { tags: [row.level, id.replace(/-[^-]*$/, '')] },
  };
}

function levelOf(level: string): 'error' | 'warning' | 'note' {
  if (level === 'note') return 'note';
  return level.startsWith('MUST') ? 'error' : 'warning';
}

function failed(finding: Finding, { target, transport }: CheckReport, file?: string): object {
  const { id, severity, message: words, why, where, sent, came, revisions, known } = finding;
  const place = where ?? target;
  return {
    ruleId: id,
    kind: 'fail',
    level: severity,
    message: { text: `${words}; but ${why} (${revisions.join(', ')})` },
    locations: [
      {
        ...(file === undefined ? {} : { physicalLocation: { artifactLocation: { uri: uriOf(file) } } }),
        logicalLocations: [{ fullyQualifiedName: place }],
      },
    ],
    partialFingerprints: { 'parleyCheck/v1': [id, ...revisions, where ?? ''].join(' ') },
    ...(transport === 'http' ? { webRequest: webRequestOf(sent, target), webResponse: { body: { text: came } } } : {}),
    ...(known === true ? { suppressions: [{ kind: 'external', justification: 'it is in the baseline' }] } : {}),
    properties: { sent, came },
  };
}

function uriOf(path: string): string {
  return path.split(/[\\/]/).map(encodeURIComponent).join('/');
}

function webRequestOf(sent: string, target: string): object {
  const at = sent.indexOf('\n\n');
  const [head, body] = at < 0 ? [sent, undefined] : [sent.slice(0, at), sent.slice(at + 2)];
  const [first = '', ...lines] = head.split('\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return {
    protocol: 'http',
    method: first.split(' ')[0] ?? '',
    target,
    headers,
    ...(body === undefined ? {} : { body: { text: body } }),
  };
}

const failing: ReadonlySet<string> = new Set(['breaks', 'differs', 'disputed']);

const kinds: Readonly<Record<string, string>> = {
  holds: 'pass',
  'not-judged': 'open',
  'not-allowed': 'open',
  'not-seen': 'open',
  'not-applicable': 'notApplicable',
};

function passed({ id, revision, verdict, why }: RowVerdict, target: string): object {
  return {
    ruleId: id,
    kind: kinds[verdict] ?? 'open',
    level: 'none',
    message: { text: `${revision}: ${why ?? 'it is kept'}` },
    locations: [{ logicalLocations: [{ fullyQualifiedName: target }] }],
  };
}
