/** Changes of lists and of resources, published to the other processes of a server and received from them. */

import { isObject } from '../../jsonrpc/message.ts';
import { after, microtask, monotonicNow } from '../../jsonrpc/timeout.ts';
import { hashOf } from '../../connection/hash.ts';
import type { ListKind } from '../../protocol/features/subscriptions.ts';
import type { Unsubscribe } from '../../storage/bus.ts';
import type { CountingBus } from '../../storage/bus.ts';
import { listKinds } from '../definition/subscriptions.ts';

/** Time for which changes of a list are gathered, so that processes that change alike tell a client once. */
const gatherMs = 100;
/**
 * After a gap everything may have changed. Processes notify their clients at different times, so that not all clients
 * send requests at once.
 */
const scatterMs = 5_000;
/** Interval at which something that failed is tried again. */
const againMs = 2_000;
/** Limit of resources whose change waits for the bus. Beyond it, everything may have changed. */
const maxUnsent = 1_000;
/** The longest name of a channel. */
const maxChannelLength = 2_048;

/** Parts of a server that tell those who listen in this process. */
export interface ChangesHere {
  tellList(kind: ListKind): void;
  tellUpdate(uri: string): void;
  /** The resources that have subscribers here, updated live. */
  readonly watched: ReadonlyMap<string, unknown>;
}

/** News of a process: digests of lists as they are now, and as they were where they changed; or that any resource may have changed. */
interface News {
  readonly from: string;
  readonly lists?: Readonly<Record<string, { readonly is: string; readonly was?: string }>>;
  readonly uri?: string;
  readonly updates?: true;
}

/** The parts of a server whose lists are compared among processes. */
interface SharedParts {
  readonly options: { onError(error: unknown, where: string): void };
  readonly tools: { values(): Iterable<{ readonly tool: unknown }> };
  readonly prompts: { values(): Iterable<{ readonly prompt: unknown }> };
  readonly resources: { values(): Iterable<{ readonly resource: unknown }> };
  readonly templates: { values(): Iterable<{ readonly resourceTemplate: unknown }> };
}

/**
 * A server as one of several processes. It publishes local changes, and passes changes of other processes to local
 * listeners. A process that starts or ends publishes a digest of its lists. Only if they differ from the local ones has
 * something changed.
 */
export class SharedChanges {
  readonly #parts: SharedParts;
  readonly #here: ChangesHere;
  readonly #bus: CountingBus;
  readonly #name: string;
  readonly #from: string = crypto.randomUUID();
  /** Digests of the lists as they were published. */
  readonly #lists = new Map<ListKind, string>();
  /** Lists that changed since, with their earlier digest. */
  readonly #changed = new Map<ListKind, string | undefined>();
  readonly #unsent = new Set<string>();
  readonly #subscriptions = new Map<string, Promise<Unsubscribe | undefined>>();
  /** The resources of each subscribed channel. Long URIs may share one. */
  readonly #uris = new Map<string, Set<string>>();
  readonly #tellings = new Map<string, { readonly at: number; cancel(): void }>();
  /** Number of pending subscribers of a resource. The channel stays open while there are any. */
  readonly #awaited = new Map<string, number>();
  #cancelAgain: (() => void) | undefined;
  #isAway = false;
  #isClosed = false;

  /** @param name Tells servers apart that share a store. */
  constructor(
    parts: SharedParts,
    { name, bus, here }: { readonly name: string; readonly bus: CountingBus; readonly here: ChangesHere },
  ) {
    this.#parts = parts;
    this.#name = name;
    this.#bus = bus;
    this.#here = here;
    for (const kind of listKinds) this.#lists.set(kind, this.#digest(kind));
    void this.#publish({ lists: this.#all() });
  }

  /** A list changed here. */
  listChanged(kind: ListKind): void {
    this.#tellSoon(kind, gatherMs);
    const isFirst = this.#changed.size === 0;
    if (!this.#changed.has(kind)) this.#changed.set(kind, this.#lists.get(kind));
    // Changes of one turn are published together.
    if (isFirst) microtask(() => void this.#publishLists());
  }

  /** Publishes a change of a resource. Local subscribers have been notified. */
  async resourceUpdated(uri: string): Promise<void> {
    if (await this.#publish({ uri }, this.#channelOf(uri))) return;
    if (this.#unsent.size < maxUnsent) this.#unsent.add(uri);
  }

  /**
   * A local client listens. Resolves when no change is missed any more, or when the bus is down; then it subscribes
   * later.
   *
   * @param areWatched True if they are subscribed already: the subscriber may leave meanwhile.
   */
  async listen(uris: readonly string[] = [], areWatched = false): Promise<void> {
    await Promise.all([this.#hear(this.#channel), ...uris.map((uri) => this.#hearOf(uri))]);
    for (const uri of uris) if (areWatched && !this.#here.watched.has(uri)) this.left(uri);
  }

  /**
   * Subscribes before the client counts as a subscriber. The returned function reports that it is one by now, or never
   * will be.
   */
  async listenBefore(uris: readonly string[]): Promise<() => void> {
    for (const uri of uris) this.#awaited.set(uri, (this.#awaited.get(uri) ?? 0) + 1);
    await this.listen(uris);
    return () => {
      for (const uri of uris) {
        const others = (this.#awaited.get(uri) ?? 1) - 1;
        if (others > 0) this.#awaited.set(uri, others);
        else this.#awaited.delete(uri);
        if (!this.#here.watched.has(uri)) this.left(uri);
      }
    };
  }

  /** The last local subscriber of a resource left. */
  left(uri: string): void {
    if (this.#awaited.has(uri)) return;
    const channel = this.#channelOf(uri);
    const uris = this.#uris.get(channel);
    if (uris?.delete(uri) !== true || uris.size > 0) return;
    this.#uris.delete(channel);
    void this.#end(channel);
  }

  /** Publishes the digest of the lists, and stops listening. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelAgain?.();
    for (const { cancel } of this.#tellings.values()) cancel();
    await this.#publish({ lists: this.#all() });
    await Promise.all([...this.#subscriptions.keys()].map((channel) => this.#end(channel)));
  }

  get #channel(): string {
    return `changes ${this.#name}`;
  }

  #channelOf(uri: string): string {
    return `updates ${this.#name} ${uri}`.slice(0, maxChannelLength);
  }

  #all(): NonNullable<News['lists']> {
    return Object.fromEntries([...this.#lists].map(([kind, is]) => [kind, { is }]));
  }

  async #publishLists(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    const lists = changed.map(([kind, was]) => {
      const is = this.#digest(kind);
      this.#lists.set(kind, is);
      return [kind, { is, was: was ?? '' }] as const;
    });
    if (await this.#publish({ lists: Object.fromEntries(lists) })) return;
    for (const [kind, was] of changed) if (!this.#changed.has(kind)) this.#changed.set(kind, was);
  }

  /** Publishes; false if that failed. It is then retried. */
  async #publish(news: Omit<News, 'from'>, channel: string = this.#channel): Promise<boolean> {
    try {
      await this.#bus.publish(channel, JSON.stringify({ from: this.#from, ...news }));
      this.#isAway = false;
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  /** Reports the first failure. The next one is reported only after a success. */
  #failed(error: unknown): void {
    if (!this.#isAway) this.#parts.options.onError(error, 'store');
    this.#isAway = true;
    if (this.#isClosed) return;
    this.#cancelAgain ??= after(againMs, () => {
      this.#cancelAgain = undefined;
      void this.#again();
    });
  }

  async #again(): Promise<void> {
    if (this.#changed.size > 0) await this.#publishLists();
    const uris = [...this.#unsent];
    this.#unsent.clear();
    if (uris.length >= maxUnsent) {
      if (!(await this.#publish({ updates: true }))) for (const uri of uris) this.#unsent.add(uri);
    } else for (const uri of uris) await this.resourceUpdated(uri);
    // Those that fail again are put back, for the next time.
    const known = [...this.#subscriptions];
    for (const [channel, subscribed] of known) {
      if ((await subscribed) !== undefined || this.#isClosed) continue;
      // No subscriber wants it any more, or a new subscription began since.
      if (this.#subscriptions.get(channel) !== subscribed) continue;
      this.#subscriptions.delete(channel);
      await this.#hear(channel);
      // Earlier messages were missed.
      if ((await this.#subscriptions.get(channel)) !== undefined) this.#missed(channel);
    }
  }

  async #hearOf(uri: string): Promise<void> {
    const channel = this.#channelOf(uri);
    const uris = this.#uris.get(channel) ?? new Set();
    this.#uris.set(channel, uris.add(uri));
    await this.#hear(channel);
  }

  async #hear(channel: string): Promise<void> {
    const known = this.#subscriptions.get(channel) ?? this.#subscribe(channel);
    this.#subscriptions.set(channel, known);
    await known;
  }

  async #subscribe(channel: string): Promise<Unsubscribe | undefined> {
    try {
      return await this.#bus.subscribe(
        channel,
        (text) => this.#heard(text),
        () => this.#missed(channel),
      );
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  async #end(channel: string): Promise<void> {
    const subscribed = this.#subscriptions.get(channel);
    this.#subscriptions.delete(channel);
    try {
      await (
        await subscribed
      )?.();
    } catch (error) {
      this.#failed(error);
    }
  }

  #heard(text: string): void {
    const news = newsOf(text);
    if (news === undefined || news.from === this.#from || this.#isClosed) return;
    if (typeof news.uri === 'string') this.#here.tellUpdate(news.uri);
    if (news.updates === true) this.#everyUpdate();
    for (const kind of listKinds) {
      const list: unknown = news.lists?.[kind];
      if (!isObject(list)) continue;
      if (list['was'] !== undefined || list['is'] !== this.#lists.get(kind)) this.#tellSoon(kind, gatherMs);
    }
  }

  #missed(channel: string): void {
    if (channel !== this.#channel) {
      for (const uri of this.#uris.get(channel) ?? [])
        this.#later(`uri ${uri}`, this.#scattered(), () => this.#here.tellUpdate(uri));
      return;
    }
    for (const kind of listKinds) this.#tellSoon(kind, this.#scattered());
    this.#everyUpdate();
  }

  #everyUpdate(): void {
    this.#later('updates', this.#scattered(), () => {
      for (const uri of this.#here.watched.keys()) this.#here.tellUpdate(uri);
    });
  }

  #scattered(): number {
    return Math.random() * scatterMs;
  }

  #tellSoon(kind: ListKind, ms: number): void {
    this.#later(kind, ms, () => this.#here.tellList(kind));
  }

  /** Runs something once, at the earliest time that was asked for. */
  #later(name: string, ms: number, run: () => void): void {
    const at = monotonicNow() + ms;
    const waiting = this.#tellings.get(name);
    if (this.#isClosed || (waiting !== undefined && waiting.at <= at)) return;
    waiting?.cancel();
    const cancel = after(ms, () => {
      this.#tellings.delete(name);
      run();
    });
    this.#tellings.set(name, { at, cancel });
  }

  /**
   * Processes with the same code serialize their lists in the same way. Otherwise a list is reported as changed once
   * more.
   */
  #digest(kind: ListKind): string {
    return hashOf(JSON.stringify(this.#listOf(kind)));
  }

  #listOf(kind: ListKind): readonly unknown[] {
    const { tools, prompts, resources, templates } = this.#parts;
    if (kind === 'tools') return [...tools.values()].map(({ tool }) => tool);
    if (kind === 'prompts') return [...prompts.values()].map(({ prompt }) => prompt);
    return [
      [...resources.values()].map(({ resource }) => resource),
      [...templates.values()].map(({ resourceTemplate }) => resourceTemplate),
    ];
  }
}

/** Messages on these channels come from processes like this one. Anything different is ignored. */
function newsOf(text: string): News | undefined {
  try {
    const news: unknown = JSON.parse(text);
    // Each field is checked where it is used.
    return isObject(news) ? (news as unknown as News) : undefined;
  } catch {
    return undefined;
  }
}
