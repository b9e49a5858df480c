import { after } from '../../../../../jsonrpc/timeout.ts';
import { StoreError, type Store } from '../../../../../storage/store.ts';
import type { HttpCall } from '../../exchanges/call.ts';
import type { HttpSession } from '../session.ts';
import { isSessionId, samePrincipal } from '../rules.ts';
import type { OpeningStream } from '../sessions-elsewhere.ts';
import { ProcessMailbox } from './process-mailbox.ts';
import { hashedOwner, keyOf, readKeptSession, type KeptSession } from './stored-session.ts';
import { SessionReplica, type SessionReplicaParts } from './session-replica.ts';
import { OwnerRooms } from '../../../../../storage/memory/owner-rooms.ts';
import type { ToldProcess } from './replica-messages.ts';

/** Interval between checks of the replicas, and lifetime of an unused one, in milliseconds. */
const lookMs = 5_000;
const restMs = 30_000;

/** Parts of a company that the sessions of the process have. */
export interface SessionReplicasParts extends Pick<SessionReplicaParts, 'settings' | 'spoken'> {
  readonly store: Store;
  /** Makes the copy of a session that another process opened. */
  adopt(call: HttpCall, member: SessionReplica, kept: KeptSession): HttpSession;
  /** Drops the replica of a session in this process, and ends it. By default the session counts as lost. */
  drop(session: HttpSession, why?: 'ended'): void;
}

/** The copies of sessions in this process, beside those of other processes: what one of them is asked, any of them answers. */
export class SessionReplicas {
  readonly #parts: SessionReplicasParts;
  readonly #members = new Map<string, SessionReplica>();
  readonly #mailbox: ProcessMailbox;
  readonly #memberParts: SessionReplicaParts;
  /** Replicas that are being dropped. */
  readonly #leaving = new Set<Promise<void>>();
  #cancelTimer: (() => void) | undefined;
  #isMending = false;

  constructor(parts: SessionReplicasParts) {
    this.#parts = parts;
    this.#mailbox = new ProcessMailbox(
      parts.store,
      (told) => this.#hear(told),
      () => this.#missedSome(),
    );
    const { store, settings, spoken } = parts;
    this.#memberParts = {
      store,
      settings,
      spoken,
      mailbox: this.#mailbox,
      rooms: new OwnerRooms(settings.now),
      gone: (session, why) => parts.drop(session, why),
    };
  }

  /** The place of a session that may be opened here. */
  member(id: string): SessionReplica {
    return new SessionReplica(this.#memberParts, id);
  }

  /**
   * Lets every process know of a session that was opened here.
   *
   * @throws StoreError when that cannot be.
   */
  async open(member: SessionReplica, session: HttpSession): Promise<void> {
    const { record } = session;
    await this.#mailbox.open();
    const owner = await hashedOwner(session.auth);
    if (record === undefined || !(await member.open(session, owner, record)))
      throw new StoreError('unavailable', 'the session could not be stored');
    this.#add(member);
  }

  /**
   * The replica of a session in this process. It is created if another process opened the session.
   *
   * @returns `undefined` if the principal has no such session.
   * @throws StoreError if the store cannot be read.
   */
  async find(id: string, call: HttpCall): Promise<HttpSession | undefined> {
    const known = this.#members.get(id);
    const here = known?.isSure === true ? known : await this.#lookUp(id, call);
    const { session } = here ?? {};
    if (here === undefined || session === undefined || session.ended || !samePrincipal(session.auth, call.auth))
      return undefined;
    here.used();
    return session;
  }

  /** Moves the GET stream to this process; `undefined` if it is open in another one. */
  async claim(session: HttpSession): Promise<OpeningStream | undefined> {
    return await this.#members.get(session.id)?.claim();
  }

  /** Ends a session everywhere. */
  async remove(session: HttpSession): Promise<void> {
    const member = this.#members.get(session.id);
    this.dropped(session);
    await member?.remove();
  }

  /** The replica of a session here has ended. The session continues elsewhere. */
  dropped({ id }: HttpSession): void {
    const member = this.#members.get(id);
    if (member === undefined) return;
    this.#members.delete(id);
    const leaving = (async () => {
      await member.flushed();
      await member.leave();
    })().catch((cause: unknown) => {
      this.#parts.settings.onError(new Error('a session could not be released', { cause }));
    });
    this.#leaving.add(leaving);
    void leaving.then(() => this.#leaving.delete(leaving));
  }

  /** Drops unused replicas, to make room. */
  makeRoom(): void {
    this.#dropRested(0);
  }

  /** Ends after every replica was dropped and its messages were stored. */
  async close(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = () => undefined;
    await Promise.all(this.#leaving);
    await this.#mailbox.close();
  }

  async #lookUp(id: string, call: HttpCall): Promise<SessionReplica | undefined> {
    const { settings, spoken, store } = this.#parts;
    // An id that was never issued is not looked up: clients may make up ids of any length.
    if (!isSessionId(id)) return undefined;
    try {
      await this.#mailbox.open();
      const kept = await store.records.get(keyOf(id));
      const owner = await hashedOwner(call.auth);
      const known = this.#members.get(id);
      if (kept === undefined) {
        if (known?.session !== undefined) this.#parts.drop(known.session);
        return undefined;
      }
      if (known !== undefined) {
        known.confirmed(kept);
        return known;
      }
      const read = readKeptSession(kept.text, spoken);
      // Another principal's session and an unknown one look the same to a client.
      if (read === undefined || read.owner !== owner) return undefined;
      const member = this.member(id);
      member.adopted(this.#parts.adopt(call, member, read), read, kept.version);
      this.#add(member);
      return member;
    } catch (cause) {
      const known = this.#members.get(id);
      if (!(cause instanceof StoreError) || known?.isRecent !== true) throw cause;
      settings.onError(new Error('a session continues without its store', { cause }));
      return known;
    }
  }

  #hear(told: Exclude<ToldProcess, { kind: 'reply' }>): void {
    if (this.#members.get(told.session)?.hear(told) === true) return;
    // A process that asks for a dropped replica gets an answer at once.
    if (told.kind === 'there') void this.#mailbox.reply(told, 'not-open');
    else if (told.kind === 'reading') void this.#mailbox.reply(told, 'not-here');
  }

  #add(member: SessionReplica): void {
    this.#members.set(member.id, member);
    this.#cancelTimer ??= this.#lookLater();
  }

  #missedSome(): void {
    for (const member of this.#members.values()) member.missedSome();
  }

  #lookLater(): () => void {
    const { sessionIdleTimeoutMs } = this.#parts.settings;
    return after(Math.min(lookMs, sessionIdleTimeoutMs / 4), () => {
      this.#dropRested(restMs);
      for (const member of this.#members.values()) if (member.session?.isBusy === true) member.used();
      void this.#fix();
      this.#cancelTimer = this.#members.size === 0 ? undefined : this.#lookLater();
    });
  }

  /** Retries what failed for the replicas here, in sequence, until the store fails again. */
  async #fix(): Promise<void> {
    if (this.#isMending) return;
    this.#isMending = true;
    try {
      for (const member of this.#members.values()) if (!(await member.fix())) break;
    } finally {
      this.#isMending = false;
    }
  }

  #dropRested(ms: number): void {
    for (const { session, restedMs } of this.#members.values())
      if (session?.isBusy === false && restedMs > ms) this.#parts.drop(session);
  }
}
