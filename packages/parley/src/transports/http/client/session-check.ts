/** Finding out whether a server still knows a session; loaded by the first message that it refuses in one. */

import type { FetchResponse } from '../../../jsonrpc/fetch.ts';
import { after, monotonicNow } from '../../../jsonrpc/timeout.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { checkId, mediaType } from './answer.ts';
import { bodyStart } from './body.ts';
import { discard } from './fetch.ts';

/** One request to the server, with or without a session. Rejected credentials are not replaced for it. */
export interface SessionQuestion {
  readonly method: 'POST' | 'DELETE';
  readonly body?: string;
  readonly session?: string;
  /** True without the header of the protocol version. */
  readonly isUnversioned?: boolean;
  readonly signal: AbortSignal;
}

/** Parts that a check needs. */
export interface SessionCheckOptions {
  readonly session: string;
  /** The message that opened the session. */
  readonly initialize: string;
  send(question: SessionQuestion): Promise<FetchResponse>;
  /** Opens another session, if `initialize` alone opens none. */
  another?(signal: AbortSignal): Promise<OtherSession>;
}

/** A session that is opened for one question. */
export interface OtherSession {
  readonly session: string;
  end(): void;
}

/** Time limit of each answer. A server that does not answer proves nothing. */
const answerMs = 5_000;

const ping = `{"jsonrpc":"2.0","id":"${checkId}","method":"ping"}`;

/** Statuses that may be about the credentials of the caller, which every request has. */
const aboutCaller: ReadonlySet<number> = new Set([401, 403, 407]);

/** Time for which an error that is no 4xx is not asked about again once the session was known, in milliseconds. */
const restMs = 10_000;

/** Length of a refusal that is read, in bytes. */
const shownBytes = 4_096;

interface Answer extends Pick<FetchResponse, 'status' | 'headers'> {
  readonly text: string;
}

/** Code of the error that a text holds. */
function codeOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const error = isObject(value) ? value['error'] : undefined;
    return isObject(error) ? error['code'] : undefined;
  } catch {
    return undefined;
  }
}

/** Kind of an answer, for comparison: its status, and of a success what its body holds. */
function kindOf(status: number, what: unknown): string {
  return status < 300 ? `${status} ${String(what)}` : String(status);
}

/** Checks of one session. Concurrent checks share their requests. */
export class SessionCheck {
  readonly #options: SessionCheckOptions;
  #isProven = false;
  #ping: Promise<string | undefined> | undefined;
  #opening: Promise<string | undefined> | undefined;
  #knownAt = Number.NEGATIVE_INFINITY;
  /** True if the refusal of the last `ping` names a version. */
  #namesVersion = false;
  /** True if the server refuses the header of the protocol version, in a session that it knows. */
  refusesVersion = false;

  constructor(options: SessionCheckOptions) {
    this.#options = options;
  }

  /**
   * Tells whether the session is gone. If the server rejects a `ping` in it too, in the same way, it does not know the
   * session. If the status may have other reasons, such as credentials, the session only counts as gone if the server
   * accepts a `ping` in another one, with the same credentials.
   *
   * @param status The status with which a message in the session was rejected.
   * @param code The code of the error in a success, if it holds one.
   */
  async isGone(status: number, code?: number): Promise<boolean> {
    const isVague = status < 400 || status > 499;
    if (isVague && monotonicNow() - this.#knownAt < restMs) return this.#isProven;
    // A lost session does not come back.
    this.#isProven ||= await this.#findOut(kindOf(status, code), isVague || aboutCaller.has(status));
    if (!this.#isProven) this.#knownAt = monotonicNow();
    return this.#isProven;
  }

  async #findOut(refused: string, needsAnother: boolean): Promise<boolean> {
    this.refusesVersion = false;
    this.#ping ??= this.#pinged(this.#options.session).finally(() => (this.#ping = undefined));
    const pinged = await this.#ping;
    if (pinged === '404') return true;
    if (pinged !== refused) return false;
    this.refusesVersion = this.#namesVersion && (await this.#isKnownUnversioned());
    if (this.refusesVersion) return false;
    if (!needsAnother) return true;
    this.#opening ??= this.#pingedElsewhere().finally(() => (this.#opening = undefined));
    const elsewhere = await this.#opening;
    return elsewhere !== undefined && elsewhere !== refused;
  }

  /** Tells whether the server takes a `ping` without the header of the protocol version. */
  async #isKnownUnversioned(): Promise<boolean> {
    const { session } = this.#options;
    const response = await this.#answer({ method: 'POST', body: ping, session, isUnversioned: true });
    return response !== undefined && response.status < 300;
  }

  /** Answer to a `ping` in a session that is opened for it, and ended; `undefined` if none opens. */
  async #pingedElsewhere(): Promise<string | undefined> {
    const other = await (this.#options.another === undefined
      ? this.#initialized()
      : this.#limited(this.#options.another));
    if (other === undefined) return undefined;
    const pinged = await this.#pinged(other.session);
    other.end();
    return pinged;
  }

  async #initialized(): Promise<OtherSession | undefined> {
    const response = await this.#answer({ method: 'POST', body: this.#options.initialize });
    const session = response?.headers.get('mcp-session-id') ?? undefined;
    // This does not wait for its end.
    return session === undefined ? undefined : { session, end: () => void this.#answer({ method: 'DELETE', session }) };
  }

  /** Answer to a `ping`; nothing if the server did not answer, asks for authorization, or has no such method, but the session. */
  async #pinged(session: string): Promise<string | undefined> {
    const response = await this.#answer({ method: 'POST', body: ping, session });
    if (response?.headers.get('www-authenticate') !== null) return undefined;
    const { status, text } = response;
    this.#namesVersion = status === 400 && /version/i.test(text);
    const code = codeOf(text);
    if (code === -32_601) return undefined;
    return kindOf(status, code ?? (text.trim() === '' ? undefined : 'something'));
  }

  #answer(question: Omit<SessionQuestion, 'signal'>): Promise<Answer | undefined> {
    return this.#limited(async (signal) => {
      const response = await this.#options.send({ ...question, signal });
      const { status, headers } = response;
      // A server that opens a stream knows the session.
      if (mediaType(response) !== 'text/event-stream')
        return { status, headers, text: await bodyStart(response, shownBytes) };
      void discard(response);
      return { status, headers, text: 'a stream' };
    });
  }

  /** Result of some work; nothing if it fails or takes too long. */
  async #limited<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const controller = new AbortController();
    const stop = after(answerMs, () => controller.abort(), true);
    try {
      return await work(controller.signal);
    } catch {
      return undefined;
    } finally {
      stop();
    }
  }
}
