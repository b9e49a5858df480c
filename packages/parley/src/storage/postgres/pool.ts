/** Outcome of a statement, as `pg` has it. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

/** Event `notification` of a connection. */
export interface PostgresNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** Connection that was taken from a pool, as `pg` has it. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** @param destroy Closes the connection, and does not put it back. */
  release(destroy?: boolean): void;
  on(event: string, listener: (told: PostgresNotification) => void): unknown;
  removeListener(event: string, listener: (told: PostgresNotification) => void): unknown;
}

/** Pool of connections, as `pg` has it (`Pool`). */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
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
