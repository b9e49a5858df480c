/** Redis, as scripts need it, whatever client there is. */
export interface RedisScripting {
  /** Runs a script that the server knows by its SHA-1, with one key. */
  evalSha(sha: string, key: string, values: readonly string[]): Promise<unknown>;
  /** Runs a script by its text, and has the server know it from then on. */
  eval(script: string, key: string, values: readonly string[]): Promise<unknown>;
}

/** Redis, as a store of tasks needs it that is given a client. */
export interface RedisConnection extends RedisScripting {
  /** Settings of the server whose names begin so. */
  settings(pattern: string): Promise<ReadonlyMap<string, string>>;
  publish(channel: string, text: string): Promise<unknown>;
  /** Hears a channel on a connection of its own, which comes back by itself where it breaks. */
  subscribe(channel: string, hear: (text: string) => void): Promise<RedisSubscription>;
}

/** Connection that hears a channel. */
export interface RedisSubscription {
  close(): void;
}
