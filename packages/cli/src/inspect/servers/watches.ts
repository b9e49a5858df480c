import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { Subscription } from '../../../../parley/src/client/api/subscription.ts';

/** Hears of changes. */
export interface WatchListener {
  /** Some list changed. */
  changed(): void;
  updated(uri: string): void;
  failed(error: unknown): void;
}

/** Most resources of a server that are watched. */
const most = 100;

/** Subscriptions to what changes at a server: its lists, and the resources that the person watches. */
export class Watches {
  readonly #hear: WatchListener;
  readonly #resources = new Map<string, Subscription>();
  /** The last wish for each resource, which the next one waits for. */
  readonly #turns = new Map<string, Promise<void>>();
  #opening = 0;
  #run = 0;

  constructor(hear: WatchListener) {
    this.#hear = hear;
  }

  get uris(): readonly string[] {
    return [...this.#resources.keys()];
  }

  /** Begins to listen to the lists, as far as the server tells of them. */
  async begin(client: Client): Promise<void> {
    const { tools, prompts, resources } = client.capabilities;
    const topics = {
      ...(tools?.listChanged === true ? { tools: true } : {}),
      ...(prompts?.listChanged === true ? { prompts: true } : {}),
      ...(resources?.listChanged === true ? { resources: true } : {}),
    };
    if (Object.keys(topics).length === 0) return;
    const run = this.#run;
    try {
      const subscription = await client.subscribe(topics, () => this.#hear.changed());
      if (run !== this.#run) await subscription.close();
    } catch (error) {
      this.#hear.failed(error);
    }
  }

  /** Watches a resource, or watches it no more; of several wishes the last one holds. @throws what the server answers. */
  async resource(client: Client, uri: string, on: boolean): Promise<void> {
    const turn = (this.#turns.get(uri) ?? Promise.resolve()).then(() => this.#resource(client, uri, on));
    const done = turn.catch(() => {});
    this.#turns.set(uri, done);
    try {
      await turn;
    } finally {
      if (this.#turns.get(uri) === done) this.#turns.delete(uri);
    }
  }

  async #resource(client: Client, uri: string, on: boolean): Promise<void> {
    const known = this.#resources.get(uri);
    if (!on) {
      this.#resources.delete(uri);
      await known?.close();
      return;
    }
    if (known !== undefined) return;
    if (this.#resources.size + this.#opening >= most)
      throw new RangeError(`at most ${most} resources are watched at once`);
    const run = this.#run;
    this.#opening++;
    const subscription = await client
      .subscribe({ updates: [uri] }, (event) => {
        if (event.type === 'update') this.#hear.updated(event.uri);
      })
      .finally(() => this.#opening--);
    if (run === this.#run) this.#resources.set(uri, subscription);
    else await subscription.close();
  }

  /** Forgets all; the connection that they were on ends. */
  end(): void {
    this.#run++;
    this.#resources.clear();
  }
}
