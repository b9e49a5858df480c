import { InFlightList, type InFlightEntry } from '../../jsonrpc/in-flight-list.ts';
import { loggingLevels, type LoggingLevel } from '../../protocol/features/logging.ts';
import type { ForwardedCall } from './forwarded-call.ts';
import type { OrphanedCalls } from './orphaned-calls.ts';

/** Request that was sent. */
export interface SentCall {
  readonly call: ForwardedCall;
  /** The id that it was sent with last. */
  id: number | undefined;
}

/** Limit of the tasks of a connection that are remembered. */
const maxTasks = 1_000;

/** The calls of one connection, the tasks that some became, and which of them a message of the server can belong to. */
export class ConnectionCalls {
  readonly #orphans: OrphanedCalls;
  /** Calls from the moment on when it was decided that they may be here. */
  readonly #forwarded = new InFlightList<ForwardedCall>();
  readonly #sent = new InFlightList<SentCall>();
  /** Tasks of the server that were made on it and have not ended, as far as is known. */
  readonly #tasks = new Set<string>();
  /** Clients with calls on this connection since the server began, by session or principal; at most two. */
  readonly #clients = new Set<unknown>();
  /** The clients among them whose calls wanted log messages. */
  readonly #listeners = new Set<unknown>();

  constructor(orphans: OrphanedCalls) {
    this.#orphans = orphans;
  }

  get size(): number {
    return this.#forwarded.size;
  }

  /** The calls that are here, the oldest first. */
  get forwarded(): readonly ForwardedCall[] {
    return this.#forwarded.all();
  }

  /** The calls that were sent. */
  get running(): readonly ForwardedCall[] {
    return this.#sent.all().map(({ call }) => call);
  }

  /** The call that was sent last, if possible one that was not cancelled. */
  get newest(): ForwardedCall | undefined {
    const { running } = this;
    return running.findLast(({ signal }) => !signal.aborted) ?? running.at(-1);
  }

  carry(call: ForwardedCall): InFlightEntry {
    this.#note(call);
    return this.#forwarded.add(call);
  }

  /**
   * Tells whether a log message may belong to an already answered call of another client. True after calls of different
   * clients.
   *
   * @param eachSaysSo True if the server logs only for requests that ask for it.
   */
  mayLogLate(eachSaysSo: boolean): boolean {
    return (eachSaysSo ? this.#listeners : this.#clients).size > 1;
  }

  /** Forgets clients whose calls have ended, because the server restarted. */
  begunAnew(): void {
    this.#clients.clear();
    this.#listeners.clear();
    for (const call of this.forwarded) this.#note(call);
  }

  #note({ session, auth, logLevel }: ForwardedCall): void {
    const client = session?.state ?? auth?.principal;
    if (this.#clients.size < 2) this.#clients.add(client);
    if (logLevel !== undefined && this.#listeners.size < 2) this.#listeners.add(client);
  }

  send(sent: SentCall): InFlightEntry {
    return this.#sent.add(sent);
  }

  /** The call that was sent with an id and still runs. */
  sentAs(id: number | undefined): ForwardedCall | undefined {
    return id === undefined ? undefined : this.#sent.all().find((sent) => sent.id === id)?.call;
  }

  /** Takes note of a task that a call became. */
  began(taskId: string): void {
    const [oldest] = this.#tasks;
    if (this.#tasks.size >= maxTasks && oldest !== undefined) this.#tasks.delete(oldest);
    this.#tasks.add(taskId);
  }

  /** Takes note that a task has ended. */
  ended(taskId: unknown): void {
    this.#tasks.delete(String(taskId));
  }

  /** Tells whether tasks were made here that have not ended. */
  get hasTasks(): boolean {
    return this.#tasks.size > 0;
  }

  /** Tells whether there is neither a running call whose client may be asked, nor a task. */
  get asksNobody(): boolean {
    return !this.hasTasks && this.forwarded.every(({ ask, signal }) => ask === undefined || signal.aborted);
  }

  /** The most verbose level that any call wants. */
  get maxTalkative(): LoggingLevel | undefined {
    const wanted = new Set(this.forwarded.map(({ logLevel }) => logLevel));
    return loggingLevels.find((level) => wanted.has(level));
  }

  /**
   * Tells whether log messages without a call can only belong to the client of one call.
   *
   * @param eachSaysSo True if the server logs only for requests that ask for it.
   */
  areLogsOf(call: ForwardedCall, eachSaysSo: boolean): boolean {
    const { calls } = this.#orphans;
    if (calls === undefined) return false;
    return [...this.forwarded, ...calls].every(
      (other) =>
        other === call ||
        (eachSaysSo && other.logLevel === undefined) ||
        (other.session !== undefined && other.session.state === call.session?.state),
    );
  }
}
