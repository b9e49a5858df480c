/** Surroundings of every inspected server, and its needs from outside. */

import type { Fetch } from '../../../../parley/src/jsonrpc/fetch.ts';
import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { ConnectOptions } from '../../../../parley/src/client/api/options.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import type { LoggingLevel } from '../../../../parley/src/protocol/features/logging-level.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';
import type { Log } from '../../recorder/log.ts';
import type { Feed } from '../feed.ts';
import type { LoginView, RootView } from '../view.ts';
import type { Questions } from './questions.ts';

/** Settings of a way to a server, by which all that crosses it is heard. */
export interface WaySettings {
  readonly fetch: Fetch;
  readonly onStderr: (text: string) => void;
  readonly closeTimeoutMs: number;
  readonly killTimeoutMs: number;
  /** Largest message, in bytes, over HTTP and on a line. */
  readonly maxMessageBytes: number;
  readonly maxLineBytes: number;
  /** Gives the same `fetch` for requests about authorization, recorded. */
  overheard(fetch: Fetch): Fetch;
  /** The person whom the way may ask for more than they granted; left out where it may not. */
  readonly person?: WayPerson;
}

/** A person at the page, for the way that they use. */
export interface WayPerson {
  /** Is asked before a page is opened; it is not where this rejects. */
  beforePage(signal: AbortSignal, url: string): Promise<void>;
  /** Hears that it was not opened; the process prints its address. */
  unopened(error: unknown): void;
  /** Hears that what is kept of the login changed, and whether it was lost. */
  loginChanged(isLost: boolean): void;
}

/** Settings of a sign-in whose steps are heard. */
export interface SignInSettings extends Pick<WaySettings, 'overheard'>, Pick<WayPerson, 'beforePage' | 'unopened'> {
  readonly signal: AbortSignal;
}

/** Login of a person at a server, as far as it may have one. */
export interface PlannedLogin {
  /** Tells of the login that is kept; `undefined` where nobody signed in. */
  kept(): Promise<LoginView | undefined>;
  /** Signs in, whatever is kept. */
  signIn(settings: SignInSettings): Promise<void>;
  /** Renews the login now, due or not. @returns False where nothing can be had by it any more. */
  renew(settings: Pick<WaySettings, 'overheard'>): Promise<boolean>;
  /** Forgets the login, and revokes its tokens. @returns Whether they were revoked. */
  signOut(settings: Pick<WaySettings, 'overheard'>): Promise<boolean>;
  /** Forgets the login and the registered client, and revokes nothing. */
  forget(settings: Pick<WaySettings, 'overheard'>): Promise<void>;
}

/** A server that was named when the process was started, or an address that was added in the page. */
export interface ServerPlan {
  readonly name: string;
  /** Command or address, without secrets. */
  readonly address: string;
  readonly kind: 'stdio' | 'http' | 'recording';
  /** Entries of a recording, which is looked at and not connected to. */
  readonly recorded?: readonly RecordingEntry[];
  /** Texts that nobody should read. */
  readonly secrets: readonly string[];
  /** Revisions that are spoken to it; all of them by default. */
  readonly revisions?: readonly string[] | undefined;
  /** Wishes of a file for how it is used. */
  readonly wishes?: PlanWishes;
  /** The words of `parley call` that reach it, such as `https://example.com/mcp`. */
  readonly line: string;
  /** Folder to look at for changes. */
  readonly folder?: string | undefined;
  /** Makes a way to it that nobody used before. */
  reach(settings: WaySettings): Promise<Transport>;
  /** Left out where nobody signs in. */
  readonly login?: PlannedLogin;
}

/** Wishes for how a server is used; times in milliseconds, of which 0 is none. */
export interface PlanWishes {
  readonly roots?: readonly RootView[];
  /** Metadata of every request. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly connectionTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly taskTtlMs?: number;
  readonly pagesByOne?: boolean;
  readonly logLevel?: LoggingLevel | '';
}

/** Parts of the process that all servers have in common. */
export interface Shared {
  readonly feed: Feed;
  readonly questions: Questions;
  readonly fetch: Fetch;
  readonly version: string;
  readonly isReadOnly: boolean;
  next(): number;
  now(): number;
  /** Hears of the log of each server, before anything is in it that crosses. */
  begun?(log: Log): void;
  /** Opens a client. */
  open(transport: Transport, options: ConnectOptions): Promise<Client>;
  /** Words of an error, without secrets. */
  words(error: unknown): string;
  /** Finds the line of a crash that says why, in the standard error output of a process. */
  causeOf?(stderr: string): string | undefined;
}
