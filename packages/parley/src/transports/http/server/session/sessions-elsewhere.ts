import type { HttpCall } from '../exchanges/call.ts';
import type { HttpContext } from '../exchanges/context.ts';
import type { HttpSettings } from '../exchanges/options.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { HttpSession, SessionOrigin } from './session.ts';

/** A lease whose stream is about to be opened here. Until then it counts as open. */
export interface OpeningStream {
  /** True when another process took it meanwhile: there is nothing to be opened. */
  readonly isLost: boolean;
  /** The stream is open, or will not be opened. */
  over(): void;
}

/** The sessions of this service in other processes. */
export interface SessionsElsewhere {
  /** The place of a session that may be opened here. */
  member(id: string): Elsewhere;
  /** Lets every process know of a session that was opened here. */
  open(member: Elsewhere, session: HttpSession): Promise<void>;
  /** Finds a session of another process, and continues it here. */
  find(id: string, call: HttpCall): Promise<HttpSession | undefined>;
  /** Asks for the stream of a session that another process has. */
  claim(session: HttpSession): Promise<OpeningStream | undefined>;
  /** Removes a session everywhere. */
  remove(session: HttpSession): Promise<void>;
  /** Forgets a session that this process dropped. */
  dropped(session: HttpSession): void;
  /** Drops what other processes can continue. */
  makeRoom(): void;
  close(): Promise<void>;
}

/** Services of the sessions of a process for those of other processes. */
export interface SessionHooks {
  readonly settings: HttpSettings;
  readonly spoken: HttpContext['inSessions'];
  /** Makes the replica of a session that another process opened. */
  adopt(call: HttpCall, member: Elsewhere & { readonly id: string }, kept: Pick<SessionOrigin, 'record'>): HttpSession;
  /** Drops the replica of a session in this process, and ends it. By default the session counts as lost. */
  drop(session: HttpSession, why?: 'ended'): void;
}
