import type { ProcessMailbox } from './process-mailbox.ts';
import type { Announced } from './replica-messages.ts';

/** Delays for retrying a failed end notice, in milliseconds: no process would send it later. */
const endAgainMs = [1_000, 4_000];

/**
 * The other replicas of a session. State changes that could not be sent are sent later. The newest change of each kind
 * is enough.
 */
export class Copies {
  readonly #mailbox: ProcessMailbox;
  readonly #channel: string;
  readonly #failed: (cause: unknown) => void;
  readonly #untold = new Map<Announced['kind'], Announced>();

  /** @param failed Receives the reason of a failure, once for a message that is retried. */
  constructor(mailbox: ProcessMailbox, channel: string, failed: (cause: unknown) => void) {
    this.#mailbox = mailbox;
    this.#channel = channel;
    this.#failed = failed;
  }

  /**
   * Sends a message to all of them, at once and again after these times, in milliseconds; false if that failed. It
   * never rejects.
   */
  async tell(announced: Announced, again: readonly number[] = []): Promise<boolean> {
    const { kind } = announced;
    const isState = kind === 'changed' || kind === 'claimed';
    // The newer message replaces the failed one.
    const isKnown = this.#untold.delete(kind);
    try {
      await this.#mailbox.announce(this.#channel, announced, again);
      return true;
    } catch (cause) {
      if (!isKnown) this.#failed(cause);
      if (isState && !this.#untold.has(kind)) this.#untold.set(kind, announced);
      if (kind === 'ended' && again.length === 0) void this.tell(announced, endAgainMs);
      return false;
    }
  }

  /** Sends the failed messages again; false if that failed too. */
  async tellAgain(): Promise<boolean> {
    for (const announced of this.#untold.values()) if (!(await this.tell(announced))) return false;
    return true;
  }
}
