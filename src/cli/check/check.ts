import type { ParseArgsOptionsConfig } from 'node:util';
import { rawHttp } from '../../check/bench/http.ts';
import { checkServer, type CheckOptions } from '../../check/check.ts';
import type { CheckReport } from '../../check/report.ts';
import { textReport } from '../../check/report/text.ts';
import { factsOf } from '../../jsonrpc/transport-facts.ts';
import { chosenRevisions } from '../../protocol/revision.ts';
import type { Io } from '../io.ts';
import { parseOptions, revisionDates, wholeNumber, type Parsed } from '../options.ts';
import { printed, shownJson } from '../shown.ts';
import {
  headersOf,
  serverTarget,
  splitAtDashes,
  targetOptions,
  transportOf,
  variablesOf,
  type Target,
} from '../target.ts';
import { version } from '../version.ts';

const options: ParseArgsOptionsConfig = {
  ...targetOptions,
  revision: { type: 'string', multiple: true },
  only: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  verbose: { type: 'boolean' },
  strict: { type: 'boolean' },
  timeout: { type: 'string' },
};

/** Judges a server by what can be seen from outside, at every revision that it speaks. */
export async function checkCommand(argv: readonly string[], io: Io): Promise<number> {
  const { before, after } = splitAtDashes(argv);
  const parsed = parseOptions(before, options);
  const target = serverTarget(parsed.words, after);
  const dates = revisionDates(parsed.texts('revision'));
  const timeout = parsed.text('timeout');
  const way = wayTo(target, parsed, io);
  try {
    const report = await checkServer({
      way,
      target: factsOf(transportOf(target, parsed, io)).description,
      info: { name: 'parley-check', version },
      ...(dates === undefined ? {} : { revisions: chosenRevisions(dates) }),
      only: parsed.texts('only'),
      ...(timeout === undefined ? {} : { waitMs: wholeNumber('--timeout', timeout, [1, 2 ** 31 - 1]) }),
      isNear: target.kind === 'command' || isLoopback(target.url),
      signal: io.signal,
    });
    io.stdout.write(
      parsed.flag('json')
        ? `${shownJson(report, 2)}\n`
        : printed(textReport(report, { verbose: parsed.flag('verbose') }), 'lines'),
    );
    return exitCode(report, parsed.flag('strict'));
  } finally {
    if (way.over === 'http') way.http.close();
  }
}

/** 0: nothing is broken. 1: something is. 3: it could not be judged. */
function exitCode({ findings, revisions, counts, cut }: CheckReport, isStrict: boolean): number {
  const counted = findings.filter(
    ({ severity, known }) => known !== true && (severity === 'error' || (isStrict && severity === 'warning')),
  );
  if (counted.length > 0) return 1;
  return cut !== undefined || counts.judged === 0 || revisions.every(({ spoken }) => !spoken) ? 3 : 0;
}

function wayTo(target: Target, parsed: Parsed, io: Io): CheckOptions['way'] {
  if (target.kind === 'url') return { over: 'http', http: rawHttp(target.url, headersOf(parsed.texts('header'))) };
  const { command, args } = target;
  return { over: 'stdio', start: { command, args, env: variablesOf(parsed.texts('env'), io.env) } };
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
