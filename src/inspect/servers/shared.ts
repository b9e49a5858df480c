/** Surroundings of every inspected server, and its needs from outside. */

import type { AuthorizationFetch } from '../../auth/document.ts';
import type { Client } from '../../client/client.ts';
import type { ConnectOptions } from '../../client/options.ts';
import type { Fetch } from '../../http/client/fetch.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import type { RecordingEntry } from '../../wire/entry.ts';
import type { Log } from '../../wire/log.ts';
import type { Feed } from '../feed.ts';
import type { Questions } from './questions.ts';

/** Settings of a way to a server, by which all that crosses it is heard. */
export interface WaySettings {
  readonly fetch: Fetch;
  readonly onStderr: (text: string) => void;
  readonly closeMs: number;
  readonly killAfterMs: number;
  /** Largest message, in bytes, over HTTP and on a line. */
  readonly maxMessageBytes: number;
  readonly maxLineBytes: number;
  /** Gives the same `fetch` for requests about authorization, recorded. */
  overheard(fetch: AuthorizationFetch): AuthorizationFetch;
  /** True where a person may be asked to sign in: only where somebody clicked so. */
  readonly asks: boolean;
}

/** Settings of a sign-in whose steps are heard. */
export interface SignInSettings extends Pick<WaySettings, 'overheard'> {
  /** Is asked before the page is opened; it is not where this rejects. */
  beforePage(): Promise<void>;
  readonly signal: AbortSignal;
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
  /** The words of `parley call` that reach it, such as `https://example.com/mcp`. */
  readonly line: string;
  /** Folder to look at for changes. */
  readonly folder?: string | undefined;
  /** Makes a way to it that nobody used before. */
  reach(settings: WaySettings): Promise<Transport>;
  /** Signs a person in, whatever is kept; left out where `reach` alone does. */
  signIn?(settings: SignInSettings): Promise<void>;
  /** Forgets the login of the person; left out where there is none. */
  signOut?(): Promise<void>;
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
}
