import type { Fetch } from '../../../../parley/src/jsonrpc/fetch.ts';
import { bearerIn } from '../../check/harness/guard.ts';
import { createLog, type Log } from '../../recorder/log.ts';
import { tapHttp } from '../../recorder/tap-http.ts';
import { tapLines } from '../../recorder/tap-lines.ts';
import type { Recorder, RecordingEntry } from '../../recorder/entry.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { WireContext } from '../wire/context.ts';
import { requirementsBroken, type BrokenRequirement } from '../wire/judge.ts';
import { authorizationBroken } from '../wire/judge-authorization.ts';
import { rowOfEntry } from '../wire/row.ts';
import type { ServerPlan, Shared, WayPerson, WaySettings } from './shared.ts';
import { HttpAnswering, type HearSilence } from './answering.ts';
import type { SignInSteps } from './sign-in-steps.ts';

/** Most messages that are known to be judged. */
const maxJudged = 1_000;

/** Time that a process may take to end, in milliseconds. */
const patience = { closeTimeoutMs: 1_000, killTimeoutMs: 500 };

/** Largest message: a person who looks for what is wrong wants to see what a client with the default limit refuses. */
const largest = 64 * 1024 ** 2;

/** Longest line of standard error in the log, in characters; the wire has all of it. */
const maxLineLength = 10_000;

/** The person who uses a way, and the steps in which they sign in. */
export interface PersonThere extends Pick<WayPerson, 'loginChanged' | 'unopened'> {
  readonly steps: SignInSteps;
  /** Hears the id of the process of the server, where it is one of this machine. */
  started(pid: number): void;
  /** Hears that the server answers no more, and that it does again. */
  readonly silent: HearSilence;
}

/** Recording of one server: everything that crosses, judged, and told to the pages. */
export class ServerRecorder {
  readonly log: Log;
  readonly #context = new WireContext();
  readonly #judged = new Set<number>();
  readonly #faults = new Map<number, readonly BrokenRequirement[]>();
  readonly #shared: Shared;
  readonly #server: string;
  #left = 0;
  #steps: SignInSteps | undefined;
  /** Connection whose refusals are those of the person. */
  #connection = 0;

  constructor(server: string, { secrets, recorded = [] }: Pick<ServerPlan, 'secrets' | 'recorded'>, shared: Shared) {
    this.#server = server;
    this.#shared = shared;
    const begun = recorded.map((entry) => ({ ...entry, server }));
    this.log = createLog({ server, next: () => shared.next(), now: () => shared.now(), begun });
    for (const entry of this.log.since(0)) shared.feed.row(rowOfEntry(this.log.redaction.toShow(entry)));
    this.log.redaction.hide(secrets);
    this.log.subscribe((entry) => this.#heard(entry));
    shared.begun?.(this.log);
  }

  /** Opens a way that is recorded. */
  async reach(plan: ServerPlan, person?: PersonThere): Promise<Transport> {
    const { log } = this;
    const lines = tapLines(log, person?.started);
    const connection = log.connect();
    if (person !== undefined) this.#connection = connection;
    const recorder = person === undefined ? log : new HttpAnswering(log, person.silent).recorder;
    const fetch = tapHttp(this.#shared.fetch, { recorder, connection });
    const settings: WaySettings = {
      fetch,
      overheard: this.overheard(person?.steps),
      ...(person === undefined
        ? {}
        : { person: { ...person, beforePage: (signal, url) => person.steps.beforePage(signal, url) } }),
      onStderr: (text) => lines.onStderr(text),
      maxMessageBytes: largest,
      maxLineBytes: largest,
      ...patience,
    };
    const way = await plan.reach(settings);
    return way.carriesHeaders === true ? way : lines.listen(way);
  }

  /** The way to overhear requests about authorization, which are the steps of a sign-in where there is one. */
  overheard(steps?: SignInSteps): WaySettings['overheard'] {
    if (steps !== undefined) this.#steps = steps;
    return (send) => {
      const recorded = (row?: (n: number) => void): Fetch =>
        // A response about authorization has the parts that are recorded, and a request is passed on as it is.
        tapHttp(send as Fetch, { recorder: this.#telling(row), lane: 'auth' }) as Fetch;
      return steps === undefined ? recorded() : steps.over(recorded);
    };
  }

  /** Recorder that tells of the row of a request. */
  #telling(row: (n: number) => void = () => {}): Recorder {
    const { log } = this;
    return {
      connect: () => log.connect(),
      note(seen) {
        const n = log.note(seen);
        if (seen.from === 'client') row(n);
        return n;
      },
      grow: (sequence, piece) => log.grow(sequence, piece),
      end: (sequence, more) => log.end(sequence, more),
    };
  }

  /** A text of the server or for it, without what is secret. */
  hidden(text: string): string {
    const { redaction } = this.log;
    const kept = redaction.toKeep({ lane: 'message', from: 'server', text });
    const entry: RecordingEntry = { ...kept, sequence: 0, time: 0, server: '', connection: 0, bytes: 0 };
    return redaction.toShow(entry).text ?? '';
  }

  /** A value of JSON of the server or for it, without what is secret, for the page: its shape stays. */
  shown<T>(value: T): T {
    return this.log.redaction.valueToShow(value);
  }

  #heard(entry: RecordingEntry): void {
    const { feed } = this.#shared;
    this.#context.heard(entry);
    const broken = this.#judgedNow(entry);
    // It is told again by this, with what it breaks.
    if (broken.length > 0) return this.log.judge(entry.sequence, broken);
    const shown = this.log.redaction.toShow(entry);
    feed.row(rowOfEntry(shown));
    // It stands beside what the server logs by messages, in the order of both.
    if (shown.lane === 'stderr' && shown.text !== undefined)
      feed.log({ server: this.#server, t: shown.time, level: 'stderr', text: shown.text.slice(0, maxLineLength) });
    const { entries, last } = this.log.left;
    if (entries === this.#left) return;
    this.#left = entries;
    feed.left({ kind: 'left', server: this.#server, entries, last });
  }

  /** Requirements that an entry breaks, where it is whole and was not judged. */
  #judgedNow(entry: RecordingEntry): readonly string[] {
    const { from, lane, text, http, exchange, sequence } = entry;
    if (from !== 'server' || entry.broken !== undefined) return [];
    const request = exchange === undefined ? undefined : this.log.entry(exchange);
    if (http?.status === 403 && text === undefined && lane !== 'auth') this.#refused(entry);
    // What is about authorization says it by its head, or by its body.
    const found = authorizationBroken(entry, request);
    if (found.length > 0) this.#steps?.broken(exchange ?? sequence, found);
    if (lane !== 'message' || text === undefined || !this.#isNew(sequence)) return found;
    const broken = requirementsBroken(entry, this.#context);
    this.#context.answered(entry);
    if (broken.length > 0) this.#keepFaults(sequence, broken);
    return [...found, ...broken.map(({ id }) => id)];
  }

  /** Tells of a server that wants more than was granted. */
  #refused({ http, exchange, sequence, connection }: RecordingEntry): void {
    if (connection !== this.#connection) return;
    const challenge = bearerIn({ headers: http?.headers ?? {} });
    if (challenge?.parameters['error'] === 'insufficient_scope') this.#steps?.challenged(exchange ?? sequence);
  }

  /** Faults of an entry: what is wrong, and where. */
  faultsOf(sequence: number): readonly BrokenRequirement[] {
    return this.#faults.get(sequence) ?? [];
  }

  #keepFaults(sequence: number, faults: readonly BrokenRequirement[]): void {
    this.#faults.set(sequence, faults);
    const [oldest] = this.#faults.keys();
    if (this.#faults.size > maxJudged && oldest !== undefined) this.#faults.delete(oldest);
  }

  #isNew(sequence: number): boolean {
    if (this.#judged.has(sequence)) return false;
    this.#judged.add(sequence);
    const [oldest] = this.#judged;
    if (this.#judged.size > maxJudged && oldest !== undefined) this.#judged.delete(oldest);
    return true;
  }
}
