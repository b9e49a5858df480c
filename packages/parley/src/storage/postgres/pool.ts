/** Outcome of a statement, as `pg` has it. */
export interface PostgresResult {
  /** The rows. */
  readonly rows: readonly unknown[];
  /** The number of rows that changed. */
  readonly rowCount: number | null;
}

/** Connection that was taken from a pool, as `pg` has it. */
export interface PostgresClient {
  /** Runs a statement on this connection. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /**
   * Puts the connection back.
   *
   * @param destroy Closes it instead.
   */
  release(destroy?: boolean): void;
  /** Adds a listener to an event, such as `notification`. */
  on(
    event: string,
    listener: (told: { readonly channel: string; readonly payload?: string | undefined }) => void,
  ): unknown;
  /** Removes a listener that `on` added. */
  removeListener: PostgresClient['on'];
}

/** Pool of connections, as `pg` has it (`Pool`). */
export interface PostgresPool {
  /** Runs a statement on any connection. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Takes a connection out of the pool. */
  connect(): Promise<PostgresClient>;
}

/** Runs something on a connection of its own, and puts it back; one on which something failed is closed. */
export async function withClient<Result>(
  pool: PostgresPool,
  run: (client: PostgresClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken = true;
  // A broken connection emits an error here, which would end the process without a listener.
  const hear = (): void => {};
  client.on('error', hear);
  try {
    const result = await run(client);
    broken = false;
    return result;
  } finally {
    client.removeListener('error', hear);
    client.release(broken);
  }
}
