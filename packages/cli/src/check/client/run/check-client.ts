import type { Readable, Writable } from 'node:stream';
import { after } from '../../../../../parley/src/jsonrpc/timeout.ts';
import type { Implementation } from '../../../../../parley/src/protocol/features/common.ts';
import { revisions as published, type Revision } from '../../../../../parley/src/protocol/revision.ts';
import { chosenBy, refuseUnknownRows } from '../../chosen.ts';
import { reportOf } from '../../judge.ts';
import type { CheckReport } from '../../report.ts';
import { droppedTimes } from '../dropped.ts';
import { stepsDone, stepsMissing } from './guide.ts';
import { openHttpDoor, type HttpDoor } from './http-door.ts';
import { JudgedClient } from './judged-client.ts';
import { speakLines } from './lines-door.ts';
import { openRelayDoor, type RelayDoor } from './relay-door.ts';
import { dyingTimes } from '../served-process.ts';
import { clientRules } from '../rules/rules.ts';

/** A client that is to be judged, and how. */
export interface CheckClientOptions {
  /** Port on this machine, 0 for any; the two ends of lines; or a place to which servers connect that pass on what their client says, of which there may be several, one after the other. */
  readonly door:
    | { readonly port: number }
    | { readonly input: Readable; readonly output: Writable }
    | { readonly isRelayed: true };
  /** Name and version that the client receives, and that the report shows. */
  readonly info: Implementation;
  /** The revisions that are served; all by default. */
  readonly revisions?: readonly Revision[];
  /** Rows, or areas such as `http`, to check; all by default. */
  readonly only?: readonly string[];
  /** Longest time of all, in milliseconds; 10 minutes by default. */
  readonly limitMs?: number;
  /** Silence after the last step that is taken for the end, in milliseconds; 1,500 by default. */
  readonly quietMs?: number;
  readonly signal: AbortSignal;
  /** True if the client was started here, so that only this process ends its children. */
  readonly isStarted?: boolean;
  /**
   * Receives the address, or the path to which servers connect. @returns Resolves when the client has exited, with its
   * status if known; left out if that cannot be known.
   */
  onOpen?(origin: string): Promise<unknown> | undefined;
  /** Hears which steps are done, whenever one is. */
  onStep?(done: ReadonlySet<string>): void;
}

/**
 * Serves every revision until a client has done all steps, has gone, or time is over, and judges it.
 *
 * @throws RangeError for rows that there are not.
 */
export async function checkClient(options: CheckClientOptions): Promise<CheckReport> {
  const { door, info, revisions = published, only = [], limitMs = 600_000, signal } = options;
  refuseUnknownRows(only, clientRules);
  const over = 'port' in door ? 'http' : 'stdio';
  const quiet = new Quiet(options);
  const judged: JudgedClient = new JudgedClient({
    over,
    info,
    isChosen: chosenBy(only),
    progress: () => quiet.heard(judged),
  });
  const ended = new Promise<string>((resolve) => {
    signal.addEventListener('abort', () => resolve('it was stopped'), { once: true });
    if (signal.aborted) resolve('it was stopped');
  });
  let opened: HttpDoor | undefined;
  let relays: RelayDoor | undefined;
  let cancel = (): void => undefined;
  const tooLong = new Promise<string>((resolve) => (cancel = after(limitMs, () => resolve('its time was over'))));
  let why: string | undefined;
  let isGone = false;
  try {
    let gone: Promise<unknown> | undefined;
    if ('port' in door) {
      opened = await openHttpDoor(door.port, revisions, { judged: () => judged });
      judged.serveRemote(opened.remote);
      gone = options.onOpen?.(opened.origin);
    } else if ('isRelayed' in door) {
      relays = await openRelayDoor(revisions, judged);
      gone = options.onOpen?.(relays.path);
    } else gone = speakLines(door, revisions, judged);
    const left = gone?.then((how) => {
      isGone = true;
      return `the client ended before all was done${typeof how === 'string' ? `: ${how}` : ''}`;
    });
    why = await Promise.race([...(left === undefined ? [] : [left]), quiet.over, ended, tooLong]);
  } finally {
    cancel();
    quiet.stop();
    await opened?.close();
  }
  try {
    judged.end(isGone, options.isStarted);
  } finally {
    await relays?.close();
  }
  if (judged.failure !== undefined) throw judged.failure.error;
  return report(judged, { over, info, revisions, why, origin: opened?.origin });
}

/** Waits for all steps, and then for silence. */
class Quiet {
  readonly over: Promise<undefined>;
  readonly #options: CheckClientOptions;
  #done = 0;
  #resolve: () => void = () => undefined;
  #cancel: () => void = () => undefined;

  constructor(options: CheckClientOptions) {
    this.#options = options;
    this.over = new Promise((resolve) => (this.#resolve = () => resolve(undefined)));
  }

  /** A message arrived. */
  heard({ talks }: JudgedClient): void {
    const done = stepsDone(talks);
    if (done.size !== this.#done) this.#options.onStep?.(done);
    this.#done = done.size;
    this.#cancel();
    const { quietMs = 1_500 } = this.#options;
    // A client that was asked to come back later may still do so, so this waits.
    const isAwaited = talks.some(({ dropped }) => dropped.some((call) => call.isAwaited));
    const isOwed = talks.some(({ process, streamCount }) => (process?.before?.listening ?? 0) > 0 && streamCount === 0);
    const waits = [quietMs, ...(isAwaited ? [droppedTimes.gone] : []), ...(isOwed ? [dyingTimes.goesOn] : [])];
    if (stepsMissing(talks).length === 0) this.#cancel = after(Math.max(...waits), this.#resolve);
  }

  /** Waits no more. */
  stop(): void {
    this.#cancel();
  }
}

interface Ending {
  readonly over: 'http' | 'stdio';
  readonly info: Implementation;
  readonly revisions: readonly Revision[];
  readonly why: string | undefined;
  readonly origin: string | undefined;
}

function report(judged: JudgedClient, { over, info, revisions, why, origin }: Ending): CheckReport {
  const { spoken } = judged.watching;
  const { name, version } = info;
  const seen = revisions.map((revision) =>
    spoken.has(revision)
      ? { revision: revision.date, spoken: true }
      : { revision: revision.date, spoken: false, why: 'the client did not speak it' },
  );
  const missing = stepsMissing(judged.talks).map(({ words }) => words);
  const cut = judged.isTooMuch ? 'it sent more messages than the check reads' : missing.length === 0 ? undefined : why;
  return reportOf(
    {
      tool: { name, version },
      target: `a client${origin === undefined ? '' : ` at ${origin}`}`,
      transport: over,
      side: 'client',
      ...(missing.length > 0 && { missing }),
    },
    {
      revisions: seen,
      judged: judged.watching.outcomes(),
      messages: judged.messages,
      ...(cut === undefined ? {} : { cut }),
    },
  );
}
