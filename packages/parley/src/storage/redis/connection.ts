/** Redis, as scripts need it, whatever client there is. */
export interface RedisScripting {
  /** Runs a script that the server knows by its SHA-1, with one key. */
  evalSha(sha: string, key: string, values: readonly string[]): Promise<unknown>;
  /** Runs a script by its text, and has the server know it from then on. */
  eval(script: string, key: string, values: readonly string[]): Promise<unknown>;
}

/** Redis, as a store of tasks needs it that is given a client. */
export interface RedisConnection extends RedisScripting {
  /** Settings of the server whose names match a pattern. */
  settings(pattern: string): Promise<ReadonlyMap<string, string>>;
  publish(channel: string, text: string): Promise<unknown>;
  /** Subscribes to a channel on a separate connection, which reconnects by itself. */
  subscribe(channel: string, hear: (text: string) => void): Promise<RedisSubscription>;
}

/** A connection with a subscription. */
export interface RedisSubscription {
  close(): void;
}
