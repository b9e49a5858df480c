import type { ParseArgsOptionsConfig } from 'node:util';
import { configuredName } from '../call/configured.ts';
import { readConfig } from '../config/config.ts';
import { renderExplanation } from './render.ts';
import type { Explanation } from './report.ts';
import { withoutTexts } from '../../recorder/without-texts.ts';
import { explainServer, type ExplainOptions } from './server.ts';
import { UsageError, isUnreached, type Io } from '../io.ts';
import { nearestWords } from '../../../../parley/src/options/nearest.ts';
import { partOf, timeLeft, type TimeLeft } from './time-left.ts';
import { parseOptions, milliseconds, type ParsedOptions } from '../options.ts';
import { secretsOf, serverTarget, splitAtDashes, targetOptions, transportOf } from '../target.ts';
import { printed, shownJson } from '../shown.ts';

/** The options of the command. */
export const explainOptions: ParseArgsOptionsConfig = {
  ...targetOptions,
  config: { type: 'string' },
  server: { type: 'string' },
  json: { type: 'boolean' },
  wire: { type: 'boolean' },
  timeout: { type: 'string' },
};

/** Tries a server in every revision, and says what it speaks, offers, and loses through a bridge. */
export async function explain(argv: readonly string[], io: Io): Promise<number> {
  const { before, after } = splitAtDashes(argv);
  const parsed = parseOptions(before, explainOptions);
  const timeout = parsed.text('timeout');
  const left = timeLeft(timeout === undefined ? undefined : milliseconds('--timeout', timeout));
  const common = { timeoutMs: undefined, left, wire: parsed.flag('wire'), signal: io.signal };
  const file = parsed.text('config');
  const { rest } = configuredName(parsed);
  if (file !== undefined) {
    if (rest.length > 0 || parsed.words[0]?.includes('://') === true || after !== undefined)
      throw new UsageError('--config names the servers; give no URL and no command');
    return explainEach(file, { parsed, io, common });
  }
  const target = serverTarget(parsed.words, after);
  const found = await explainServer({
    ...common,
    reach: (settings) => transportOf(target, parsed, io, settings),
  });
  const explanation = withoutTexts(found, secretsOf(target, parsed, io));
  io.stdout.write(parsed.flag('json') ? toJson(explanation) : renderExplanation(explanation, widthOf(io)));
  return codeOf([explanation]);
}

interface Run {
  readonly parsed: ParsedOptions;
  readonly io: Io;
  readonly common: Omit<ExplainOptions, 'reach'> & { readonly left: TimeLeft };
}

/** Explains the servers of a file in turn. An invalid entry is reported on stderr, and the others are explained. */
async function explainEach(file: string, { parsed, io, common }: Run): Promise<number> {
  for (const name of ['header', 'env'])
    if (parsed.texts(name).length > 0) throw new UsageError(`--${name} does not go with --config, which has its own`);
  const { upstreams, problems, warnings } = await readConfig(file, io);
  for (const message of [...problems, ...warnings]) io.stderr.write(`parley: ${printed(message, 'line')}\n`);
  const explained: Explanation[] = [];
  const { name: only } = configuredName(parsed);
  if (only !== undefined && !Object.hasOwn(upstreams, only))
    throw new UsageError(`${file} has no server ${JSON.stringify(only)}${nearestWords(only, Object.keys(upstreams))}`);
  const servers = Object.entries(upstreams).filter(([name]) => only === undefined || name === only);
  for (const [name, { reach, secrets, timeoutMs }] of servers) {
    const left = partOf(common.left, servers.length - explained.length);
    const found = await explainServer({ ...common, left, timeoutMs, reach });
    const explanation: Explanation = { name, ...withoutTexts(found, secrets) };
    if (!parsed.flag('json'))
      io.stdout.write(`${explained.length === 0 ? '' : '\n\n'}${renderExplanation(explanation, widthOf(io))}`);
    explained.push(explanation);
  }
  if (parsed.flag('json')) io.stdout.write(toJson(explained));
  return only === undefined && problems.length > 0 ? 1 : codeOf(explained);
}

/** The exit code: 0 if all servers work, 3 if none was reached, otherwise 1. */
function codeOf(explained: readonly Explanation[]): number {
  if (explained.every(({ works }) => works)) return 0;
  const tries = explained.flatMap((explanation) => explanation.tries);
  return tries.every(({ reason }) => reason !== undefined && isUnreached({ reason, status: undefined })) ? 3 : 1;
}

function toJson(value: Explanation | readonly Explanation[]): string {
  return `${shownJson(value, 2)}\n`;
}

/** Width of the terminal. Other output counts as wide. */
function widthOf({ stdout }: Io): number {
  const columns = 'columns' in stdout ? stdout.columns : undefined;
  return typeof columns === 'number' && columns > 0 ? Math.max(60, Math.min(columns, 140)) : 110;
}
