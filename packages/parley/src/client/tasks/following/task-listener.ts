import { after, microtask } from '../../../jsonrpc/timeout.ts';
import { McpError } from '../../../protocol/error.ts';
import { fromWire } from '../../../protocol/compile/from-wire.ts';
import type { ClientCapabilities } from '../../../protocol/capability.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { subscriptionsAcknowledgedParamsShape } from '../../../protocol/features/subscriptions.ts';
import { taskNotificationParamsShape } from '../../../protocol/features/tasks.ts';
import { backoffMs, steadyMs } from '../../connection/backoff.ts';
import type { Reconnecting } from '../../requests/reconnecting.ts';
import { mayPass } from '../../connection/retry.ts';
import type { ClientSettings } from '../../requests/settings.ts';
import { subscriptionOf } from '../../api/subscription.ts';
import { taskStateOf, type TaskState } from './task-state.ts';

/** Limit of tasks of one listen request; tasks beyond it are polled. */
const maxIds = 1_000;

/** Time in which tasks gather before a request is sent for all of them, and after which the next is, in milliseconds. */
const gatheringMs = 250;

/** Number of streams without any task after which the server counts as one that sends no task notifications. */
const maxEmpty = 3;

/** A waiting caller of a task. */
export interface TaskHearer {
  /** The server sent the task's state. */
  heard(state: TaskState): void;
  /** From now on it does. */
  covered(): void;
  /** The server sends no more notifications of the task: poll it. */
  nudge(): void;
}

/** Parts that listening for tasks needs. */
export interface TaskListenerOptions {
  readonly connection: Reconnecting;
  readonly settings: ClientSettings;
  /** Capabilities that are declared with the request. */
  capabilities(): ClientCapabilities | undefined;
}

interface Stream {
  readonly stop: AbortController;
  readonly asked: ReadonlySet<string>;
  id: number | undefined;
  /** Ids that the server sends notifications for; empty until it acknowledged the request. */
  taken: ReadonlySet<string>;
  /** Time at which it did. */
  takenAt: number | undefined;
}

/** One `subscriptions/listen` for all tasks of a client that take long. (Spec ext-tasks, Notifications.) */
export class TaskListener {
  readonly #options: TaskListenerOptions;
  readonly #hearers = new Map<string, TaskHearer>();
  /** Open streams: the current one, and its replacement. */
  readonly #streams = new Set<Stream>();
  /** Ids that the server left out. */
  readonly #declined = new Set<string>();
  #opening: (() => void) | undefined;
  #tries = 0;
  /** Number of consecutive streams on which the server agreed to no task. */
  #empty = 0;
  #isRefused = false;
  #handing: Stream | undefined;

  constructor(options: TaskListenerOptions) {
    this.#options = options;
  }

  /** Subscribes to a task until it is dropped. */
  want(id: string, hearer: TaskHearer): void {
    if (this.#hearers.has(id)) return;
    this.#hearers.set(id, hearer);
    this.#openSoon(gatheringMs);
  }

  /** No caller waits for the task any more. */
  drop(id: string): void {
    this.#declined.delete(id);
    if (this.#hearers.delete(id) && this.#hearers.size === 0) this.stop();
  }

  /** Tells whether the server sends notifications of a task. */
  covers(id: string): boolean {
    for (const { taken } of this.#streams) if (taken.has(id)) return true;
    return false;
  }

  /** Ends all streams. */
  stop(): void {
    this.#opening?.();
    this.#opening = undefined;
    for (const stream of this.#streams) this.#close(stream);
  }

  /** A notification came. */
  notified(method: string, params: JsonObject): void {
    if (this.#streams.size === 0) return;
    // The id of a stream is not known while its request is handed over.
    if (this.#handing !== undefined) return microtask(() => this.notified(method, params));
    const id = subscriptionOf(params);
    const stream = [...this.#streams].find((one) => one.id === id);
    if (stream === undefined) return;
    if (method === 'notifications/subscriptions/acknowledged') this.#acknowledged(stream, params);
    else if (method === 'notifications/tasks') this.#told(params);
  }

  #told(params: JsonObject): void {
    const { connection, settings } = this.#options;
    try {
      const state = taskStateOf(fromWire(connection.revision, taskNotificationParamsShape, params));
      this.#hearers.get(state.taskId)?.heard(state);
    } catch (error) {
      settings.onWarning?.('a notification about a task was ignored, since it is malformed', error);
    }
  }

  #acknowledged(stream: Stream, params: JsonObject): void {
    const { connection, settings } = this.#options;
    let told: readonly string[] = [];
    try {
      const { notifications } = fromWire(connection.revision, subscriptionsAcknowledgedParamsShape, params);
      told = notifications.taskIds ?? [];
    } catch (error) {
      settings.onWarning?.('the acknowledgement of a subscription is malformed', error);
    }
    stream.taken = new Set(told.filter((id) => stream.asked.has(id)));
    for (const id of stream.asked) if (!stream.taken.has(id) && this.#hearers.has(id)) this.#declined.add(id);
    // The new stream covers the earlier ones, too.
    for (const other of this.#streams) if (other !== stream && other.id !== undefined) this.#close(other);
    stream.takenAt = settings.clock();
    this.#empty = stream.taken.size === 0 ? this.#empty + 1 : 0;
    this.#isRefused ||= this.#empty >= maxEmpty;
    if (stream.taken.size === 0) this.#close(stream);
    for (const id of stream.taken) this.#hearers.get(id)?.covered();
    if (this.#isLacking) this.#openSoon(gatheringMs);
  }

  /** Tells whether an awaited task is on no stream and was requested on none. */
  get #isLacking(): boolean {
    const asked = [...this.#streams].map((stream) => stream.asked);
    let places = maxIds;
    for (const id of this.#hearers.keys()) {
      if (this.#declined.has(id) || places-- <= 0) continue;
      if (!asked.some((ids) => ids.has(id))) return true;
    }
    return false;
  }

  #openSoon(ms: number): void {
    if (this.#opening !== undefined || this.#isRefused) return;
    this.#opening = after(ms, () => {
      this.#opening = undefined;
      const isAwaited = [...this.#streams].some(({ taken, asked }) => taken.size === 0 && asked.size > 0);
      // A task that is added before the acknowledgement goes into the next request.
      if (!isAwaited && this.#isLacking) void this.#open();
    });
  }

  async #open(): Promise<void> {
    const { connection, settings } = this.#options;
    const ids = [...this.#hearers.keys()].filter((id) => !this.#declined.has(id)).slice(0, maxIds);
    const stream: Stream = {
      stop: new AbortController(),
      asked: new Set(ids),
      id: undefined,
      taken: new Set(),
      takenAt: undefined,
    };
    this.#streams.add(stream);
    const { signal } = stream.stop;
    const limit = settings.timeoutMs === 0 ? Infinity : settings.timeoutMs;
    const cancel = after(limit, () => stream.taken.size === 0 && this.#close(stream));
    try {
      const current = await connection.ready('subscriptions/listen', signal);
      const asked = this.#hand(stream, () => {
        const capabilities = this.#options.capabilities();
        const params = { notifications: { taskIds: ids } };
        return connection.listen(current, params, { signal, ...(capabilities && { capabilities }) });
      });
      await asked.answer;
    } catch (error) {
      this.#isRefused ||= error instanceof McpError && !mayPass(error);
    } finally {
      cancel();
      this.#streams.delete(stream);
      for (const id of stream.taken) if (!this.covers(id)) this.#hearers.get(id)?.nudge();
    }
    // A server that ends each stream as soon as it is open is asked more and more seldom.
    if (stream.takenAt !== undefined && settings.clock() - stream.takenAt >= steadyMs) this.#tries = 0;
    // The stream ended by itself: the remaining tasks are polled meanwhile.
    if (!signal.aborted && this.#isLacking) this.#openSoon(backoffMs(this.#tries++, settings.random()));
  }

  #hand<Asked extends { readonly id: number }>(stream: Stream, send: () => Asked): Asked {
    this.#handing = stream;
    try {
      const asked = send();
      stream.id = asked.id;
      return asked;
    } finally {
      this.#handing = undefined;
    }
  }

  #close(stream: Stream): void {
    this.#streams.delete(stream);
    stream.stop.abort();
  }
}
