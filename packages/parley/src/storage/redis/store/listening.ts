import { after, monotonicNow } from '../../../jsonrpc/timeout.ts';
import { StoreError } from '../../store.ts';
import { listeningSettings, nodeKey, type EngineClient } from './client.ts';
import { answeredWithin, type RedisEngine } from './engine.ts';
import { slotOf } from './keys.ts';

/** Time after which a connection that listens is asked whether it still does. */
const beatMs = 5_000;
/**
 * Pauses between attempts to subscribe again. They are shorter than the time after which publishers consider this
 * process dead (`connection/relay/insistent.ts`).
 */
const minRetryMs = 25;
const maxRetryMs = 200;
/** Time without attempts after which the next first attempt comes soon. */
const calmMs = 5_000;

/** Listener to a channel. */
export interface ChannelListener {
  hear(text: string): void;
  gap(): void;
}

interface RedisChannel {
  readonly name: string;
  readonly slot: number;
  readonly listeners: Set<ChannelListener>;
  /** State of the subscription; `asked` while the request is under way. */
  state: 'silent' | 'asked' | 'heard';
  /** True after it was subscribed once: later texts may have been missed. */
  wasHeard: boolean;
  ear: Ear | undefined;
  /** Called when it is subscribed. */
  readonly waiting: Set<() => void>;
}

/** A connection to one node, which listens. */
interface Ear {
  readonly node: string;
  readonly client: EngineClient;
  readonly channels: Set<RedisChannel>;
  readonly ready: Promise<void>;
  cancelBeat: () => void;
}

/**
 * Listens to channels, each at the node of its slot, by sharded subscriptions. If a connection breaks or a slot moves,
 * it subscribes again as soon as a server can be reached, and reports a gap to the listeners.
 */
export class RedisListening {
  readonly #engine: RedisEngine;
  readonly #channels = new Map<string, RedisChannel>();
  /** Channels without a subscription or a request for one. */
  readonly #silent = new Set<RedisChannel>();
  readonly #ears = new Map<string, Ear>();
  #cancelRetry: (() => void) | undefined;
  #retryMs = minRetryMs;
  #retriedAt = -Infinity;

  constructor(engine: RedisEngine) {
    this.#engine = engine;
  }

  /**
   * Listens to a channel from when it resolves.
   *
   * @returns Ends that.
   * @throws StoreError `unavailable` if the subscription failed within 2 seconds.
   */
  async listen(name: string, listener: ChannelListener): Promise<() => void> {
    const until = monotonicNow() + this.#engine.callMs;
    const channel = this.#channels.get(name) ?? this.#begin(name);
    channel.listeners.add(listener);
    const leave = (): void => this.#leave(channel, listener);
    if (channel.state === 'heard') return leave;
    let tell = (): void => {};
    const heard = new Promise<void>((resolve) => (tell = resolve));
    channel.waiting.add(tell);
    try {
      await answeredWithin(this.#engine.open(), until - monotonicNow());
      this.#assign();
      await answeredWithin(heard, until - monotonicNow());
    } catch (cause) {
      channel.waiting.delete(tell);
      leave();
      throw cause instanceof StoreError ? cause : this.#engine.errorOf(this.#engine.lastError ?? cause);
    }
    return leave;
  }

  close(): void {
    this.#cancelRetry?.();
    this.#channels.clear();
    this.#silent.clear();
    for (const ear of this.#ears.values()) this.#drop(ear);
  }

  #leave(channel: RedisChannel, listener: ChannelListener): void {
    if (!channel.listeners.delete(listener) || channel.listeners.size > 0) return;
    if (this.#channels.get(channel.name) !== channel) return;
    this.#channels.delete(channel.name);
    this.#part(channel);
    this.#silent.delete(channel);
  }

  /** Ends listening at the node that did. */
  #part(channel: RedisChannel): void {
    const { ear } = channel;
    this.#silence(channel);
    if (ear?.channels.delete(channel) !== true) return;
    if (ear.client.status === 'ready') ear.client.call('sunsubscribe', channel.name).catch(() => undefined);
  }

  #begin(name: string): RedisChannel {
    const channel = begun(name);
    this.#channels.set(name, channel);
    this.#silent.add(channel);
    return channel;
  }

  #silence(channel: RedisChannel): void {
    channel.ear = undefined;
    channel.state = 'silent';
    this.#silent.add(channel);
  }

  /** Has every channel that is silent listened to by the node that has it. */
  #assign(): void {
    if (this.#engine.isClosed) return;
    const { client } = this.#engine;
    if (client === undefined) return this.#open();
    const byEar = new Map<Ear, RedisChannel[]>();
    for (const channel of this.#silent) {
      const ear = this.#earFor(client, channel);
      if (ear === undefined) continue;
      this.#silent.delete(channel);
      channel.state = 'asked';
      channel.ear = ear;
      ear.channels.add(channel);
      const channels = byEar.get(ear);
      if (channels === undefined) byEar.set(ear, [channel]);
      else channels.push(channel);
    }
    for (const [ear, channels] of byEar) void this.#ask(ear, channels);
    if (this.#silent.size > 0) this.#retry();
  }

  /** Has the channels listened to once there is a client again. */
  #open(): void {
    if (this.#silent.size === 0) return;
    const again = (): void => this.#retry();
    answeredWithin(this.#engine.open(), this.#engine.callMs).then(again, again);
  }

  #earFor(client: EngineClient, channel: RedisChannel): Ear | undefined {
    const owner = client.isCluster === true ? client.slots?.[channel.slot]?.[0] : '';
    if (owner === undefined) return undefined;
    const known = this.#ears.get(owner);
    if (known !== undefined) return known;
    const node = owner === '' ? client : client.nodes?.('all').find((one) => nodeKey(one) === owner);
    if (node === undefined) return undefined;
    return this.#earAt(owner, node.duplicate(listeningSettings));
  }

  #earAt(node: string, client: EngineClient): Ear {
    // Errors end the connection, which is handled there.
    client.on('error', () => {});
    const ear: Ear = {
      node,
      client,
      channels: new Set(),
      ready: answeredWithin(client.connect(), this.#engine.callMs).then(() => undefined),
      cancelBeat: () => {},
    };
    ear.ready.then(
      () => this.#beat(ear),
      () => this.#lose(ear),
    );
    client.on('smessage', (name: string, text: string) => this.#heard(ear, name, text));
    // A slot moved: the server ended the subscription of some channels, and does not name them here.
    client.on('moved', () => this.#orphans(ear));
    client.on('end', () => this.#lose(ear));
    client.on('close', () => this.#lose(ear));
    this.#ears.set(node, ear);
    return ear;
  }

  /** Never rejects. */
  async #ask(ear: Ear, channels: readonly RedisChannel[]): Promise<void> {
    try {
      await ear.ready;
    } catch {
      return this.#lose(ear);
    }
    // The channel has no listener any more, or another server has it. Otherwise this subscription would stay.
    const asked = channels
      .filter((channel) => channel.ear === ear)
      .map(
        (channel) =>
          [channel, answeredWithin(ear.client.call('ssubscribe', channel.name), this.#engine.callMs)] as const,
      );
    if (asked.length === 0) return;
    const isPrimary = this.#isPrimary(ear);
    await Promise.all(
      asked.map(async ([channel, answer]) => {
        try {
          await answer;
          if (isPrimary === true || (await isPrimary)) this.#isHeard(ear, channel);
          else this.#lose(ear);
        } catch (error) {
          if (channel.ear !== ear) return;
          if (error instanceof Error && /^(MOVED|ASK|CLUSTERDOWN|TRYAGAIN)\b/.test(error.message)) {
            ear.channels.delete(channel);
            this.#silence(channel);
            this.#retry();
          } else this.#lose(ear);
        }
      }),
    );
  }

  /**
   * Tells whether a node is a primary that has not handed over. A replica accepts subscriptions too, but a publisher at
   * its primary does not count them. This is checked after the subscription: earlier subscriptions end with the
   * handover, and are reported.
   */
  #isPrimary({ client }: Ear): true | Promise<boolean> {
    if (this.#engine.client?.isCluster !== true) return true;
    const info = answeredWithin(client.call('info', 'replication'), this.#engine.callMs);
    const isPrimary = info.then((text) => !/^role:slave\b/m.test(String(text)));
    // If every channel was refused, this promise has no consumer.
    isPrimary.catch(() => undefined);
    return isPrimary;
  }

  #isHeard(ear: Ear, channel: RedisChannel): void {
    if (channel.ear !== ear || channel.state !== 'asked') return;
    channel.state = 'heard';
    const mayHaveMissed = channel.wasHeard;
    channel.wasHeard = true;
    for (const tell of channel.waiting) tell();
    channel.waiting.clear();
    if (mayHaveMissed) for (const listener of channel.listeners) listener.gap();
  }

  #heard(ear: Ear, name: string, text: string): void {
    const channel = this.#channels.get(name);
    // Messages from a node that no longer has the channel are dropped.
    if (channel === undefined || channel.ear !== ear) return;
    for (const listener of channel.listeners) listener.hear(text);
  }

  /** Subscribes at a node again. */
  #orphans(ear: Ear): void {
    if (this.#ears.get(ear.node) !== ear) return;
    for (const channel of ear.channels) this.#silence(channel);
    ear.channels.clear();
    this.#retry();
  }

  #lose(ear: Ear): void {
    if (this.#ears.get(ear.node) !== ear) return;
    this.#orphans(ear);
    this.#drop(ear);
  }

  #drop(ear: Ear): void {
    if (this.#ears.get(ear.node) === ear) this.#ears.delete(ear.node);
    ear.cancelBeat();
    ear.client.disconnect();
  }

  #retry(): void {
    this.#engine.refresh();
    if (this.#cancelRetry !== undefined || this.#engine.isClosed) return;
    const now = monotonicNow();
    this.#retryMs = now - this.#retriedAt > calmMs ? minRetryMs : Math.min(this.#retryMs * 2, maxRetryMs);
    this.#retriedAt = now;
    this.#cancelRetry = after(this.#retryMs, () => {
      this.#cancelRetry = undefined;
      this.#assign();
    });
  }

  /** Checks from time to time whether a connection is alive, and whether its node still has the channels. */
  #beat(ear: Ear): void {
    if (this.#ears.get(ear.node) !== ear) return;
    ear.cancelBeat = after(beatMs, () => {
      if (ear.channels.size === 0) return this.#drop(ear);
      const client = this.#engine.client;
      const moved = [...ear.channels].filter(
        ({ slot }) => client?.isCluster === true && client.slots?.[slot]?.[0] !== ear.node,
      );
      for (const channel of moved) this.#part(channel);
      if (moved.length > 0) this.#assign();
      answeredWithin(ear.client.call('ping'), this.#engine.callMs).then(
        () => this.#beat(ear),
        () => this.#lose(ear),
      );
    });
  }
}

function begun(name: string): RedisChannel {
  return {
    name,
    slot: slotOf(name),
    listeners: new Set(),
    state: 'silent',
    wasHeard: false,
    ear: undefined,
    waiting: new Set(),
  };
}
