import type { Client } from '../../client/api/client.ts';
import type { Subscription, SubscriptionEvent, Topics } from '../../client/api/subscription.ts';
import { runOnAbort } from '../../jsonrpc/run-on-abort.ts';
import { settledWithin } from '../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { SettledFacts } from '../../jsonrpc/transport-facts.ts';
import type { ClientView } from '../../server/runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { LoggingLevel, LoggingMessageNotificationParams } from '../../protocol/features/logging.ts';
import { QuestionRouter } from './question-router.ts';
import type { ForwardedCall } from './forwarded-call.ts';
import { ConnectionCalls, type SentCall } from './connection-calls.ts';
import { OrphanedCalls } from './orphaned-calls.ts';
import { failureFor, unreachable, wordsOf } from '../failure.ts';
import type { Failures } from './failures.ts';
import { forward, revisionFor } from '../forward.ts';
import { related, withoutWish } from '../tasks/task-forms.ts';
import { hasEnded } from '../../protocol/task-status.ts';
import { ProgressRelays } from './progress.ts';
import type { ClientEvents, OpenClient, UpstreamEvents, UpstreamConnectionOptions } from './upstream-options.ts';

/** Time for which the cancellation of a call is awaited after its client rejected a question, in milliseconds. */
const abandonedMs = 250;

/** Time that the first call waits for each step by which a server gets the roots of its client, in milliseconds. */
const rootsMs = 1_000;
/** Time that a server has to use the roots that it asked for, in milliseconds. */
const lookMs = 100;

/** One connection to the upstream server, opened when it is first needed. */
export class Upstream {
  /** Name of it among the connections of all processes. */
  readonly id: string = crypto.randomUUID().slice(0, 8);
  readonly #open: OpenClient;
  readonly #facts: SettledFacts;
  readonly #events: UpstreamEvents;
  readonly #self: ClientView | undefined;
  readonly #tick: () => number;
  /** The owner that it counts for: the last one that took it while it was unused. */
  owner: string | undefined;
  /** Time of its last use, by the ticks of its places. */
  usedAt: number;
  #stateful = false;
  /** True when a call that may be asked has ended on it, whatever the server still does for it. */
  #hasServed = false;
  readonly #onAsked: () => void;
  readonly #orphans: OrphanedCalls;
  readonly calls: ConnectionCalls;
  readonly asking: QuestionRouter;
  readonly #failures: Failures;
  readonly progress: ProgressRelays;
  readonly #waiting: UpstreamConnectionOptions['waiting'];
  #followers = 0;
  /** Number of requests under way beside calls: levels, notifications, the beginnings of subscriptions. */
  #beside = 0;
  #client: Promise<Client> | undefined;
  /** The newest client, open or not. */
  #latest: Client | undefined;
  /** True when the running call must have the connection to itself. */
  #alone = false;
  /** The level that the downstream session requested, and the one that the upstream has. */
  #wanted: LoggingLevel | undefined;
  #told: LoggingLevel | undefined;
  /** The last call, which knows what its client wants to receive. */
  #last: ForwardedCall | undefined;
  readonly #closed = new AbortController();
  /** Questions of the server that wait for its client. */
  readonly #questions = new Set<Promise<unknown>>();
  /** True when the server asked its client something. */
  #wasAsked = false;

  constructor({
    open,
    facts,
    events,
    self,
    owner,
    onAsked,
    failures,
    waiting,
    level,
    tick,
  }: UpstreamConnectionOptions) {
    this.#open = open;
    this.#facts = facts;
    this.#events = events;
    this.#self = self;
    this.owner = owner;
    this.#orphans = new OrphanedCalls(events.onWarning);
    this.calls = new ConnectionCalls(this.#orphans);
    this.#onAsked = onAsked;
    this.asking = new QuestionRouter({
      running: () => this.calls.running,
      sentAs: (id) => this.calls.sentAs(id),
      orphans: this.#orphans,
      onUnexpected: () => void (this.#hasServed && this.#orphans.forever()),
    });
    this.progress = new ProgressRelays((...said) => events.taskSaid?.(...said));
    this.#failures = failures;
    this.#waiting = waiting;
    this.#wanted = level;
    this.#tick = tick;
    this.usedAt = tick();
  }

  /** Tells whether nothing runs on it. */
  get quiet(): boolean {
    return this.calls.size === 0;
  }

  /** Tells whether no caller waits for it. */
  get idle(): boolean {
    return this.quiet && this.#beside === 0;
  }

  /** Tells whether its loss may lose state: of a call in the server, or of a subscription. */
  get stateful(): boolean {
    return this.#stateful || this.followed;
  }

  /** The level that its session asked for. */
  get level(): LoggingLevel | undefined {
    return this.#wanted;
  }

  /** Tells whether it has subscriptions. */
  get followed(): boolean {
    return this.#followers > 0;
  }

  /** Resolves when every cancelled call was answered after all. */
  async cleared(): Promise<void> {
    await this.#orphans.over();
  }

  /** Tells whether a call may run on it beside what runs already, or needs it to itself. */
  free(alone: boolean): boolean {
    return alone ? this.quiet && !this.doubtful && !this.calls.hasTasks : !this.#alone;
  }

  /** Takes note that a task has ended. */
  ended(taskId: string): void {
    this.calls.ended(taskId);
    this.progress.ended(taskId);
  }

  /** Tells whether questions or logs of the server may belong to a cancelled call. They then reach no other client. */
  get doubtful(): boolean {
    return this.#orphans.exists;
  }

  /** Tells whether log messages during a call can only belong to its client. */
  maySendLogsOf(call: ForwardedCall): boolean {
    return call.logLevel === undefined || this.calls.areLogsOf(call, true);
  }

  /** The client that was opened last, if there was one. */
  get latest(): Client | undefined {
    return this.#latest;
  }

  /**
   * Forwards one request.
   *
   * @param alone Keeps other calls away, so that all messages meanwhile belong to this one. It must be quiet before.
   */
  async carry(params: JsonObject, call: ForwardedCall, alone = false): Promise<JsonObject> {
    const place = this.calls.carry(call);
    this.#stateful ||= methodOf(call.method)?.leaves !== 'nothing';
    this.#alone = this.#alone || alone;
    try {
      const client = await this.client();
      if (hasSessionLevel(client))
        await this.#adjustLevel(client, call.session === undefined ? this.calls.maxTalkative : this.#wanted);
      return await this.#run(client, params, call);
    } catch (error) {
      if (!call.signal.aborted) this.#failures.note(error, call.method);
      throw error;
    } finally {
      place.leave();
      this.usedAt = this.#tick();
      this.#hasServed ||= call.ask !== undefined;
      if (alone) this.#alone = false;
    }
  }

  /**
   * Sets the level of the session, here and upstream, if that has one.
   *
   * @throws McpError from the upstream.
   */
  async setLevel(level: LoggingLevel, call: ForwardedCall): Promise<void> {
    this.#last = call;
    this.#wanted = level;
    // A connection that is not open gets the level with its first call.
    if (this.#client !== undefined) await this.#besideCalls(() => this.#tellLevel(level, call));
  }

  /**
   * Subscribes to changes until the subscription ends.
   *
   * @param onReopened Called when changes may have been missed.
   */
  async follow(topics: Topics, onReopened: () => void, signal?: AbortSignal): Promise<Subscription> {
    return await this.#besideCalls(() => this.#subscribe(topics, onReopened, signal));
  }

  /** Runs work outside of calls, and keeps the connection open meanwhile. */
  async during<T>(work: (client: Client) => Promise<T>): Promise<T> {
    this.#followers++;
    try {
      return await work(await this.client());
    } finally {
      this.#followers--;
    }
  }

  async #subscribe(topics: Topics, onReopened: () => void, signal?: AbortSignal): Promise<Subscription> {
    const client = await this.client();
    try {
      const onEvent = ({ type }: SubscriptionEvent): void => void (type === 'reopened' && onReopened());
      const subscription = await client.subscribe(topics, onEvent, { signal });
      this.#followers++;
      void subscription.closed.finally(() => this.#followers--);
      return subscription;
    } catch (error) {
      throw error instanceof ConnectionError ? unreachable(error) : error;
    }
  }

  /** Sends a notification. There is no reply. */
  async notify(method: string, params: JsonObject): Promise<void> {
    this.#stateful = true;
    await this.#besideCalls(async () => await (await this.client()).notify(method, params));
  }

  /** The open client. */
  async client(): Promise<Client> {
    if (this.#closed.signal.aborted) throw new McpError('internalError', 'the bridge is closed');
    const opening = (this.#client ??= this.#connect());
    try {
      return await opening;
    } catch (error) {
      if (this.#client === opening) this.#client = undefined;
      throw unreachable(error);
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  /** Keeps the connection from being closed while work other than a call runs. */
  async #besideCalls<T>(work: () => Promise<T>): Promise<T> {
    this.#beside++;
    try {
      return await work();
    } finally {
      this.#beside--;
      this.usedAt = this.#tick();
    }
  }

  async #tellLevel(level: LoggingLevel, call: ForwardedCall): Promise<void> {
    const client = await this.client();
    if (!hasSessionLevel(client)) return;
    try {
      await client.setLogLevel(level);
      this.#told = level;
    } catch (error) {
      throw failureFor(error, { call, params: { level }, revision: revisionFor(client) });
    }
  }

  async #connect(): Promise<Client> {
    const events: ClientEvents = {
      onLog: (message, { request }) => this.#logged(message, request),
      onNotification: (method, params, { request }) => this.#notified(method, params, request),
      onReconnect: () => {
        this.#begunAnew();
        this.#events.onMissed?.();
      },
      onGap: () => this.#events.onMissed?.(),
      onRequest: (method, params, { signal, request }) => this.#noted(this.#asked(method, params, { signal, request })),
    };
    const client = await this.#open(events, this.#self, this.#closed.signal);
    const isAnother = this.#latest !== undefined;
    [this.#latest, this.#told] = [client, undefined];
    this.#begunAnew();
    void client.closed.then(() => {
      if (this.#latest !== client) return;
      this.#client = undefined;
      this.#begunAnew();
    });
    // The previous one was permanently lost, and changes since then were missed.
    if (isAnother) this.#events.onMissed?.();
    await this.#rootsFirst(client);
    return client;
  }

  /**
   * Gives a server that asks for roots when a session begins the time to get them before the first call: its process
   * is only started for that call. Such a question comes at the latest shortly after the answer to a `ping`.
   */
  async #rootsFirst(client: Client): Promise<void> {
    if (this.#events.onRequest === undefined || this.#self?.capabilities.roots === undefined) return;
    const ping = (): Promise<boolean> =>
      client.ping({ timeoutMs: rootsMs }).then(
        () => true,
        () => false,
      );
    // A server that does not answer one `ping` is not asked again.
    if (await ping()) await ping();
    if (!this.#wasAsked) return;
    await settledWithin(rootsMs, Promise.allSettled(this.#questions));
    // A server of files looks whether the folders exist.
    await settledWithin(lookMs, client.closed);
  }

  async #noted<T>(question: Promise<T>): Promise<T> {
    this.#wasAsked = true;
    this.#questions.add(question);
    try {
      return await question;
    } finally {
      this.#questions.delete(question);
    }
  }

  /** Forgets the calls of a connection that is over. */
  #begunAnew(): void {
    this.#orphans.end();
    this.calls.begunAnew();
    this.#hasServed = false;
  }

  async #run(client: Client, params: JsonObject, call: ForwardedCall): Promise<JsonObject> {
    let answered: (() => void) | undefined;
    const sent: SentCall = { call, id: undefined };
    const place = this.calls.send(sent);
    this.#last = call;
    try {
      return await this.progress.during(call, params, (progress) =>
        forward(client, {
          params,
          call,
          ...progress,
          own: this.#self !== undefined,
          waiting: this.#waiting,
          tolerated: this.#failures.tolerated,
          onSent: (id) => void (sent.id = id),
          onGivenUp: () => {
            if (!this.#endsWithItsStream(client)) answered = this.#orphans.of(call);
          },
          onLateAnswer: () => answered?.(),
        }),
      );
    } finally {
      place.leave();
    }
  }

  /** Tells whether cancelling a request ends its messages, because that closes its stream. */
  #endsWithItsStream(client: Client): boolean {
    return this.#facts.cancelsByClosing && revisionFor(client).httpCancellation === 'close-stream';
  }

  /** An upstream that refuses a level still answers calls. */
  async #adjustLevel(client: Client, level: LoggingLevel | undefined): Promise<void> {
    if (level === undefined || level === this.#told) return;
    this.#told = level;
    try {
      await client.setLogLevel(level);
    } catch (error) {
      this.#events.onWarning(`the log level of the upstream could not be set: ${wordsOf(error)}`);
    }
  }

  #notified(method: string, params: JsonObject, request: number | undefined): void {
    const { latest } = this;
    if (method === 'notifications/progress')
      return latest && related(this.#events, params, (named) => this.progress.heard(named, revisionFor(latest)));
    if (method === 'notifications/tasks/status' && hasEnded(params)) this.calls.ended(params['taskId']);
    const { onNotification, onRequest } = this.#events;
    const within = this.calls.sentAs(request);
    const isShared = onRequest === undefined;
    const row = methodOf(method);
    // Other fields of a list change may be meant for the client of a running call.
    const isBare = isShared && row?.tells !== undefined && (within !== undefined || this.calls.running.length > 0);
    if (row !== undefined) return onNotification?.(method, isBare ? {} : params);
    // A message of an extension belongs to the call of its exchange or token, to the stream that it names, or to the session.
    if (within !== undefined) within.send(method, params);
    else if (isShared && request !== undefined) onNotification?.(method, params);
    else if (!this.progress.tell(method, params))
      related(this.#events, params, (named) => onNotification?.(method, named));
  }

  async #asked(
    method: string,
    given: JsonObject,
    { signal, request }: { readonly signal: AbortSignal; readonly request: number | undefined },
  ): Promise<JsonObject> {
    const { onRequest } = this.#events;
    const params = withoutWish(method, given, this.#self?.capabilities);
    if (onRequest === undefined) {
      this.#onAsked();
      return await this.asking.ask({ method, params, signal, request });
    }
    for (;;) {
      const on = this.calls.sentAs(request) ?? this.calls.newest;
      try {
        return await onRequest(method, params, { signal, on });
      } catch (error) {
        // It may belong to a call that was not cancelled.
        const isOfAnother = request === undefined && on !== undefined && this.calls.running.some((one) => one !== on);
        if (!isOfAnother || !(await wasAbandoned(on, error)) || signal.aborted) throw error;
        if (this.calls.newest?.signal.aborted !== false) throw error;
      }
    }
  }

  /** Delivers a log message to the call in whose exchange it came, or to the only client that can have caused it. */
  #logged(message: LoggingMessageNotificationParams, request: number | undefined): void {
    const { calls } = this;
    const wanting = request === undefined ? calls.forwarded : [calls.sentAs(request)];
    const call = wanting.find((one) => one?.logLevel !== undefined && one.admits(message.level));
    const hearer = call ?? this.#last;
    // Spec, Logging: nothing below the level that the client wants.
    if (hearer?.admits(message.level) !== true) return;
    const mayBeLate = calls.mayLogLate(this.#eachSaysSo);
    if (call !== undefined && (request !== undefined || (!mayBeLate && calls.areLogsOf(call, this.#eachSaysSo))))
      related(this.#events, { ...message }, (named) => call.send('notifications/message', named));
    // It was read as a log message.
    else if (this.#events.onLog !== undefined)
      related(this.#events, { ...message }, (named) =>
        this.#events.onLog?.(named as unknown as LoggingMessageNotificationParams),
      );
    else if (mayBeLate || this.doubtful) this.#orphans.silence(mayBeLate);
  }

  /** Tells whether the server logs for those requests alone that want it. */
  get #eachSaysSo(): boolean {
    return this.#latest === undefined || revisionFor(this.#latest).logging !== 'session';
  }
}

/**
 * Tells whether the client gave up the call on whose stream a question came. Some clients reject the question then, and
 * that may arrive before the cancellation.
 */
async function wasAbandoned({ signal }: ForwardedCall, error: unknown): Promise<boolean> {
  if (signal.aborted || !(error instanceof McpError) || error.kind !== 'internalError') return signal.aborted;
  let unlistened: (() => void) | undefined;
  const aborted = new Promise<void>((resolve) => (unlistened = runOnAbort(signal, resolve)));
  await settledWithin(abandonedMs, aborted);
  unlistened?.();
  return signal.aborted;
}

function hasSessionLevel(client: Client): boolean {
  return revisionFor(client).logging === 'session' && client.capabilities.logging !== undefined;
}
