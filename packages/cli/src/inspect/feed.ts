import type { FeedLine, LogView, RowView } from './view.ts';

/** Limits: rows and lines of logs that are remembered, pages that listen, bytes that may wait for one of them. */
const most = { rows: 40_000, logs: 2_000, listeners: 8, waiting: 16 * 1024 ** 2, piece: 500 };

/** Time in which rows and lines of logs are gathered, in milliseconds. */
const gatherMs = 30;

/** A page that listens. */
export interface FeedListener {
  /** Writes a line. @returns Bytes that wait. */
  write(line: string): number;
  /** Ends the stream; the page comes back and says how far it heard. */
  end(): void;
}

/** A row, and the version of the feed with which it came or changed. */
interface VersionedRow {
  readonly row: RowView;
  readonly version: number;
}

/** State and rows for the pages: a new page gets the whole state, and then the changes. */
export class Feed {
  readonly #rows = new Map<number, VersionedRow>();
  readonly #state = new Map<string, FeedLine>();
  readonly #logs: LogView[] = [];
  readonly #listeners = new Set<FeedListener>();
  /** Rows, lines of logs and counts that are not told yet. */
  readonly #pending = new Map<number, VersionedRow>();
  #pendingLogs: LogView[] = [];
  readonly #pendingLeft = new Map<string, FeedLine>();
  #version = 0;
  /** Version at which all rows were forgotten last. */
  #cleared = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Keeps a line as part of the state, under a key, and tells it. */
  keep(key: string, line: FeedLine): void {
    this.#state.set(key, line);
    this.tell(line);
  }

  /** Takes a part of the state away, and tells a line in its place. */
  drop(key: string, line?: FeedLine): void {
    this.#state.delete(key);
    if (line !== undefined) this.tell(line);
  }

  /** Tells a line that is no state. */
  tell(line: FeedLine): void {
    this.#flush();
    this.#write(line);
  }

  /** Takes a line of a log; lines are gathered. */
  log(log: LogView): void {
    this.#logs.push(log);
    if (this.#logs.length > most.logs) this.#logs.shift();
    this.#pendingLogs.push(log);
    this.#gather();
  }

  /** Takes how many rows of a server left memory; each with a row that came, so they are gathered too. */
  left(line: Extract<FeedLine, { kind: 'left' }>): void {
    this.#state.set(`left ${line.server}`, line);
    this.#pendingLeft.set(line.server, line);
    this.#gather();
  }

  /** Takes a row, or one that changed; rows are gathered. */
  row(row: RowView): void {
    const versioned = { row, version: ++this.#version };
    // Both are in the order of versions: a page that heard a part of them says so by the last.
    for (const rows of [this.#rows, this.#pending]) {
      rows.delete(row.n);
      rows.set(row.n, versioned);
    }
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > most.rows && oldest !== undefined) this.#rows.delete(oldest);
    this.#gather();
  }

  /** Forgets the rows and the log of a server that is removed; pages do so too when they hear that it is gone. */
  forget(server: string): void {
    this.#flush();
    for (const [n, { row }] of this.#rows) if (row.s === server) this.#rows.delete(n);
    const others = this.#logs.filter((log) => log.server !== server);
    this.#logs.splice(0, this.#logs.length, ...others);
  }

  /** Forgets all rows, at the wish of the person. */
  clear(): void {
    this.#flush();
    this.#rows.clear();
    this.#logs.length = 0;
    this.#cleared = ++this.#version;
    this.#write({ kind: 'cleared' });
  }

  /** True where no further page can listen. */
  get isFull(): boolean {
    return this.#listeners.size >= most.listeners;
  }

  /**
   * Adds a page.
   *
   * @param since Version up to which it has the rows; 0 for none.
   * @returns Takes it away.
   * @throws RangeError where too many pages listen.
   */
  listen(listener: FeedListener, since: number): () => void {
    if (this.isFull) throw new RangeError(`at most ${most.listeners} pages are served at once; close one of them`);
    this.#flush();
    for (const line of this.#state.values()) listener.write(toLine(line));
    if (since > 0 && since < this.#cleared) listener.write(toLine({ kind: 'cleared' }));
    if (this.#logs.length > 0) listener.write(toLine({ kind: 'logs', logs: this.#logs }));
    this.#send(
      [listener],
      [...this.#rows.values()].filter(({ version }) => version > since),
    );
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends all streams. */
  close(): void {
    this.#flush();
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }

  #gather(): void {
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rows = [...this.#pending.values()];
    this.#pending.clear();
    this.#send([...this.#listeners], rows);
    const logs = this.#pendingLogs;
    this.#pendingLogs = [];
    if (logs.length > 0) this.#write({ kind: 'logs', logs: logs.slice(-most.logs) });
    for (const line of this.#pendingLeft.values()) this.#write(line);
    this.#pendingLeft.clear();
  }

  #send(listeners: readonly FeedListener[], all: readonly VersionedRow[]): void {
    for (let at = 0; at < all.length && listeners.length > 0; at += most.piece) {
      const piece = all.slice(at, at + most.piece);
      // A page that hears no more after this comes back for the rest.
      this.#writeTo(listeners, {
        kind: 'rows',
        rows: piece.map(({ row }) => row),
        version: piece.at(-1)?.version ?? 0,
      });
    }
  }

  #write(line: FeedLine): void {
    this.#writeTo([...this.#listeners], line);
  }

  #writeTo(listeners: readonly FeedListener[], line: FeedLine): void {
    const text = toLine(line);
    for (const listener of listeners) {
      if (listener.write(text) <= most.waiting) continue;
      // A page that does not read comes back, and gets what is then.
      this.#listeners.delete(listener);
      listener.end();
    }
  }
}

function toLine(line: FeedLine): string {
  return `${JSON.stringify(line)}\n`;
}
