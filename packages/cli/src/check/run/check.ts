import type { Implementation } from '../../../../parley/src/protocol/features/common.ts';
import { revisions as published, type Revision } from '../../../../parley/src/protocol/revision.ts';
import type { AllowedCall } from '../harness/allowed.ts';
import type { ServerAccess } from '../harness/harness.ts';
import { chosenBy, refuseUnknownRows } from '../chosen.ts';
import { reportOf } from '../judge.ts';
import type { CheckReport } from '../report.ts';
import { runRules } from '../run.ts';
import { isProbe, type CheckRule } from '../rule.ts';
import { checkRules } from '../rules/rules.ts';

/** A server that is to be judged, and how. */
export interface CheckOptions {
  readonly way: ServerAccess;
  /** The server in words without secrets. */
  readonly target: string;
  /** Name and version that the server receives, and that the report shows. */
  readonly info: Implementation;
  /** The revisions to check; all by default. */
  readonly revisions?: readonly Revision[];
  /** Rows, or areas such as `http`, to check; all by default. */
  readonly only?: readonly string[];
  /** Tools that may be called; none by default, and then no listed tool is. */
  readonly calls?: readonly AllowedCall[];
  /** True where a message of 100 MB and 500 slow connections are sent too. */
  readonly heavy?: boolean;
  /** Longest wait for each answer, in milliseconds. Without it, 5,000 for the first silence of a process, and less for the next. */
  readonly waitTimeoutMs?: number;
  /** Hears each text that was sent in a conversation, as it stood on the wire. */
  onSent?(sent: string): void;
  /** True for a server on this machine, to which messages go without a pause. */
  readonly isNear: boolean;
  readonly signal: AbortSignal;
}

/** Longest time of a run: one with slow tools takes a few minutes. */
const maxMs = 15 * 60_000;

/** Judges a server. @throws what the signal was aborted with, and RangeError for rows that there are not. */
export async function judgeServer(options: CheckOptions): Promise<CheckReport> {
  const {
    way,
    target,
    info,
    revisions = published,
    only = [],
    calls = [],
    waitTimeoutMs = 5_000,
    isNear,
    signal,
  } = options;
  refuseUnknownRows(only, checkRules);
  const known = checkRules.filter((rule) => options.heavy === true || !isProbe(rule) || rule.heavy !== true);
  const isNamed = chosenBy(only);
  const isChosen = ({ id }: Pick<CheckRule, 'id'>): boolean => isNamed(id);
  // A rule that only looks needs the others to have something said.
  const isLooking = known.some((rule) => isChosen(rule) && !isProbe(rule));
  const found = await runRules({
    info,
    way,
    revisions,
    rules: known.filter((rule) => isChosen(rule) || (isLooking && isProbe(rule))),
    limits: { messages: 2_000, children: 40, perSecond: isNear ? Infinity : 20, ms: maxMs },
    calls,
    waitTimeoutMs,
    // A process may take long to load. After that, a silent server stays silent for later requests too.
    openMs:
      way.over === 'http' && options.waitTimeoutMs !== undefined ? waitTimeoutMs : Math.max(waitTimeoutMs, 30_000),
    quietMs: 300,
    isFull: options.waitTimeoutMs !== undefined,
    signal,
    ...(options.onSent && { onSent: (sent) => options.onSent?.(sent) }),
  });
  const { name, version } = info;
  return reportOf(
    { tool: { name, version }, target, transport: way.over },
    { ...found, judged: found.judged.filter(({ rule }) => isChosen(rule)) },
  );
}
