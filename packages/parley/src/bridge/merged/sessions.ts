import type { Call } from '../../server/runtime/call.ts';
import type { Handler, ServerSession } from '../../server/runtime/server-core.ts';
import { McpError } from '../../protocol/error.ts';
import { wordsOf } from '../failure.ts';
import type { Single } from '../single/single.ts';
import { mostOf } from './begin.ts';
import type { Backend } from './backend.ts';

/** Longest wait for the first server to take a level, in milliseconds. */
const maxMs = 10_000;

/** A session, with the request that set its log level last. */
interface Session {
  readonly session: ServerSession;
  level: { readonly params: Parameters<Handler>[0]; readonly call: Call } | undefined;
}

/** The handshake sessions of a merged bridge: what its servers have to know of them, those that come later included. */
export class MergedSessions {
  /** By the session's state object, which stays the same for its life. */
  readonly #sessions = new Map<ServerSession['state'], Session>();
  readonly #onWarning: (message: string) => void;

  constructor(onWarning: (message: string) => void) {
    this.#onWarning = onWarning;
  }

  opened(session: ServerSession, backends: readonly Backend[]): void {
    this.#sessions.set(session.state, { session, level: undefined });
    for (const { single } of backends) single?.host.opened?.(session);
  }

  closed(session: ServerSession, backends: readonly Backend[]): void {
    this.#sessions.delete(session.state);
    for (const { single } of backends) single?.host.closed?.(session);
  }

  /** A server joined: it gets every session, and the log level of each. */
  joined(single: Single): void {
    for (const { session, level } of this.#sessions.values()) {
      single.host.opened?.(session);
      if (level !== undefined)
        void this.#setLevel(single, level.params, level.call).catch((error: unknown) => {
          this.#onWarning(`the log level could not be set: ${wordsOf(error)}`);
        });
    }
  }

  /** Tells every session that a list changed. */
  tell(method: string): void {
    for (const { session } of this.#sessions.values()) session.notify(method, {});
  }

  /**
   * Serves `logging/setLevel` on every server that logs.
   *
   * @throws McpError when all of them refuse.
   */
  async setLevel(backends: readonly Backend[], params: Parameters<Handler>[0], call: Call): Promise<object> {
    const session = call.session === undefined ? undefined : this.#sessions.get(call.session.state);
    if (session !== undefined) session.level = { params, call };
    const logging = backends.filter(({ single }) => single?.host.capabilities().logging !== undefined);
    const refusals: unknown[] = [];
    let isOver = false;
    const warn = (error: unknown): void => this.#onWarning(`the log level could not be set: ${wordsOf(error)}`);
    const work = logging.map(async ({ single }) => single && (await this.#setLevel(single, params, call)));
    for (const one of work) one.catch((error: unknown) => (isOver ? warn(error) : refusals.push(error)));
    await mostOf(work, maxMs);
    isOver = true;
    if (refusals.length > 0 && refusals.length === work.length && refusals[0] instanceof McpError) throw refusals[0];
    for (const refusal of refusals) warn(refusal);
    return {};
  }

  async #setLevel(single: Single, params: Parameters<Handler>[0], call: Call): Promise<void> {
    if (single.host.capabilities().logging !== undefined) await single.host.handler('logging/setLevel')?.(params, call);
  }
}
