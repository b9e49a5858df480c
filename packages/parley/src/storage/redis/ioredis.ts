import type { RedisConnection, RedisSubscription } from './connection.ts';

/** Client of Redis, as ioredis has it (`Redis`, or a `Cluster`). */
export interface IoredisClient {
  /** Sends any command. */
  call(command: string, ...words: string[]): Promise<unknown>;
  /** Subscribes this connection to a channel. */
  subscribe(channel: string): Promise<unknown>;
  /** Adds a listener to an event. */
  on(event: string, listener: (channel: string, text: string) => void): unknown;
  /** Makes another client with the same options. */
  duplicate(): IoredisClient;
  /** Closes the connection at once. */
  disconnect(): void;
}

/** The client in the form that the store uses. */
export function ioredisConnection(client: IoredisClient): RedisConnection {
  return {
    evalSha: (sha, key, values) => client.call('EVALSHA', sha, '1', key, ...values),
    eval: (script, key, values) => client.call('EVAL', script, '1', key, ...values),
    async settings(pattern) {
      const reply = await client.call('CONFIG', 'GET', pattern);
      return new Map(Array.isArray(reply) ? pairsOf(reply) : Object.entries(Object(reply)));
    },
    publish: (channel, text) => client.call('PUBLISH', channel, text),
    async subscribe(channel, hear): Promise<RedisSubscription> {
      const subscriber = client.duplicate();
      // It reconnects by itself. An error without a listener would be printed.
      subscriber.on('error', () => {});
      subscriber.on('message', (_, text) => hear(text));
      try {
        await subscriber.subscribe(channel);
      } catch (error) {
        subscriber.disconnect();
        throw error;
      }
      return { close: () => subscriber.disconnect() };
    },
  };
}

/** Names and values that follow each other, as RESP2 has a map. */
function pairsOf(reply: readonly unknown[]): [string, string][] {
  return reply.flatMap((name, at) => (at % 2 === 0 ? [[String(name), String(reply[at + 1])] as [string, string]] : []));
}
