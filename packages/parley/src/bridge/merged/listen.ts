import { backoffMs } from '../../client/connection/backoff.ts';
import { isWithinAny } from '../../client/api/subscription.ts';
import { settledOrAborted } from '../../client/api/wait-for.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { Slices } from '../../jsonrpc/slices.ts';
import { monotonicNow } from '../../jsonrpc/timeout.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import type { SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import { healthyMs, isListChange, maxResources, pause, subscribed } from '../changes.ts';
import { listChanges, type ListChange } from '../../protocol/catalogue.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import { wordsOf } from '../failure.ts';
import type { Single } from '../single/single.ts';
import { graceMs, mostOf } from './begin.ts';
import type { Backend } from './backend.ts';
import { subCall } from './sub-call.ts';

const acknowledged = 'notifications/subscriptions/acknowledged';
const updated = 'notifications/resources/updated';
const maxEarly = 1_000;

/** Parts of the merged bridge that a merged stream needs. */
export interface MergedListenOptions {
  readonly backends: readonly Backend[];
  readonly serverTimeoutMs: number;
  /** Owner of each of some resources, as far as it is known. */
  ownersOf(uris: readonly string[], call: Call): Promise<ReadonlyMap<string, Backend>>;
  /** Ids of tasks by the servers that have them. */
  tasksOf(ids: readonly string[], call: Call): Promise<ReadonlyMap<Backend, readonly string[]>>;
  /** Topics that a client may listen to, of those that it asks for, but for single resources. */
  honored(asked: SubscriptionFilter): SubscriptionFilter;
  onWarning(message: string): void;
  random(): number;
}

/** Resources and tasks that servers agreed to send changes for. */
interface Agreed {
  readonly resources: ReadonlySet<string>;
  readonly tasks: ReadonlySet<string>;
}

/** One listen stream of a client. */
interface Stream {
  readonly call: Call;
  readonly flags: SubscriptionFilter;
  /** The resources that each server watches for it. */
  readonly uris: ReadonlyMap<Backend, readonly string[]>;
  /** The tasks that each server sends changes for; `undefined` if the client requested none. */
  readonly tasks: ReadonlyMap<Backend, readonly string[]> | undefined;
  readonly ended: AbortController;
  /** The resources and tasks that were acknowledged; `undefined` until the acknowledgement is sent. */
  agreed: Agreed | undefined;
  readonly early: { readonly method: string; readonly params: JsonObject }[];
  readonly following: Set<Backend>;
}

/** The listen streams of clients, each made of a stream of every server. */
export class MergedListen {
  readonly #options: MergedListenOptions;
  readonly #streams = new Set<Stream>();
  readonly #slices = new Slices();
  #stopped = false;

  constructor(options: MergedListenOptions) {
    this.#options = options;
  }

  /** Serves `subscriptions/listen`: settles when the client or the bridge ends it, whatever its servers do. */
  async listen(asked: SubscriptionFilter, call: Call): Promise<JsonObject> {
    const stream = await this.#open(asked, call);
    const over = new Promise<JsonObject>((resolve) => {
      const end = (): void => {
        stream.ended.abort();
        this.#streams.delete(stream);
        resolve(subscribed({}, call));
      };
      stream.ended.signal.addEventListener('abort', end);
      call.onLeave(end);
      if (call.signal.aborted || this.#stopped) end();
      else call.signal.addEventListener('abort', end);
    });
    await this.#acknowledge(stream);
    return await over;
  }

  /** A server is there, for the first time or again: its part of each stream begins. */
  joined(backend: Backend, single: Single): void {
    for (const stream of this.#streams) void this.#follow(stream, backend, single);
  }

  /** Notifies every interested client of a changed list. */
  changed(method: string): void {
    const list = listChanges.find((one) => one.method === method);
    if (list !== undefined) this.#slices.add(method, () => this.#tellAll(list));
  }

  *#tellAll({ method, flag }: ListChange): Generator<void> {
    for (const stream of this.#streams) {
      if (stream.flags[flag] !== true) continue;
      this.#tell(stream, method, {});
      yield;
    }
  }

  /** Ends every stream in good order. */
  stop(): void {
    this.#stopped = true;
    for (const { ended } of this.#streams) ended.abort();
  }

  async #open(asked: SubscriptionFilter, call: Call): Promise<Stream> {
    const uris = new Map<Backend, readonly string[]>();
    const resources = [...new Set(asked.resourceSubscriptions?.slice(0, maxResources))];
    const owners = await this.#options.ownersOf(resources, call);
    for (const uri of resources) {
      const owner = owners.get(uri);
      // A resource that no server lists may belong to any of them.
      for (const backend of owner === undefined ? this.#options.backends : [owner])
        uris.set(backend, [...(uris.get(backend) ?? []), uri]);
    }
    const taskIds = asked.taskIds?.slice(0, maxResources);
    const stream: Stream = {
      call,
      flags: this.#options.honored(asked),
      uris,
      tasks: taskIds === undefined || !this.#hasTasks() ? undefined : await this.#options.tasksOf(taskIds, call),
      ended: new AbortController(),
      agreed: undefined,
      early: [],
      following: new Set(),
    };
    this.#streams.add(stream);
    return stream;
  }

  /** Tells whether any server sends changes of tasks. */
  #hasTasks(): boolean {
    return this.#options.backends.some(
      ({ single }) => single?.host.capabilities().extensions?.[tasksExtension] !== undefined,
    );
  }

  /** The acknowledgement is the first message of the stream. It names what the servers agreed to by then. */
  async #acknowledge(stream: Stream): Promise<void> {
    const { backends, serverTimeoutMs } = this.#options;
    const { call, flags, uris, tasks, early, ended } = stream;
    const watched = new Set<string>();
    const followed = new Set<string>();
    const named: Promise<void>[] = [];
    const others: Promise<void>[] = [];
    for (const backend of backends) {
      if (backend.single === undefined) continue;
      const agreeing = this.#follow(stream, backend, backend.single).then((agreed) => {
        for (const uri of agreed.resources) watched.add(uri);
        for (const id of agreed.tasks) followed.add(id);
      });
      // Agreed resources are part of the acknowledgement. The lists are in it whatever the servers answer.
      (uris.has(backend) || tasks?.has(backend) === true ? named : others).push(agreeing);
    }
    const begun = Promise.all([Promise.all(named), mostOf(others, graceMs)]);
    await settledOrAborted(serverTimeoutMs, begun, ended.signal);
    if (ended.signal.aborted) return;
    const asked = new Set([...uris.values()].flat());
    const agreed = {
      ...flags,
      ...(asked.size === 0 ? {} : { resourceSubscriptions: [...asked].filter((uri) => watched.has(uri)) }),
      ...(tasks === undefined ? {} : { taskIds: [...tasks.values()].flat().filter((id) => followed.has(id)) }),
    };
    call.send(acknowledged, subscribed({ notifications: agreed }, call));
    stream.agreed = { resources: new Set(watched), tasks: new Set(followed) };
    for (const { method, params } of early.splice(0)) this.#tell(stream, method, params);
  }

  /**
   * Follows one server for a stream as long as both exist.
   *
   * @returns The resources and tasks that it agreed to; empty if it agrees to none.
   */
  #follow(stream: Stream, backend: Backend, single: Single): Promise<Agreed> {
    const resources = stream.uris.get(backend) ?? [];
    const taskIds = stream.tasks?.get(backend) ?? [];
    const filter = {
      ...stream.flags,
      ...(resources.length === 0 ? {} : { resourceSubscriptions: resources }),
      ...(taskIds.length === 0 ? {} : { taskIds }),
    };
    if (stream.following.has(backend) || Object.keys(filter).length === 0) return Promise.resolve(nothing);
    stream.following.add(backend);
    return new Promise((resolve) => {
      const over = (): void => {
        stream.following.delete(backend);
        resolve(nothing);
      };
      this.#keepFollowing({ stream, backend, single, filter }, resolve).then(over, (error: unknown) => {
        this.#options.onWarning(`${backend.name}: changes are not followed any more: ${wordsOf(error)}`);
        over();
      });
    });
  }

  async #keepFollowing(
    { stream, backend, single, filter }: Followed,
    onAgreed: (agreed: Agreed) => void,
  ): Promise<void> {
    const { signal } = stream.ended;
    const handler = single.host.handler('subscriptions/listen');
    for (let tries = 0, begun = 0; handler !== undefined && !signal.aborted; tries++, begun++) {
      const since = monotonicNow();
      const send = (method: string, params: JsonObject): void => {
        if (method !== acknowledged) return this.#tell(stream, method, params);
        onAgreed(agreedBy(params));
        // What happened between two streams of the server is not known.
        if (begun > 0) this.#missed(stream, filter);
      };
      const left = new AbortController();
      const sub = subCall(stream.call, { method: 'subscriptions/listen', send, signal: left.signal });
      const leave = (): void => left.abort();
      signal.addEventListener('abort', leave);
      try {
        await handler({ notifications: filter }, sub);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onWarning(`${backend.name}: changes cannot be followed for a client: ${wordsOf(error)}`);
        onAgreed(nothing);
        if (error instanceof McpError && error.kind !== 'internalError' && error.kind !== 'busy') return;
      } finally {
        signal.removeEventListener('abort', leave);
        sub.finish();
      }
      if (monotonicNow() - since >= healthyMs) tries = 0;
      await pause(backoffMs(tries, this.#options.random()), signal);
    }
  }

  #missed(stream: Stream, { resourceSubscriptions = [], taskIds: _, ...flags }: SubscriptionFilter): void {
    for (const { method, flag } of listChanges) if (flags[flag] === true) this.#tell(stream, method, {});
    for (const uri of resourceSubscriptions) this.#tell(stream, updated, { uri });
  }

  #tell(stream: Stream, method: string, params: JsonObject): void {
    const { agreed, call, early, ended } = stream;
    if (ended.signal.aborted) return;
    if (agreed === undefined) return void (early.length < maxEarly && early.push({ method, params }));
    if (isAgreed(agreed, method, params)) call.send(method, subscribed(params, call));
  }
}

interface Followed {
  readonly stream: Stream;
  readonly backend: Backend;
  readonly single: Single;
  readonly filter: SubscriptionFilter;
}

const nothing: Agreed = { resources: new Set(), tasks: new Set() };

/** The resources and tasks that an acknowledgement names. */
function agreedBy({ notifications }: JsonObject): Agreed {
  const { resourceSubscriptions, taskIds } = isObject(notifications) ? notifications : {};
  return { resources: textsIn(resourceSubscriptions), tasks: textsIn(taskIds) };
}

function textsIn(list: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []);
}

function isAgreed({ resources, tasks }: Agreed, method: string, params: JsonObject): boolean {
  const { uri, taskId } = params;
  if (method === updated) return typeof uri === 'string' && isWithinAny(uri, resources);
  return method === 'notifications/tasks' ? tasks.has(String(taskId)) : isListChange(method);
}
