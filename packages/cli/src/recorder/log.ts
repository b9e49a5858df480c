import type { RecordingEntry, Recorder, Seen } from './entry.ts';
import { createRedaction, type Redaction } from './redaction.ts';
import { OverExchanges } from './exchanges.ts';
import { factsOfAnswerTo, factsOfLong, messageFacts, type MessageFacts } from './message-facts.ts';
import { createPairs } from './pairs.ts';

/** Limits of what a log keeps. */
export interface LogLimits {
  /** Entries; 20,000 by default. */
  readonly entries?: number;
  /** Characters of all texts and headers together; 64 Mi by default. */
  readonly characters?: number;
  /** Characters of one text; 1 Mi by default. */
  readonly text?: number;
}

/** Options of a log. */
export interface LogOptions extends LogLimits {
  /** Name of the server in the recording. */
  readonly server: string;
  /** Secrets; those of a log of its own by default. */
  readonly redaction?: Redaction;
  /** Gives the next sequence; several logs may share one. Each counts from 1 by itself by default. */
  readonly next?: () => number;
  /** Clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Entries to begin with, oldest first, as they were kept; none by default. `next` has to give what comes after them. */
  readonly begun?: readonly RecordingEntry[];
}

/** Entries that left memory. */
export interface DroppedEntries {
  readonly entries: number;
  /** Their bytes, as they crossed. */
  readonly bytes: number;
  /** Sequence of the last of them; 0 where none left. */
  readonly last: number;
}

/** Recording of what crosses the connections to one server, within limits: the oldest entries leave, and are counted. */
export interface Log extends Recorder {
  readonly redaction: Redaction;
  /** Count of what left. */
  readonly left: DroppedEntries;
  /** The entry with a sequence, unless it left. */
  entry(sequence: number): RecordingEntry | undefined;
  /** Entries after a sequence, oldest first. */
  since(sequence: number): readonly RecordingEntry[];
  /** Says which requirements an entry breaks. */
  judge(sequence: number, broken: readonly string[]): void;
  /**
   * Hears each entry when it is noted, and again whenever it changes. A listener that throws hears nothing more.
   *
   * @returns Ends it.
   * @throws RangeError where 32 hear already.
   */
  subscribe(listener: (entry: RecordingEntry) => void): () => void;
}

const maxListeners = 32;

/** Most connections whose revisions are remembered. */
const maxConnections = 1_000;

/** Weight of an entry without a text, in characters. */
const bare = 256;

/** Characters beyond the limit of a text that are looked at, so that a secret at its end is seen whole. */
const margin = 65_536;

/** A text that is still coming. */
interface Coming {
  seen: Seen;
  pieces: string[];
  kept: number;
  bytes: number;
  dropped: number;
}

/** Makes the log of one server. */
export function createLog(options: LogOptions): Log {
  return new MemoryLog(options);
}

class MemoryLog implements Log {
  readonly redaction: Redaction;
  readonly #server: string;
  readonly #next: () => number;
  readonly #now: () => number;
  readonly #most: Required<LogLimits>;
  readonly #entries = new Map<number, RecordingEntry>();
  readonly #coming = new Map<number, Coming>();
  readonly #pairs = createPairs();
  readonly #exchanges = new OverExchanges();
  readonly #revisions = new Map<number, string>();
  readonly #listeners = new Set<(entry: RecordingEntry) => void>();
  #left: DroppedEntries = { entries: 0, bytes: 0, last: 0 };
  #characters = 0;
  #connections = 0;

  constructor({ server, redaction, next, now, begun = [], entries, characters, text }: LogOptions) {
    let count = 0;
    this.redaction = redaction ?? createRedaction();
    this.#server = server;
    this.#next = next ?? (() => ++count);
    this.#now = now;
    this.#most = { entries: entries ?? 20_000, characters: characters ?? 64 * 1024 ** 2, text: text ?? 1024 ** 2 };
    for (const entry of begun) this.#keep(entry);
  }

  get left(): DroppedEntries {
    return this.#left;
  }

  connect(): number {
    return ++this.#connections;
  }

  note(seen: Seen): number {
    const sequence = this.#next();
    const isComing = seen.text === undefined && seen.http?.status !== undefined;
    if (isComing) this.#coming.set(sequence, { seen, pieces: [], kept: 0, bytes: 0, dropped: 0 });
    const entry = this.#entryOf(sequence, seen, { bytes: byteLength(seen.text ?? ''), dropped: 0 });
    this.#exchanges.heard(entry);
    this.#keep(entry);
    this.#over(sequence, seen);
    return sequence;
  }

  secretAtEnd(text: string): number {
    return this.redaction.secretAtEnd(text);
  }

  grow(sequence: number, piece: string): void {
    const coming = this.#coming.get(sequence);
    if (coming === undefined || piece === '') return;
    const room = Math.max(this.#most.text + margin - coming.kept, 0);
    const kept = piece.slice(0, room);
    if (kept !== '') coming.pieces.push(kept);
    coming.kept += kept.length;
    coming.dropped += piece.length - kept.length;
    coming.bytes += byteLength(piece);
    this.#characters += kept.length;
    this.#leave();
  }

  end(sequence: number, more?: Parameters<Log['end']>[1]): void {
    const coming = this.#coming.get(sequence);
    const before = this.#entries.get(sequence);
    this.#coming.delete(sequence);
    if (coming === undefined || before === undefined) return;
    this.#characters -= coming.kept;
    const text = coming.pieces.join('');
    const seen = { ...coming.seen, ...more, ...(text === '' ? {} : { text }) };
    this.#change({ ...this.#entryOf(sequence, seen, coming), time: before.time });
    this.#over(sequence, seen);
  }

  judge(sequence: number, broken: readonly string[]): void {
    const entry = this.#entries.get(sequence);
    if (entry !== undefined) this.#change({ ...entry, broken });
  }

  entry(sequence: number): RecordingEntry | undefined {
    return this.#entries.get(sequence);
  }

  since(sequence: number): readonly RecordingEntry[] {
    return [...this.#entries.values()].filter((entry) => entry.sequence > sequence);
  }

  subscribe(listener: (entry: RecordingEntry) => void): () => void {
    if (this.#listeners.size >= maxListeners)
      throw new RangeError(`a log has at most ${maxListeners} listeners; end one before another hears it`);
    const own = (entry: RecordingEntry): void => listener(entry);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #entryOf(sequence: number, seen: Seen, { bytes, dropped }: Pick<Coming, 'bytes' | 'dropped'>): RecordingEntry {
    const { connection = 0 } = seen;
    const { ends: _, answered, ...rest } = withinMargin(seen, this.#most.text + margin);
    const kept = this.redaction.toKeep(rest);
    const text = kept.text?.slice(0, this.#most.text);
    const cut = dropped + Math.max((seen.text?.length ?? 0) - (text?.length ?? 0), 0);
    const isCut = kept.text !== undefined && (dropped > 0 || (seen.text?.length ?? 0) > this.#most.text);
    const factsOf = isCut ? factsOfLong : messageFacts;
    const isMessage = kept.lane === 'message' || kept.lane === 'app';
    const facts =
      isMessage && seen.text !== undefined
        ? factsOf(seen.text)
        : answered === undefined
          ? undefined
          : factsOfAnswerTo(answered);
    const entry: RecordingEntry = {
      ...kept,
      ...(text === undefined ? {} : { text }),
      sequence,
      time: this.#now(),
      server: this.#server,
      connection,
      bytes,
      ...(isCut ? { cut } : {}),
    };
    return facts === undefined ? this.#withRevision(entry, undefined) : this.#related(entry, facts);
  }

  /** Ties a message to what it answers. */
  #related(entry: RecordingEntry, facts: MessageFacts): RecordingEntry {
    const { id, method, problem } = facts;
    const pair = this.#pairs.take(entry, facts);
    for (const given of this.#pairs.givenUp(entry, facts)) {
      const before = this.#entries.get(given);
      if (before !== undefined) this.#change({ ...before, cancelled: entry.sequence });
    }
    const request = pair === undefined ? undefined : this.#entries.get(pair.request);
    const ms = pair === undefined ? undefined : entry.time - pair.time;
    if (request !== undefined && ms !== undefined) {
      const { over: __, ...open } = request;
      this.#change({ ...open, pair: entry.sequence, ms });
    }
    const isSettled = pair?.method === 'initialize';
    return this.#withRevision(
      {
        ...entry,
        ...(id === undefined ? {} : { id }),
        ...(method === undefined ? {} : { method }),
        ...(problem === undefined || entry.problem !== undefined ? {} : { problem }),
        ...(pair === undefined ? {} : { pair: pair.request, ms: entry.time - pair.time }),
        ...(pair?.method === undefined ? {} : { method: pair.method }),
      },
      facts.claimed ?? (isSettled ? facts.settled : request?.revision),
    );
  }

  /** Ends a request whose exchange is over without an answer to it. */
  #over(sequence: number, { exchange, ends }: Seen): void {
    const entry = this.#entries.get(sequence);
    const request = exchange === undefined ? undefined : this.#entries.get(exchange);
    if (ends === undefined || entry === undefined || request === undefined) return;
    if (!this.#exchanges.leavesUnanswered(request, entry)) return;
    const cancelled = ends === 'given-up' && request.cancelled === undefined ? { cancelled: sequence } : {};
    this.#change({ ...request, ...cancelled, over: sequence, ms: this.#now() - request.time });
    this.#change({ ...entry, over: request.sequence });
  }

  /** Sets the revision of an entry: the one that it claims, or that its connection negotiated. */
  #withRevision(entry: RecordingEntry, own: string | undefined): RecordingEntry {
    if (entry.connection > 0 && own !== undefined) {
      this.#revisions.set(entry.connection, own);
      const [oldest] = this.#revisions.keys();
      if (this.#revisions.size > maxConnections && oldest !== undefined) this.#revisions.delete(oldest);
    }
    const said = entry.http?.headers['mcp-protocol-version']?.slice(0, 40);
    const revision = own ?? said ?? this.#revisions.get(entry.connection);
    return revision === undefined ? entry : { ...entry, revision };
  }

  #keep(entry: RecordingEntry): void {
    this.#entries.set(entry.sequence, entry);
    this.#characters += weight(entry);
    this.#leave();
    this.#tell(entry);
  }

  #change(entry: RecordingEntry): void {
    const before = this.#entries.get(entry.sequence);
    if (before === undefined) return;
    this.#characters += weight(entry) - weight(before);
    this.#entries.set(entry.sequence, entry);
    this.#leave();
    this.#tell(entry);
  }

  #leave(): void {
    for (const [sequence, entry] of this.#entries) {
      if (this.#entries.size <= this.#most.entries && this.#characters <= this.#most.characters) return;
      this.#entries.delete(sequence);
      const coming = this.#coming.get(sequence);
      this.#coming.delete(sequence);
      this.#characters -= weight(entry) + (coming?.kept ?? 0);
      const bytes = this.#left.bytes + Math.max(entry.bytes, coming?.bytes ?? 0);
      this.#left = { entries: this.#left.entries + 1, bytes, last: sequence };
    }
  }

  #tell(entry: RecordingEntry): void {
    for (const listener of this.#listeners) {
      try {
        listener(entry);
      } catch {
        // A failing listener does not stop the recording.
        this.#listeners.delete(listener);
      }
    }
  }
}

function weight({ text = '', problem = '', http, event }: RecordingEntry): number {
  const headers = Object.entries(http?.headers ?? {}).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    0,
  );
  return bare + text.length + problem.length + headers + (http?.url?.length ?? 0) + (event?.comment?.length ?? 0);
}

/** Clips what one entry may hold beside its text too. */
function withinMargin(seen: Seen, most: number): Seen {
  const { text, problem, event } = seen;
  return {
    ...seen,
    ...(text !== undefined && text.length > most ? { text: text.slice(0, most) } : {}),
    ...(problem !== undefined && problem.length > 4_096 ? { problem: `${problem.slice(0, 4_096)}…` } : {}),
    ...(event === undefined ? {} : { event: clippedFields(event) }),
  };
}

function clippedFields(event: NonNullable<Seen['event']>): NonNullable<Seen['event']> {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, 4_096) : value]),
  );
}

const encoder = new TextEncoder();

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
