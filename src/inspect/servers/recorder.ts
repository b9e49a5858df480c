import type { Fetch } from '../../http/client/fetch.ts';
import { createLog, type Log } from '../../wire/log.ts';
import { tapHttp } from '../../wire/tap-http.ts';
import { tapLines } from '../../wire/tap-lines.ts';
import type { RecordingEntry } from '../../wire/entry.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { WireContext } from '../wire/context.ts';
import { requirementsBroken } from '../wire/judge.ts';
import { rowOfEntry } from '../wire/row.ts';
import type { ServerPlan, Shared, WaySettings } from './shared.ts';
import type { SignInSteps } from './sign-in-steps.ts';

/** Most messages that are known to be judged. */
const mostJudged = 1_000;

/** Time that a process may take to end, in milliseconds. */
const patience = { closeMs: 1_000, killAfterMs: 500 };

/** Largest message: a person who looks for what is wrong wants to see what a client with the default limit refuses. */
const largest = 64 * 1024 ** 2;

/** Longest line of standard error in the log, in characters; the wire has all of it. */
const longestLine = 10_000;

/** Recording of one server: everything that crosses, judged, and told to the pages. */
export class ServerRecorder {
  readonly log: Log;
  readonly #context = new WireContext();
  readonly #judged = new Set<number>();
  readonly #shared: Shared;
  readonly #server: string;
  #left = 0;

  constructor(server: string, { secrets, recorded = [] }: Pick<ServerPlan, 'secrets' | 'recorded'>, shared: Shared) {
    this.#server = server;
    this.#shared = shared;
    const begun = recorded.map((entry) => ({ ...entry, server }));
    this.log = createLog({ server, next: () => shared.next(), now: () => shared.now(), begun });
    for (const entry of this.log.since(0)) shared.feed.row(rowOfEntry(this.log.masks.toShow(entry)));
    this.log.masks.hide(secrets);
    this.log.subscribe((entry) => this.#heard(entry));
    shared.begun?.(this.log);
  }

  /** True where the last request had credentials. */
  get isAuthorized(): boolean {
    return this.#context.isAuthorized;
  }

  /** Opens a way that is recorded. */
  async reach(plan: ServerPlan, asks: boolean, steps?: SignInSteps): Promise<Transport> {
    const { log } = this;
    const lines = tapLines(log);
    const fetch = tapHttp(this.#shared.fetch, { recorder: log, connection: log.connect() });
    const settings: WaySettings = {
      fetch,
      overheard: this.#overheard(steps),
      asks,
      onStderr: (text) => lines.onStderr(text),
      maxMessageBytes: largest,
      maxLineBytes: largest,
      ...patience,
    };
    const way = await plan.reach(settings);
    return way.carriesHeaders === true ? way : lines.listen(way);
  }

  /** Signs a person in, step by step. */
  async signIn(plan: ServerPlan, steps: SignInSteps, signal: AbortSignal): Promise<void> {
    await plan.signIn?.({ overheard: this.#overheard(steps), beforePage: () => steps.beforePage(), signal });
  }

  #overheard(steps: SignInSteps | undefined): WaySettings['overheard'] {
    // A response about authorization has the parts that are recorded, and a request is passed on as it is.
    return (send) => {
      const tapped = tapHttp(send as Fetch, { recorder: this.log, lane: 'auth' }) as typeof send;
      return steps === undefined ? tapped : steps.over(tapped);
    };
  }

  /** A text of the server or for it, without what is secret. */
  hidden(text: string): string {
    const { masks } = this.log;
    const kept = masks.toKeep({ lane: 'message', from: 'server', text });
    const entry: RecordingEntry = { ...kept, sequence: 0, time: 0, server: '', connection: 0, bytes: 0 };
    return masks.toShow(entry).text ?? '';
  }

  /** A value of JSON of the server or for it, without what is secret, for the page: its shape stays. */
  shown<T>(value: T): T {
    return this.log.masks.valueToShow(value);
  }

  #heard(entry: RecordingEntry): void {
    const { feed } = this.#shared;
    this.#context.heard(entry);
    if (this.#isNew(entry)) {
      const broken = requirementsBroken(entry, this.#context);
      this.#context.answered(entry);
      // It is told again by this, with what it breaks.
      if (broken.length > 0) return this.log.judge(entry.sequence, broken);
    }
    const shown = this.log.masks.toShow(entry);
    feed.row(rowOfEntry(shown));
    // It stands beside what the server logs by messages, in the order of both.
    if (shown.lane === 'stderr' && shown.text !== undefined)
      feed.log({ server: this.#server, t: shown.time, level: 'stderr', text: shown.text.slice(0, longestLine) });
    const { entries, last } = this.log.left;
    if (entries === this.#left) return;
    this.#left = entries;
    feed.left({ kind: 'left', server: this.#server, entries, last });
  }

  /** Tells whether a message of the server is whole and was not judged. */
  #isNew({ sequence, lane, from, text }: RecordingEntry): boolean {
    if (lane !== 'message' || from !== 'server' || text === undefined || this.#judged.has(sequence)) return false;
    this.#judged.add(sequence);
    const [oldest] = this.#judged;
    if (this.#judged.size > mostJudged && oldest !== undefined) this.#judged.delete(oldest);
    return true;
  }
}
