import type { RedisConnection, RedisSubscription } from './connection.ts';

/** Client of Redis, as node-redis has it (`createClient`), connected. */
export interface NodeRedisClient {
  /** Runs a stored script. */
  evalSha(sha: string, values: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Runs a script. */
  eval(script: string, values: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Reads a setting of Redis. */
  configGet(pattern: string): Promise<unknown>;
  /** Publishes a text. */
  publish(channel: string, text: string): Promise<unknown>;
  /** Subscribes this connection to a channel. */
  subscribe(channel: string, hear: (text: string) => void): Promise<unknown>;
  /** Adds a listener to an event. */
  on(event: string, listener: () => void): unknown;
  /** Makes another client with the same options. */
  duplicate(): NodeRedisClient;
  /** Connects. */
  connect(): Promise<unknown>;
  /** Closes the connection at once; since version 5. */
  destroy?(): void;
  /** The method in older versions. */
  disconnect?(): Promise<unknown>;
}

/** The client in the form that the store uses. */
export function nodeRedisConnection(client: NodeRedisClient): RedisConnection {
  const valuesOf = (key: string, values: readonly string[]): { keys: string[]; arguments: string[] } => ({
    keys: [key],
    arguments: [...values],
  });
  return {
    evalSha: (sha, key, values) => client.evalSha(sha, valuesOf(key, values)),
    eval: (script, key, values) => client.eval(script, valuesOf(key, values)),
    settings: async (pattern) => new Map(Object.entries(Object(await client.configGet(pattern)))),
    publish: (channel, text) => client.publish(channel, text),
    async subscribe(channel, hear): Promise<RedisSubscription> {
      const subscriber = client.duplicate();
      // It reconnects by itself. An error without a listener would end the process.
      subscriber.on('error', () => {});
      const close = (): void => {
        if (subscriber.destroy !== undefined) subscriber.destroy();
        else subscriber.disconnect?.().catch(() => undefined);
      };
      try {
        await subscriber.connect();
        await subscriber.subscribe(channel, hear);
      } catch (error) {
        close();
        throw error;
      }
      return { close };
    },
  };
}
