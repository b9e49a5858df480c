import {
  parsedMessageOf,
  type ParsedNotification,
  type ParsedResponse,
} from '../../../../../server/runtime/parsed-message.ts';
import { changedRecord, type SessionChange, type SessionRecord } from '../../../../../server/runtime/session-record.ts';
import { isRequestId, type Message, type RequestId } from '../../../../../jsonrpc/message.ts';
import type { Revision } from '../../../../../protocol/revision.ts';
import type { Unsubscribe } from '../../../../../storage/bus.ts';
import type { StoredRecord } from '../../../../../storage/records.ts';
import type { Store } from '../../../../../storage/store.ts';
import type { HttpSettings } from '../../exchanges/options.ts';
import type { Elsewhere } from '../elsewhere.ts';
import type { HttpSession } from '../session.ts';
import type { OpeningStream } from '../sessions-elsewhere.ts';
import { StreamLease } from './stream-lease.ts';
import { Copies } from './copies.ts';
import type { ProcessMailbox } from './process-mailbox.ts';
import { keyOf, readKeptSession, type KeptSession } from './stored-session.ts';
import { SharedStreams, type SharedStreamsParts } from './shared-streams.ts';
import { cancellation, changeMethods, type Announced, type ToldProcess } from './replica-messages.ts';

/** Parts that the copies of sessions in one process share. */
export interface SessionReplicaParts extends Pick<SharedStreamsParts, 'rooms'> {
  readonly store: Store;
  readonly mailbox: ProcessMailbox;
  readonly settings: HttpSettings;
  /** The revisions that are spoken here. */
  readonly spoken: readonly Revision[];
  /** Forgets a session whose record is gone: it ended or expired. */
  gone(session: HttpSession, why?: 'ended'): void;
}

/** Number of times that a change is retried because another process was faster. */
const attempts = 20;
/** Delays for repeating a cancellation, in milliseconds: the process of the request may not listen yet. */
const cancelAgainMs = [100, 300, 1_000];
/** Time for which a replica is valid while the store is down, in milliseconds. */
const believedMs = 30_000;

/** The replica of a session in this process: its data, and the way to the other replicas. */
export class SessionReplica implements Elsewhere {
  readonly id: string;
  readonly idsBegin: string;
  failures = 0;
  readonly #parts: SessionReplicaParts;
  readonly #claim: StreamLease;
  readonly #copies: Copies;
  #session: HttpSession | undefined;
  #kept: (KeptSession & { readonly version: number }) | undefined;
  readonly #unsaved: SessionChange[] = [];
  #saving: Promise<void> | undefined;
  #streams: SharedStreams | undefined;
  #unsubscribe: Promise<Unsubscribe | undefined> | undefined;
  #isListening = false;
  #isStale = true;
  #confirmedAt = 0;
  /**
   * Time of this process's last renewal in the store. If another process had the session before, that may be long ago.
   */
  #touchedAt = -Infinity;
  #usedAt: number;

  constructor(parts: SessionReplicaParts, id: string) {
    this.id = id;
    this.#parts = parts;
    this.idsBegin = `${parts.mailbox.name}-${parts.mailbox.next()}-`;
    this.#claim = new StreamLease(parts, id);
    this.#copies = new Copies(parts.mailbox, keyOf(id), (cause) =>
      this.#failed('the other processes of a session could not be notified', cause),
    );
    this.#usedAt = parts.settings.now();
  }

  get session(): HttpSession | undefined {
    return this.#session;
  }

  /**
   * Tells whether this replica is up to date: it receives every change. The client's `initialized` may arrive at
   * another process just before its first request here, so it must be known too.
   */
  get isSure(): boolean {
    return this.#isListening && !this.#isStale && !this.#isDue && this.#kept?.record.isReady === true;
  }

  /** Tells whether this replica may be used while the store is down. */
  get isRecent(): boolean {
    return this.#parts.settings.now() - this.#confirmedAt < believedMs;
  }

  /** The time since its last use here, in milliseconds. */
  get restedMs(): number {
    return this.#session?.isBusy === true ? 0 : this.#parts.settings.now() - this.#usedAt;
  }

  /** Keeps a session that was opened here, before its id is given out; false when the id is taken. */
  async open(session: HttpSession, owner: string | null, record: SessionRecord): Promise<boolean> {
    const { store, settings } = this.#parts;
    const text = JSON.stringify({ owner, record });
    const version = await store.records.put(keyOf(this.id), text, settings.sessionIdleTimeoutMs, 0);
    if (version === undefined) return false;
    this.#touchedAt = settings.now();
    this.adopted(session, { owner, record }, version);
    return true;
  }

  /** Stores the data of a session that continues here. */
  adopted(session: HttpSession, kept: KeptSession, version: number): void {
    this.#session = session;
    this.#kept = { ...kept, version };
    this.#confirmedAt = this.#parts.settings.now();
    this.#unsubscribe ??= this.#listen();
  }

  /** Stores the record from the store. A replica without a subscription gets one, while the record exists. */
  confirmed({ text, version }: StoredRecord): void {
    this.#confirmedAt = this.#parts.settings.now();
    this.#isStale = false;
    if (this.#session?.ended === false) this.#unsubscribe ??= this.#listen();
    // A record from before a later change is older than the known state.
    const kept = version <= (this.#kept?.version ?? 0) ? undefined : readKeptSession(text, this.#parts.spoken);
    if (kept === undefined) return;
    const record = this.#unsaved.reduce(changedRecord, kept.record);
    this.#kept = { owner: kept.owner, record, version };
    this.#session?.restore(record);
  }

  /** It is in use, so it does not expire. */
  used(): void {
    const { settings, store } = this.#parts;
    this.#usedAt = settings.now();
    if (!this.#isDue) return;
    this.#touchedAt = this.#usedAt;
    const touch = async (): Promise<void> => {
      const isThere = await store.records.touch(keyOf(this.id), settings.sessionIdleTimeoutMs);
      if (this.#session?.listening === true) await this.#claim.touch();
      if (!isThere) this.#gone();
    };
    touch().catch((cause: unknown) =>
      settings.onError(new Error('the lifetime of a session could not be extended', { cause })),
    );
  }

  changed(change: SessionChange): void {
    this.#unsaved.push(change);
    const before = this.#saving;
    const saving = (async () => {
      await before;
      return await this.#save();
    })();
    this.#saving = saving;
    void saving.then(() => {
      if (this.#saving === saving) this.#saving = undefined;
    });
  }

  saved(): Promise<void> | undefined {
    return this.#saving;
  }

  streams(resumption: 'event-ids' | 'polling'): SharedStreams {
    const { store } = this.#parts;
    this.#streams ??= new SharedStreams({
      ...this.#parts,
      session: this.id,
      log: store.events.open(this.id),
      resumption,
      from: this.#session,
      revision: this.#session?.revision,
      claim: () => this.#claim.take(true),
    });
    return this.#streams;
  }

  async flushed(): Promise<unknown> {
    return await this.#streams?.flushed;
  }

  pass(judged: ParsedNotification | ParsedResponse, runs: (id: RequestId) => boolean): boolean {
    const { mailbox } = this.#parts;
    const { message } = judged;
    if (judged.kind === 'notification') {
      const { method, params } = judged.message;
      const id = method === 'notifications/cancelled' ? params?.['requestId'] : undefined;
      if (isRequestId(id) && !runs(id)) void this.#copies.tell(cancellation(id, params?.['reason']), cancelAgainMs);
      if (method === 'notifications/tasks/status') void this.#copies.tell({ kind: 'message', message });
      return false;
    }
    const { id } = judged.message;
    const [, requester] = typeof id === 'string' ? (/^([0-9a-f]{18})-\d{1,15}-\d{1,15}$/.exec(id) ?? []) : [];
    if (requester === undefined || String(id).startsWith(this.idsBegin)) return false;
    const told: ToldProcess = { kind: 'message', session: this.id, message };
    if (requester === mailbox.name) return false;
    void mailbox.insist(requester, told, (cause) => this.#failed('an answer could not be passed on', cause));
    return true;
  }

  deliver(json: string, message: Message): boolean {
    if (this.#session?.listening === true) return false;
    const isChange = 'method' in message && !('id' in message) && changeMethods.has(message.method);
    void (isChange ? this.#keepChange(json) : this.#deliver(json));
    return true;
  }

  listening(): void {
    void this.#copies.tell({ kind: 'claimed', process: this.#parts.mailbox.name });
    if (this.#claim.isMoved) this.#session?.missed();
    this.#claim.heard();
  }

  /** Takes the GET stream; `undefined` if it is open elsewhere. */
  async claim(): Promise<OpeningStream | undefined> {
    return await this.#claim.take(false);
  }

  /** Receives messages for this process; false if the session is not here any more. */
  hear(told: Exclude<ToldProcess, { kind: 'reply' }>): boolean {
    const session = this.#session;
    if (session === undefined || session.ended) return false;
    this.#hear(told, session);
    return true;
  }

  #hear(told: Exclude<ToldProcess, { kind: 'reply' }>, session: HttpSession): void {
    const { mailbox } = this.#parts;
    switch (told.kind) {
      case 'message':
        return this.#take(told.message);
      case 'deliver':
        return session.deliver(told.json);
      case 'taken':
        this.#claim.lost();
        return session.letGo();
      case 'there': {
        const reply = session.listening || this.#claim.isOpening ? 'open' : 'not-open';
        return void mailbox.reply(told, reply);
      }
      case 'reading':
        return this.#streams === undefined ? void mailbox.reply(told, 'not-here') : this.#streams.readBy(told);
    }
  }

  /** Messages may have been missed: the replica's data is read again. */
  missedSome(): void {
    this.#isStale = true;
    void this.#refresh();
  }

  /** Repeats failed messages and reads, also without a request; false if the store fails again. */
  async fix(): Promise<boolean> {
    const session = this.#session;
    if (session === undefined || session.ended) return true;
    if (!(await this.#copies.tellAgain())) return false;
    const isWell = !session.isBusy || (!this.#isStale && this.#unsubscribe !== undefined);
    return isWell || (await this.#refresh(true));
  }

  /** Ends the session for every process. */
  async remove(): Promise<void> {
    const { store } = this.#parts;
    await store.records.delete(keyOf(this.id));
    await this.#copies.tell({ kind: 'ended' });
    await this.#claim.forget();
    await store.events.open(this.id).clear();
  }

  /** Drops the replica. The session continues elsewhere. */
  async leave(): Promise<void> {
    this.#isListening = false;
    await this.#copies.tellAgain();
    const end = await this.#unsubscribe;
    await end?.();
  }

  /** Tells whether the store needs a renewal of the session. By the store's clock it may have expired. */
  get #isDue(): boolean {
    const { now, sessionIdleTimeoutMs } = this.#parts.settings;
    return now() - this.#touchedAt >= sessionIdleTimeoutMs / 8;
  }

  async #save(): Promise<void> {
    const { records } = this.#parts.store;
    let changesNow: readonly SessionChange[] = [];
    try {
      for (let attempt = 0; attempt < attempts && this.#kept !== undefined; attempt++) {
        changesNow = [...this.#unsaved];
        if (changesNow.length === 0) return;
        const { owner, version } = this.#kept;
        const record = changesNow.reduce(changedRecord, this.#kept.record);
        const text = JSON.stringify({ owner, record });
        const written = await records.put(keyOf(this.id), text, this.#parts.settings.sessionIdleTimeoutMs, version);
        if (written !== undefined) {
          this.#unsaved.splice(0, changesNow.length);
          this.#kept = { owner, record, version: written };
          return void (await this.#copies.tell({ kind: 'changed', version: written }));
        }
        const now = await records.get(keyOf(this.id));
        if (now === undefined) {
          this.failures++;
          return this.#gone();
        }
        // After a failover, a store may lack the last write. The data here is newer.
        if (now.version < version) this.#kept = { ...this.#kept, version: now.version };
        else this.confirmed(now);
      }
    } catch (cause) {
      this.#failed('a change by a client to its session could not be stored', cause);
    }
    // Later changes are tried separately.
    this.#unsaved.splice(0, changesNow.length);
    this.failures++;
    this.#isStale = true;
  }

  async #listen(): Promise<Unsubscribe | undefined> {
    try {
      const end = await this.#parts.mailbox.hear(
        keyOf(this.id),
        (announced) => this.#heard(announced),
        () => this.missedSome(),
      );
      this.#isListening = true;
      // Earlier changes are not known yet.
      this.missedSome();
      return end;
    } catch (cause) {
      this.#failed('a session could not be listened to', cause);
      this.#unsubscribe = undefined;
      return undefined;
    }
  }

  #heard(announced: Announced): void {
    const session = this.#session;
    if (session === undefined || session.ended) return;
    switch (announced.kind) {
      case 'ended':
        return this.#gone('ended');
      case 'changed':
        if (announced.version > (this.#kept?.version ?? 0)) this.missedSome();
        return;
      case 'claimed':
        if (announced.process !== this.#parts.mailbox.name)
          for (const json of session.undelivered()) void this.#deliver(json);
        return;
      case 'message':
        this.#take(announced.message);
    }
  }

  async #refresh(isAgain = false): Promise<boolean> {
    try {
      const now = await this.#parts.store.records.get(keyOf(this.id));
      if (now === undefined) this.#gone();
      else this.confirmed(now);
      return true;
    } catch (cause) {
      if (!isAgain) this.#failed('a session could not be read', cause);
      return false;
    }
  }

  /** Takes an answer or a notification that came to another process. */
  #take(message: unknown): void {
    const judged = parsedMessageOf(message, this.#parts.spoken);
    if (judged.kind === 'response' || judged.kind === 'notification') this.#session?.take(judged);
  }

  async #deliver(json: string): Promise<void> {
    const { mailbox } = this.#parts;
    try {
      const holder = await this.#claim.holder();
      const told: ToldProcess = { kind: 'deliver', session: this.id, json };
      if (holder !== undefined && holder !== mailbox.name && (await mailbox.tell(holder, told))) return;
    } catch (cause) {
      this.#failed('a message to a client could not be passed on', cause);
    }
    this.#session?.deliver(json);
  }

  /**
   * A change is sent by the process with the stream, and by one that takes it over. Until a process has the stream, the
   * message waits here. If this process has it, the message waits for its client: a client that comes back has not
   * moved, and needs no notice that everything may have changed. The same applies if the holder is unknown.
   */
  async #keepChange(json: string): Promise<void> {
    try {
      const holder = await this.#claim.holder();
      if (holder === undefined) await this.#deliver(json);
      else if (holder === this.#parts.mailbox.name) this.#session?.deliver(json);
    } catch (cause) {
      this.#failed('a client may receive a change twice', cause);
      this.#session?.deliver(json);
    }
  }

  #gone(why?: 'ended'): void {
    if (this.#session !== undefined) this.#parts.gone(this.#session, why);
  }

  #failed(what: string, cause: unknown): void {
    this.#parts.settings.onError(new Error(what, { cause }));
  }
}
