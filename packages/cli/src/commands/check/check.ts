import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { baselineText, compareTo, readBaseline, type KnownFinding } from '../../check/baseline.ts';
import { judgeServer } from '../../check/run/check.ts';
import type { CheckReport } from '../../check/report.ts';
import { inPractice } from '../../check/practice/in-practice.ts';
import { junitReport } from '../../check/report/junit.ts';
import { sarifReport } from '../../check/report/sarif.ts';
import { textReport } from '../../check/report/text.ts';
import { checkRules } from '../../check/rules/rules.ts';
import { chosenRevisions } from '../../../../parley/src/protocol/revision.ts';
import { asStarted } from '../../recorder/program-words.ts';
import { withoutTexts } from '../../recorder/without-texts.ts';
import { UsageError, type Io } from '../io.ts';
import { parseOptions, revisionDates, milliseconds, type ParsedOptions } from '../options.ts';
import { printed, reasonOf, shownJson } from '../shown.ts';
import { splitAtDashes, targetOptions } from '../target.ts';
import { version } from '../../../../parley/src/transports/node/version.ts';
import { allowedCalls } from './calls.ts';
import { checkedPlace } from './checked-place.ts';
import { credentialOptions, refuseCredentials } from './credential-options.ts';
import { refuseOnly } from './only.ts';
import { scriptOf } from './script-of.ts';
import { signOfLife } from './sign-of-life.ts';

/** The options of the command. */
export const checkOptions: ParseArgsOptionsConfig = {
  ...targetOptions,
  ...credentialOptions,
  revision: { type: 'string', multiple: true },
  only: { type: 'string', multiple: true },
  calls: { type: 'string', multiple: true },
  args: { type: 'string' },
  config: { type: 'string' },
  server: { type: 'string' },
  heavy: { type: 'boolean' },
  json: { type: 'boolean' },
  junit: { type: 'boolean' },
  'json-to': { type: 'string' },
  'junit-to': { type: 'string' },
  sarif: { type: 'string' },
  baseline: { type: 'string' },
  'write-baseline': { type: 'boolean' },
  verbose: { type: 'boolean' },
  strict: { type: 'boolean' },
  timeout: { type: 'string' },
  client: { type: 'boolean' },
  port: { type: 'string' },
  stdio: { type: 'boolean' },
  relay: { type: 'boolean' },
  judge: { type: 'string' },
  auth: { type: 'boolean' },
  wait: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'sarif-file': { type: 'string' },
};

/** Options that name a file for a report. */
const reportFiles = ['json-to', 'junit-to', 'sarif'] as const;

/** Exit code of what could not be judged: 1 says that something is broken. */
const unjudged = 3;

/** Checks a server from the outside, in every revision that it supports. */
export async function checkCommand(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await checked(argv, io);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    io.stderr.write(`parley: ${asStarted(reasonOf(error), io.env)}\n`);
    return unjudged;
  }
}

async function checked(argv: readonly string[], io: Io): Promise<number> {
  const { before, after } = splitAtDashes(argv);
  const parsed = parseOptions(before, checkOptions);
  refuseMistakes(parsed, after);
  const judge = parsed.text('judge');
  if (judge !== undefined) {
    const { relay } = await import('../../check/client/run/relay.ts');
    return await relay(judge, { stdin: io.stdin, stdout: io.stdout, parent: process.ppid, signal: io.signal });
  }
  const wishes = { parsed, known: await knownOf(parsed), file: parsed.text('sarif-file') ?? scriptOf(after ?? []) };
  if (parsed.flag('client')) {
    const late = await import('./check-client.ts');
    // Where the client speaks to standard output, a report there would be a message to it.
    const told = parsed.flag('stdio') ? { ...io, stdout: io.stderr } : io;
    return await tell(await late.checkComingClient(parsed, after, io), wishes, told);
  }
  const place = await checkedPlace(parsed, after, io);
  refuseOnly(parsed, checkRules);
  const dates = revisionDates(parsed.texts('revision'));
  const timeout = parsed.text('timeout');
  if (parsed.text('args') !== undefined && parsed.texts('calls').length === 0)
    throw new UsageError('--args needs --calls, which names the tools that may be called');
  const calls = await allowedCalls(parsed.texts('calls'), parsed.text('args'));
  const run = {
    target: place.description,
    info: { name: 'parley-check', version },
    ...(dates === undefined ? {} : { revisions: chosenRevisions(dates) }),
    only: parsed.texts('only'),
    calls,
    heavy: parsed.flag('heavy'),
    ...(timeout === undefined ? {} : { waitTimeoutMs: milliseconds('--timeout', timeout) }),
    signal: io.signal,
  };
  if (parsed.flag('dry-run')) return await (await import('./dry-run.ts')).dryRun(place.target, run, io);
  const { way, secrets } = await place.open();
  const sign = signOfLife(io);
  try {
    const report = await judgeServer({
      ...run,
      onSent: () => sign.sent(),
      way,
      isNear: place.isNear,
    });
    return await tell(withoutTexts(report, secrets()), wishes, io);
  } finally {
    sign.over();
    if (way.over === 'http') way.http.close();
  }
}

/** @throws UsageError for options that contradict each other. */
function refuseMistakes(parsed: ParsedOptions, after: readonly string[] | undefined): void {
  if (parsed.flag('json') && parsed.flag('junit'))
    throw new UsageError(
      '--json and --junit print in one place; give one of them, and --json-to or --junit-to with a file',
    );
  refuseSameFile(parsed);
  if (parsed.flag('write-baseline') && parsed.text('baseline') === undefined)
    throw new UsageError('--write-baseline needs --baseline <file>, which it writes');
  if (parsed.text('sarif-file') !== undefined && parsed.text('sarif') === undefined)
    throw new UsageError('--sarif-file goes with --sarif <file>, whose findings it gives a place in your repository');
  if (parsed.flag('dry-run') && parsed.flag('client'))
    throw new UsageError('--dry-run goes with a server; --client sends what the client asks for');
  if (parsed.flag('client')) refuseCredentials(parsed, 'is for the check of a server, and --client checks a client');
  const isServed = parsed.flag('client') && parsed.flag('stdio') && after === undefined;
  if (parsed.text('judge') !== undefined && !isServed)
    throw new UsageError('--judge goes with --client --stdio: it is part of the command that --relay gives');
  const ofClients = ['port', 'stdio', 'relay', 'wait', 'auth'].find(
    (name) => parsed.text(name) !== undefined || parsed.flag(name),
  );
  if (ofClients !== undefined && !parsed.flag('client'))
    throw new UsageError(`--${ofClients} goes with --client, which waits for a client`);
}

/** @throws UsageError for two reports in one file. */
function refuseSameFile(parsed: ParsedOptions): void {
  const named = new Map<string, string>();
  for (const name of ['baseline', ...reportFiles]) {
    const file = parsed.text(name);
    if (file === undefined) continue;
    const other = named.get(resolve(file));
    if (other !== undefined)
      throw new UsageError(`--${other} and --${name} name the same file ${JSON.stringify(file)}; give each its own`);
    named.set(resolve(file), name);
  }
}

/** The user's options for the use of a report. */
interface Wishes {
  readonly parsed: ParsedOptions;
  /** Findings that are known; `undefined` without a baseline that is read. */
  readonly known: readonly KnownFinding[] | undefined;
  /** File at which findings point in SARIF. */
  readonly file: string | undefined;
}

/** Prints a report as it is wanted, against what is known. @returns The exit code. */
async function tell(found: CheckReport, wishes: Wishes, io: Io): Promise<number> {
  const { parsed, known = [] } = wishes;
  const file = parsed.text('baseline');
  if (file !== undefined && parsed.flag('write-baseline')) return await writeKnown(found, file, { wishes, io });
  const { report: compared, stale } = compareTo(found, known);
  const report = asWished(compared, wishes);
  io.stdout.write(
    parsed.flag('json')
      ? `${shownJson(report, 2)}\n`
      : parsed.flag('junit')
        ? printed(junitReport(report), 'lines')
        : asStarted(printed(textReport(report, { verbose: parsed.flag('verbose') }), 'lines'), io.env),
  );
  for (const { id, revision } of stale)
    io.stderr.write(
      `parley: ${printed(id, 'line')} holds at ${printed(revision, 'line')} now, and can leave the baseline\n`,
    );
  // A failure to write a file does not affect the printed report.
  await writeReports(report, wishes);
  const code = exitCode(report, parsed.flag('strict'));
  return code === 0 && stale.length > 0 && parsed.flag('strict') ? 1 : code;
}

/** Writes the findings of a run to the baseline, and the reports that are wished beside it, in which they are known. */
async function writeKnown(
  found: CheckReport,
  file: string,
  { wishes, io }: { readonly wishes: Wishes; readonly io: Io },
): Promise<number> {
  if (isUnjudged(found)) {
    // Rows that were not checked are unknown.
    io.stderr.write(printed(textReport(found), 'lines'));
    io.stderr.write(`parley: ${printed(file, 'line')} is not written: not all could be judged\n`);
    return unjudged;
  }
  const text = baselineText(found);
  await writeFile(file, text);
  io.stderr.write(`parley: wrote ${found.findings.length} findings to ${printed(file, 'line')}\n`);
  await writeReports(asWished(compareTo(found, readBaseline(text)).report, wishes), wishes);
  return 0;
}

/** The verdict by the letter with `--strict`, and otherwise by what a client notices. */
function asWished(report: CheckReport, { parsed }: Wishes): CheckReport {
  return parsed.flag('strict') || report.side === 'client' ? report : inPractice(report);
}

/** Writes a report to the files that are named. */
async function writeReports(report: CheckReport, { parsed, file }: Wishes): Promise<void> {
  const [json, junit, sarif] = reportFiles.map((name) => parsed.text(name));
  if (json !== undefined) await writeFile(json, `${shownJson(report, 2)}\n`);
  if (junit !== undefined) await writeFile(junit, printed(junitReport(report), 'lines'));
  if (sarif !== undefined) await writeFile(sarif, printed(sarifReport(report, file), 'json'));
}

/** Reads what is known before anything is sent. @throws UsageError where it cannot be read. */
async function knownOf(parsed: ParsedOptions): Promise<readonly KnownFinding[] | undefined> {
  const file = parsed.text('baseline');
  if (file === undefined || parsed.flag('write-baseline')) return undefined;
  try {
    return readBaseline(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new UsageError(`the baseline ${JSON.stringify(file)} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

/** 0: nothing is broken. 1: something is. 3: it could not be judged. */
function exitCode(report: CheckReport, isStrict: boolean): number {
  const { findings } = report;
  const counted = findings.filter(
    ({ severity, known }) => known !== true && (severity === 'error' || (isStrict && severity === 'warning')),
  );
  if (counted.length > 0) return 1;
  return isUnjudged(report) ? unjudged : 0;
}

function isUnjudged({ revisions, counts, cut }: CheckReport): boolean {
  // Whom something in front of the server, or its limits, kept from most of it has not judged it.
  const isKeptOut = counts.notJudged > counts.judged;
  return cut !== undefined || isKeptOut || counts.judged === 0 || revisions.every(({ spoken }) => !spoken);
}
