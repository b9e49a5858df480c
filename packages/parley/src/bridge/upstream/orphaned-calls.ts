import { McpError } from '../../protocol/error.ts';
import type { ForwardedCall } from './forwarded-call.ts';

/** A cancelled call whose log messages may still come. */
export type GivenUp = Pick<ForwardedCall, 'logLevel' | 'session'>;

/** Equal to the number of cancelled calls whose answers a client still recognizes. */
const most = 1_000;

/**
 * The cancelled calls of a connection that have no answer yet. The server may continue them, and need not answer a
 * cancelled call. Its questions and log messages meanwhile name no call, so they may belong to a client that has gone.
 * (Spec 2025-11-25, Cancellation: receivers should not send a response.)
 */
export class OrphanedCalls {
  readonly #warn: (message: string) => void;
  readonly #calls = new Set<GivenUp>();
  /** True when there are more than are known, so that only the end of the connection is the end of it. */
  #endless = false;
  readonly #awaiting: (() => void)[] = [];
  /** Doubts that were reported to the operator for this connection. */
  readonly #told = new Set<'questions' | 'logs'>();

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  get exists(): boolean {
    return this.#endless || this.#calls.size > 0;
  }

  /** The calls, unless there are more than are known. */
  get calls(): readonly GivenUp[] | undefined {
    return this.#endless ? undefined : [...this.#calls];
  }

  /**
   * Records a cancelled call.
   *
   * @returns Records its answer.
   */
  of({ logLevel, session }: GivenUp): () => void {
    const call: GivenUp = { logLevel, session };
    const [oldest] = this.#calls;
    if (this.#calls.size >= most && oldest !== undefined) this.#endless = this.#calls.delete(oldest);
    this.#calls.add(call);
    return () => {
      this.#calls.delete(call);
      if (!this.exists) this.#over();
    };
  }

  /** Records that the server sends questions for calls that it has answered. It is unknown when that stops. */
  forever(): void {
    this.#endless = true;
  }

  /** Resolves when every call was answered after all, or the connection ended. */
  async over(): Promise<void> {
    if (this.exists) await new Promise<void>((resolve) => this.#awaiting.push(resolve));
  }

  /** The connection ended, and so did its messages. */
  end(): void {
    this.#calls.clear();
    this.#endless = false;
    this.#told.clear();
    this.#over();
  }

  /** The error for a server that asks while the call is unknown: no client is asked. */
  refusal(method: string): McpError {
    const asked = JSON.stringify(method.slice(0, 100));
    this.#tell(
      'questions',
      `the server asked ${asked} while ${why}: no client was asked, and the server received an error`,
    );
    // Spec 2025-11-25, Sampling, Error handling: -1 when the user rejects the request.
    const code = method === 'sampling/createMessage' ? -1 : 'internalError';
    return new McpError(code, `no client was asked ${asked}: it may belong to a call that was cancelled or has ended`);
  }

  /**
   * Records a log message that is dropped.
   *
   * @param ofMany True if the reason is that several clients use the connection.
   */
  silence(ofMany: boolean = false): void {
    const when = ofMany
      ? 'several clients use the connection: messages without a call are dropped'
      : `${why}: they are dropped until it answers that call`;
    this.#tell('logs', `the server sent log messages while ${when}`);
  }

  #tell(kind: 'questions' | 'logs', message: string): void {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.#warn(message);
  }

  #over(): void {
    for (const resolve of this.#awaiting.splice(0)) resolve();
  }
}

const why = 'it may be at work on a call that was cancelled or has ended';
