import type { Call } from '../../server/runtime/call.ts';
import { settledOrAborted } from '../../client/api/wait-for.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { microtask } from '../../jsonrpc/timeout.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { taskNotificationParamsShape } from '../../protocol/features/tasks.ts';
import { metaKey } from '../../protocol/meta.ts';
import { declaredIn } from '../declared.ts';
import { wordsOf } from '../failure.ts';
import { revisionFor } from '../forward.ts';
import type { ForwardedCall } from '../upstream/forwarded-call.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { takingTasks, type AboutTask } from './forms.ts';

/** Stream with a server's task notifications, for one listen request. */
export interface TaskStream {
  /** The ids that the server agreed to. */
  readonly agreed: ReadonlySet<string>;
  /** Resolves when the server tells nothing more. */
  readonly closed: Promise<void>;
  close(): void;
}

/** A wish to follow tasks of a server, by its ids. */
export interface TaskWish {
  /** The request of their client. */
  readonly call: Pick<ForwardedCall, 'facts' | 'client' | 'auth'>;
  readonly taskIds: readonly string[];
  /** Ends the wait for the server to agree. */
  readonly signal?: AbortSignal;
  /** Receives the state of a task, in the canonical model. */
  tell(task: JsonObject): void;
  /** Receives a notification of another extension on the stream. */
  extension?(method: string, params: JsonObject): void;
}

/** Client that listens to tasks. */
export interface TaskListening extends TaskWish {
  readonly call: Call;
  /** The ids that the client knows, by those of the server. */
  readonly names: ReadonlyMap<string, string>;
  /** The request on behalf of the one that made a task. */
  callFor(taskId: string): AboutTask;
}

/** Time for the server to name the tasks that it agrees to, in milliseconds. */
const limitMs = 10_000;

const listen = 'subscriptions/listen';
const acknowledgement = 'notifications/subscriptions/acknowledged';
const told = 'notifications/tasks';

/** A request that is open. */
interface Open {
  readonly upstream: Upstream;
  readonly wanted: ReadonlySet<string>;
  /** The id of the request, by which the server names the stream. */
  id: number | undefined;
  agreed: ReadonlySet<string> | undefined;
  /** True after the operator was warned of a malformed notification. */
  warned: boolean;
  acknowledged(ids: ReadonlySet<string>): void;
  readonly wish: TaskWish;
}

/** The task streams of stateless servers: each is a separate request. (Spec ext-tasks, Notifications.) */
export class TaskStreams {
  readonly #open = new Set<Open>();
  readonly #onWarning: (message: string) => void;

  constructor(onWarning: (message: string) => void) {
    this.#onWarning = onWarning;
  }

  /** Subscribes to tasks. Resolves when the server agreed to some, or with none if it refuses. */
  async follow(upstream: Upstream, wish: TaskWish): Promise<TaskStream> {
    const { call, taskIds, signal } = wish;
    const left = new AbortController();
    let acknowledged: (ids: ReadonlySet<string>) => void = () => undefined;
    const agreeing = new Promise<ReadonlySet<string>>((resolve) => (acknowledged = resolve));
    const wanted = new Set(taskIds);
    const open: Open = { upstream, wanted, id: undefined, agreed: undefined, warned: false, acknowledged, wish };
    this.#open.add(open);
    const closed = this.#run(open, call, left.signal)
      .catch((error: unknown) => {
        if (!left.signal.aborted) this.#onWarning(`the tasks of a client cannot be followed: ${wordsOf(error)}`);
      })
      .finally(() => {
        this.#open.delete(open);
        acknowledged(new Set());
      });
    await settledOrAborted(limitMs, agreeing, signal);
    open.agreed ??= new Set();
    return { agreed: open.agreed, closed, close: () => left.abort() };
  }

  /** Receives the notifications on a server's streams. */
  heard(method: string, params: JsonObject, upstream: Upstream): void {
    const isOfExtension = methodOf(method) === undefined;
    if (method !== told && method !== acknowledgement && !isOfExtension) return;
    const hear = (): void => {
      const open = this.#named(params, upstream);
      if (open === undefined) return;
      if (isOfExtension) open.wish.extension?.(method, params);
      else if (method === acknowledgement) this.#acknowledged(params, open);
      else this.#told(params, open);
    };
    // A server in this process may speak before the id of the request is known.
    const isHanding = [...this.#open].some((open) => open.upstream === upstream && open.id === undefined);
    if (isHanding) microtask(hear);
    else hear();
  }

  async #run(open: Open, call: TaskWish['call'], signal: AbortSignal): Promise<void> {
    const { upstream, wanted } = open;
    await upstream.during(async (client) => {
      const revision = revisionFor(client);
      const capabilities = takingTasks(declaredIn(call.facts, revision, call.client.capabilities));
      await client.request(
        listen,
        { notifications: { taskIds: [...wanted] } },
        {
          timeoutMs: 0,
          signal,
          capabilities,
          clientInfo: call.client.info,
          caller: call.auth,
          onSent: (id) => void (open.id = id),
        },
      );
    });
  }

  #warnOnce(open: Open): void {
    if (!open.warned) this.#onWarning('the upstream server sent a malformed task notification');
    open.warned = true;
  }

  /** The stream that a message names. A message without a name is dropped. */
  #named({ _meta: meta }: JsonObject, upstream: Upstream): Open | undefined {
    const id = isObject(meta) ? meta[metaKey.subscriptionId] : undefined;
    if (id === undefined) return undefined;
    return [...this.#open].find((open) => open.upstream === upstream && open.id === id);
  }

  #acknowledged(params: JsonObject, open: Open): void {
    if (open.agreed !== undefined) return;
    const filter = isObject(params['notifications']) ? params['notifications']['taskIds'] : undefined;
    const ids: readonly unknown[] = Array.isArray(filter) ? filter : [];
    open.agreed = new Set(ids.filter((one): one is string => typeof one === 'string' && open.wanted.has(one)));
    open.acknowledged(open.agreed);
  }

  #told(params: JsonObject, open: Open): void {
    const task = readTask(params, open.upstream);
    if (task === undefined) this.#warnOnce(open);
    else if (open.agreed?.has(String(task['taskId'])) === true) open.wish.tell(task);
  }
}

/** A task from a server's notification; `undefined` if it is malformed. */
function readTask(params: JsonObject, { latest }: Upstream): JsonObject | undefined {
  if (latest === undefined) return undefined;
  try {
    return { ...fromWire(revisionFor(latest), taskNotificationParamsShape, params) };
  } catch (error) {
    if (error instanceof McpError) return undefined;
    throw error;
  }
}
