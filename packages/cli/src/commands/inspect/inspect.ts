import type { ParseArgsOptionsConfig } from 'node:util';
import { connect } from '../../../../parley/src/client.ts';
import { startInspect } from '../../inspect/serve.ts';
import { maxServers } from '../../inspect/servers/servers.ts';
import type { ServerPlan } from '../../inspect/servers/shared.ts';
import { openPage } from '../../../../parley/src/transports/node/open-page.ts';
import { recordTo, type RecordingFile } from '../../recorder/file.ts';
import { crashLine } from '../../check/harness/crash.ts';
import { sharedFetch } from '../fetch.ts';
import { isRemote, UsageError, whenAborted, type Io } from '../io.ts';
import { authOptions } from '../login/sign-in-options.ts';
import { parseOptions, revisionDates, wholeNumber, type ParsedOptions } from '../options.ts';
import { pageFolder } from '../page-folder.ts';
import { printed, reasonOf } from '../shown.ts';
import { serverTarget, splitAtDashes, targetOptions } from '../target.ts';
import { version } from '../../../../parley/src/transports/node/version.ts';
import { openTrialBridge } from './trial-bridge.ts';
import { addedPlan, configuredPlans, recordedPlans, typedPlan } from './plans.ts';

/** The options of the command. */
export const inspectOptions: ParseArgsOptionsConfig = {
  ...targetOptions,
  ...authOptions,
  config: { type: 'string' },
  server: { type: 'string' },
  revision: { type: 'string' },
  open: { type: 'string' },
  record: { type: 'string' },
  watch: { type: 'string' },
  port: { type: 'string' },
  'no-open': { type: 'boolean' },
  'read-only': { type: 'boolean' },
};

const doing: Readonly<Record<ServerPlan['kind'], string>> = {
  stdio: 'starts',
  http: 'connects to',
  recording: 'shows',
};

/** Shows what a server offers and everything that crosses the wire, in a page of the browser. */
export async function inspectCommand(argv: readonly string[], io: Io): Promise<number> {
  const { before, after } = splitAtDashes(argv);
  // A folder may be left out, and stands after `=` where it is not.
  const parsed = parseOptions(
    before.map((word) => (word === '--watch' ? '--watch=' : word)),
    inspectOptions,
  );
  const plans = await plansOf(parsed, after, io);
  if (plans.length > maxServers)
    throw new UsageError(
      `${plans.length} servers are too many for a page, which has ${maxServers}; choose one by --server`,
    );
  const asked = parsed.text('revision');
  if (asked !== undefined && asked !== 'auto') revisionDates([asked]);
  const given = parsed.text('port');
  const port = given === undefined ? 0 : wholeNumber('--port', given, [0, 65_535]);
  const record = parsed.text('record');
  const file = record === undefined ? undefined : await recordTo(record);
  try {
    await shown({ plans, asked, port, file }, parsed, io);
  } finally {
    await file?.close();
  }
  return 0;
}

/** A page that is wanted. */
interface WantedPage {
  readonly plans: readonly ServerPlan[];
  readonly asked: string | undefined;
  readonly port: number;
  readonly file: RecordingFile | undefined;
}

/** Serves the page until it is ended. */
async function shown({ plans, asked, port, file }: WantedPage, parsed: ParsedOptions, io: Io): Promise<void> {
  const inspect = await startInspect({
    plans,
    page: pageFolder,
    revision: asked,
    port,
    isReadOnly: parsed.flag('read-only'),
    version,
    fetch: sharedFetch,
    now: () => Date.now(),
    open: connect,
    words: reasonOf,
    causeOf: crashLine,
    begun: (log) => file?.add(log),
    planOf: (url) => addedPlan(url, inspectOptions, io),
    openPage,
    bridge: openTrialBridge,
    misused: (what) => void io.stderr.write(`parley: ${what}; open the address that is printed here\n`),
  });
  try {
    for (const { name, address, kind } of plans)
      io.stdout.write(`${doing[kind]} ${printed(`${name}: ${address}`, 'line')}\n`);
    io.stdout.write(`Parley shows it at ${inspect.url}\n`);
    if (!parsed.flag('no-open') && !isRemote(io)) await show(inspect.opening(), io);
    await whenAborted(io.signal);
  } finally {
    await inspect.close();
  }
}

async function plansOf(
  parsed: ParsedOptions,
  after: readonly string[] | undefined,
  io: Io,
): Promise<readonly ServerPlan[]> {
  const recording = parsed.text('open');
  if (recording !== undefined) {
    if (parsed.words.length > 0 || after !== undefined || parsed.text('config') !== undefined)
      throw new UsageError('--open shows a recording; give no server beside it');
    return await recordedPlans(recording);
  }
  const file = parsed.text('config');
  const only = parsed.text('server');
  if (only !== undefined && file === undefined) throw new UsageError('--server names one of --config; give a file too');
  if (file !== undefined) {
    if (parsed.words.length > 0 || after !== undefined)
      throw new UsageError('--config names the servers; give no other');
    return await configuredPlans(file, only, parsed, io);
  }
  // Without any, the page takes an address.
  if (parsed.words.length === 0 && after === undefined) return [];
  const { folder, ...plan } = typedPlan(serverTarget(parsed.words, after), parsed, io);
  const wanted = parsed.text('watch');
  if (wanted === undefined) return [plan];
  if (plan.kind !== 'stdio') throw new UsageError('--watch is for a server that a command starts');
  const watched = wanted === '' ? folder : wanted;
  if (watched === undefined)
    throw new UsageError('the command names no file; say which folder to watch: --watch=<folder>');
  return [{ ...plan, folder: watched }];
}

async function show(url: string, io: Io): Promise<void> {
  try {
    await openPage(url);
  } catch (error) {
    io.stderr.write(`parley: open it yourself: ${reasonOf(error)}\n`);
  }
}
