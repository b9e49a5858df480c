import { harmless } from '../../options/harmless.ts';
import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseOther } from '../../options/known-values.ts';
import type { Bus } from '../bus.ts';
import type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from '../tasks.ts';
import { wholeMs, wholeMsOrNull } from '../task-times.ts';
import type { RedisConnection, RedisScripting } from './connection.ts';
import { waysToForget } from './durability.ts';
import { ioredisConnection, type IoredisClient } from './ioredis.ts';
import { nodeRedisConnection, type NodeRedisClient } from './node-redis.ts';
import { RedisBus } from './redis-bus.ts';
import { ScriptRunner } from './run-script.ts';

/** Options of a store of tasks in Redis. */
export interface RedisTasksOptions {
  /**
   * Prefix of all keys; `parley:{tasks}`. The part in braces is the hash tag of all keys of a store, so that a cluster
   * keeps them on one node. Servers with different prefixes can be on different nodes.
   */
  readonly prefix?: string;
  /**
   * Called once for each way in which the server, as configured, may lose tasks; printed to standard error by default.
   */
  readonly onWarning?: (message: string) => void;
}

const optionNames: Names<RedisTasksOptions> = { prefix: 1, onWarning: 1 };

/**
 * Stores tasks in Redis 5 or later, or in Valkey. A resolved change is as durable as the server's configuration: with
 * `appendfsync always` it is on the disk, otherwise it may be lost. The first use warns of that. Changes that a replica
 * had not received are lost in a failover.
 *
 * The owner of the client closes it. While the bus has a subscriber, a second connection listens, a duplicate of the
 * client.
 *
 * @param client A client of ioredis, also of a cluster, or a connected client of node-redis.
 * @throws TypeError for any other value, and for unknown or invalid options.
 */
export function redisTasks(client: IoredisClient | NodeRedisClient, options: RedisTasksOptions = {}): TaskStore {
  refuseUnknown('redisTasks', options, optionNames);
  const { prefix = 'parley:{tasks}', onWarning = (message) => console.error(message) } = options;
  refuseOther('function', 'onWarning', onWarning);
  if (typeof prefix !== 'string' || !/^[^{]*\{[^}]+\}/.test(prefix))
    throw new TypeError(
      'prefix must be text with a part in braces, which keeps the keys of a store together, as in parley:{tasks}',
    );
  const connection = connectionOf(client);
  const warn = harmless(onWarning);
  return new RedisTaskStore(connection, {
    prefix,
    bus: new RedisBus(connection, `${prefix}:bus`),
    // Reported at the first task.
    look: () => void waysToForget(connection).then((ways) => ways.forEach((way) => warn(way))),
  });
}

/** Stores tasks inside another store, whose bus reports changes. */
export function tasksIn(
  connection: RedisScripting,
  { prefix, bus }: { readonly prefix: string; readonly bus: Bus },
): TaskStore {
  return new RedisTaskStore(connection, { prefix, bus, look: () => undefined });
}

function connectionOf(client: IoredisClient | NodeRedisClient): RedisConnection {
  if (typeof client === 'object' && client !== null) {
    if ('evalSha' in client) return nodeRedisConnection(client);
    if ('call' in client) return ioredisConnection(client);
  }
  throw new TypeError('redisTasks needs a client of ioredis, new Redis(…), or of node-redis, createClient(…)');
}

class RedisTaskStore implements TaskStore {
  readonly bus: Bus;
  readonly #scripts: ScriptRunner;
  readonly #look: () => void;
  readonly #self = crypto.randomUUID();
  #calls = 0;
  #isLookedAt = false;

  constructor(
    connection: RedisScripting,
    { prefix, bus, look }: { readonly prefix: string; readonly bus: Bus; look(): void },
  ) {
    this.#scripts = new ScriptRunner(connection, prefix);
    this.#look = look;
    this.bus = bus;
  }

  async add(task: StoredTask, most: number): Promise<'added' | 'known' | 'full' | 'no-room'> {
    this.#lookOnce();
    const { id, queue, owner, version, epoch, open, text } = task;
    const times = [wholeMsOrNull(task.dueInMs) ?? '', wholeMsOrNull(task.expiresInMs) ?? ''];
    const names = ownerName(task);
    const share = task.share === undefined ? '' : JSON.stringify([queue, owner, task.share]);
    const words = [id, queue, owner, names, share, version, epoch, Number(open), ...times, text, most, this.#call()];
    // The script gives one of these.
    return (await this.#scripts.run('add', ...words)) as 'added' | 'known' | 'full' | 'no-room';
  }

  async get(id: string): Promise<StoredTask | undefined> {
    const task = await this.#scripts.run('get', id);
    return task === null ? undefined : taskOf(task);
  }

  async swap({ id, version, epoch, open, dueInMs, expiresInMs, text }: StoredTask): Promise<boolean> {
    const due = dueInMs === 'keep' ? 'keep' : (wholeMsOrNull(dueInMs) ?? '');
    const words = [id, version, epoch, Number(open), due, wholeMsOrNull(expiresInMs) ?? '', text, this.#call()];
    return (await this.#scripts.run('swap', ...words)) === 1;
  }

  async claim(queue: string, { node, forMs, most }: TaskClaim): Promise<readonly StoredTask[]> {
    return tasksOf(await this.#scripts.run('claim', queue, wholeMs(forMs), node, most));
  }

  async renew(leases: readonly TaskLease[], forMs: number): Promise<readonly string[]> {
    const lost: string[] = [];
    // A script is given no more values than Lua takes.
    for (let at = 0; at < leases.length; at += 1_000) {
      const some = leases.slice(at, at + 1_000).flatMap(({ id, epoch }) => [id, epoch]);
      // The script gives ids.
      lost.push(...((await this.#scripts.run('renew', wholeMs(forMs), ...some)) as string[]));
    }
    return lost;
  }

  async list(of: TaskOwner, after: string | undefined, most: number): Promise<readonly StoredTask[]> {
    return tasksOf(await this.#scripts.run('list', ownerName(of), after ?? '', most));
  }

  async sweep(most: number): Promise<number> {
    return Number(await this.#scripts.run('sweep', most));
  }

  /** Name of a call, by which the server knows one that is sent again. */
  #call(): string {
    return `${this.#self} ${++this.#calls}`;
  }

  #lookOnce(): void {
    if (this.#isLookedAt) return;
    this.#isLookedAt = true;
    this.#look();
  }
}

/** Name of the sets of an owner, which no other has. */
function ownerName({ queue, owner }: TaskOwner): string {
  return JSON.stringify([queue, owner]);
}

/** Task as a script gives it. */
type ScriptTask = readonly [
  id: string,
  queue: string,
  owner: string,
  version: number,
  epoch: number,
  open: number,
  dueInMs: number | null,
  expiresInMs: number | null,
  text: string,
];

function taskOf(reply: unknown): StoredTask {
  // Our scripts return exactly this.
  const [id, queue, owner, version, epoch, open, dueInMs, expiresInMs, text] = reply as ScriptTask;
  return {
    id,
    queue,
    owner,
    version,
    epoch,
    open: open === 1,
    ...(dueInMs === null ? {} : { dueInMs }),
    ...(expiresInMs === null ? {} : { expiresInMs }),
    text,
  };
}

function tasksOf(replies: unknown): readonly StoredTask[] {
  // Our scripts return exactly this.
  return (replies as readonly unknown[]).map(taskOf);
}
