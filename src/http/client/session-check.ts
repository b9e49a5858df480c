/** Finding out whether a server still knows a session; loaded by the first message that it refuses in one. */

import { after } from '../../jsonrpc/timeout.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { checkId } from './answer.ts';
import { bodyStart } from './body.ts';
import { discard, type FetchResponse } from './fetch.ts';

/** One question to the server, in a session or in none. Credentials that it refuses are not replaced for it. */
export interface SessionQuestion {
  readonly method: 'POST' | 'DELETE';
  readonly body?: string;
  readonly session?: string;
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

/** Length of a refusal that is read, in bytes. */
const shownBytes = 4_096;

interface Answer extends Pick<FetchResponse, 'status' | 'headers'> {
  readonly text: string;
}

/** Tells whether a refusal says that there is no such method, as a server does that knows the session. */
function saysNoMethod(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    const error = isObject(value) ? value['error'] : undefined;
    return isObject(error) && error['code'] === -32601;
  } catch {
    return false;
  }
}

/** Checks of one session; checks at the same time share their questions. */
export class SessionCheck {
  readonly #options: SessionCheckOptions;
  #isProven = false;
  #ping: Promise<number | undefined> | undefined;
  #opening: Promise<number | undefined> | undefined;

  constructor(options: SessionCheckOptions) {
    this.#options = options;
  }

  /**
   * Tells whether the session is gone. A server that refuses a `ping` in it too, and in the same way, does not know it. If the status may
   * also be about credentials, the session is gone only if the server takes a `ping` in another one, with the same credentials.
   *
   * @param status The status with which a message in the session was refused.
   */
  async isGone(status: number): Promise<boolean> {
    // A session that is gone does not come back.
    this.#isProven ||= await this.#findOut(status);
    return this.#isProven;
  }

  async #findOut(status: number): Promise<boolean> {
    this.#ping ??= this.#pinged(this.#options.session).finally(() => (this.#ping = undefined));
    const pinged = await this.#ping;
    if (pinged === 404) return true;
    if (pinged !== status) return false;
    if (!aboutCaller.has(status)) return true;
    this.#opening ??= this.#pingedElsewhere().finally(() => (this.#opening = undefined));
    const elsewhere = await this.#opening;
    return elsewhere !== undefined && elsewhere !== status;
  }

  /** Status of a `ping` in a session that is opened for it, and ended; nothing if none opens. */
  async #pingedElsewhere(): Promise<number | undefined> {
    const other = await (this.#options.another === undefined
      ? this.#initialized()
      : this.#limited(this.#options.another));
    if (other === undefined) return undefined;
    const status = await this.#pinged(other.session);
    other.end();
    return status;
  }

  async #initialized(): Promise<OtherSession | undefined> {
    const response = await this.#answer({ method: 'POST', body: this.#options.initialize });
    const session = response?.headers.get('mcp-session-id') ?? undefined;
    // Nobody waits for its end.
    return session === undefined ? undefined : { session, end: () => void this.#answer({ method: 'DELETE', session }) };
  }

  /** Status of a `ping`; nothing if the server did not answer, asks for authorization, or has no such method, but the session. */
  async #pinged(session: string): Promise<number | undefined> {
    const response = await this.#answer({ method: 'POST', body: ping, session });
    const isAnswer = response?.headers.get('www-authenticate') !== null || saysNoMethod(response.text);
    return isAnswer ? undefined : response.status;
  }

  #answer(question: Omit<SessionQuestion, 'signal'>): Promise<Answer | undefined> {
    return this.#limited(async (signal) => {
      const response = await this.#options.send({ ...question, signal });
      const { status, headers } = response;
      if (status >= 400) return { status, headers, text: await bodyStart(response, shownBytes) };
      void discard(response);
      return { status, headers, text: '' };
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
